/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan reference in Markdown, and the steps as text: both made from the schema. */
#include <string.h>

#include "framework/schema/schema.h"

static void put_cell(FILE *out, const char *text)
{
	for (; *text; text++)
		fprintf(out, "%s%c", *text == '|' ? "\\" : "", *text);
}

static void put_attribute(FILE *out, const struct pv_attr_decl *a)
{
	fprintf(out, "| `%s`%s | [%s](#%s) | ", a->name, a->required ? " (required)" : "", a->type->name,
		a->type->name);
	put_cell(out, a->doc);
	if (a->max)
		fprintf(out, " %ju to %ju.", (uintmax_t)a->min, (uintmax_t)a->max);
	if (a->value && *a->value)
		fprintf(out, " Default: `%s`.", a->value);
	fputs(" |\n", out);
}

static void put_rules(FILE *out, const struct pv_element_decl *e)
{
	static const char *const say[] = {[PV_RULE_ONE_OF] = "Exactly one",
					  [PV_RULE_SOME_OF] = "At least one",
					  [PV_RULE_NOT_BOTH] = "At most one"};

	for (const struct pv_rule_decl *r = e->rules; r && r->rule; r++) {
		fprintf(out, "\n%s of", say[r->rule]);
		for (const char *const *a = r->attrs; *a; a++)
			fprintf(out, "%s `%s`", a == r->attrs ? "" : ",", *a);
		fputs(".\n", out);
	}
}

static void put_children(FILE *out, const struct pv_schema *s, const struct pv_element_decl *e)
{
	const struct pv_element_decl *c;

	for (unsigned i = 0; (c = pv_schema_nth_child(s, e, i)) && !pv_element_is_step(c); i++)
		fprintf(out, "%s [%s](#%s)", i ? "," : "\nHolds:", c->name, c->name);
	if (e->steps)
		fprintf(out, "%s [steps](#steps-of-a-case)", e->children ? "," : "\nHolds:");
	if (e->steps || e->children)
		fputs(".\n", out);
}

static void put_element(FILE *out, const struct pv_schema *s, const struct pv_element_decl *e)
{
	fprintf(out, "\n### %s%s%s\n\n%s\n", e->name, e->within ? " in " : "", e->within ? e->within : "", e->doc);
	if (pv_element_nth_attr(e, 0))
		fputs("\n| attribute | value | meaning |\n|---|---|---|\n", out);
	pv_attr_foreach (a, e)
		put_attribute(out, a);
	put_rules(out, e);
	put_children(out, s, e);
}

static void put_elements(FILE *out, const struct pv_schema *s, bool step)
{
	pv_element_foreach (e, s)
		if (pv_element_is_step(e) == step)
			put_element(out, s, e);
}

static void put_type(FILE *out, const struct pv_type *t)
{
	fprintf(out, "\n### %s\n\n", t->name);
	fprintf(out, "%c%s.", t->doc[0] >= 'a' && t->doc[0] <= 'z' ? t->doc[0] - 32 : t->doc[0], t->doc + 1);
	if (t->form == PV_TYPE_FORM_PATTERN)
		fprintf(out, " Pattern: `%s`.", t->pattern);
	if (t->form == PV_TYPE_FORM_LIST)
		fprintf(out, " Each: [%s](#%s).", t->item->name, t->item->name);
	for (const char *const *v = t->values; v && *v; v++)
		fprintf(out, "%s`%s`%s", v == t->values ? " One of " : "", *v, v[1] ? ", " : ".");
	if (t->synonym[0])
		fprintf(out, " `%s` is understood as `%s`.", t->synonym[0], t->synonym[1]);
	fputs(t->parameters && t->form != PV_TYPE_FORM_ANY ? " Or with `${parameter}` in it.\n" : "\n", out);
}

void pv_schema_reference(const struct pv_schema *s, FILE *out)
{
	fputs("# Plan reference\n\n"
	      "Every element, attribute and value of test plans. Made from the tables of `framework/schema` by\n"
	      "`pcieval validate --reference`; do not edit it here.\n\n"
	      "`${name}` in an attribute of a step or of the topology stands for the value of a parameter.\n"
	      "\n## Plans, cases and topology\n",
	      out);
	put_elements(out, s, false);
	fputs("\n## Steps of a case\n", out);
	put_elements(out, s, true);
	fputs("\n## Values\n", out);
	for (const struct pv_type *t = pv_types; t < pv_types + PV_TYPES; t++)
		if (pv_schema_uses(s, t))
			put_type(out, t);
}

/* ---- steps as text ---- */

static void put_line(FILE *out, const struct pv_attr_decl *a)
{
	fprintf(out, "    %-16s ", a->name);
	for (const char *const *v = a->type->values; v && *v; v++)
		fprintf(out, "%s%s", *v, v[1] ? "|" : "");
	fprintf(out, "%s%s%s%s: %s\n", a->type->values ? "" : a->type->name, a->required ? ", required" : "",
		a->value ? ", default " : "", a->value ? a->value : "", a->doc);
}

void pv_schema_steps(const struct pv_schema *s, FILE *out)
{
	pv_element_foreach (e, s) {
		if (!pv_element_is_step(e))
			continue;
		fprintf(out, "%s\n    %s\n", e->name, e->doc);
		pv_attr_foreach (a, e)
			put_line(out, a);
	}
}
