/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan reference in Markdown, and the steps as text: both made from the schema. */
#include <string.h>

#include "framework/plan/schema.h"

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
	if (a->value)
		fprintf(out, " Default: `%s`.", a->value);
	fputs(" |\n", out);
}

static void put_rules(FILE *out, const struct pv_element_decl *e)
{
	static const char *const say[] = {[PV_RULE_ONE_OF] = "Exactly one",
					  [PV_RULE_SOME_OF] = "At least one",
					  [PV_RULE_NOT_BOTH] = "At most one"};

	for (const struct pv_rule_decl *r = e->rules; r; r = r->next) {
		fprintf(out, "\n%s of", say[r->rule]);
		for (const char **a = r->attrs; *a; a++)
			fprintf(out, "%s `%s`", a == r->attrs ? "" : ",", *a);
		fputs(".\n", out);
	}
}

static void put_children(FILE *out, const struct pv_element_decl *e)
{
	bool steps = false, first = true;

	for (const struct pv_child_decl *c = e->children; c; c = c->next) {
		if (c->element->step) {
			steps = true;
			continue;
		}
		fprintf(out, "%s [%s](#%s)", first ? "\nHolds:" : ",", c->element->name, c->element->name);
		first = false;
	}
	if (steps)
		fprintf(out, "%s [steps](#steps-of-a-case)", first ? "\nHolds:" : ",");
	if (e->children)
		fputs(".\n", out);
}

static void put_element(FILE *out, const struct pv_element_decl *e, const char *within)
{
	fprintf(out, "\n### %s%s%s\n\n%s\n", e->name, within ? " in " : "", within ? within : "", e->doc);
	if (e->attrs)
		fputs("\n| attribute | value | meaning |\n|---|---|---|\n", out);
	for (const struct pv_attr_decl *a = e->attrs; a; a = a->next)
		put_attribute(out, a);
	put_rules(out, e);
	put_children(out, e);
}

static void put_elements(FILE *out, const struct pv_schema *s, bool step)
{
	for (const struct pv_element_decl *e = s->elements; e; e = e->next) {
		if (e->step != step)
			continue;
		put_element(out, e, NULL);
		for (const struct pv_child_decl *c = e->children; c; c = c->next)
			if (pv_schema_element(s, c->element->name) != c->element)
				put_element(out, c->element, e->name);
	}
}

static void put_type(FILE *out, const struct pv_type *t)
{
	fprintf(out, "\n### %s\n\n", t->name);
	fprintf(out, "%c%s.", t->doc[0] >= 'a' && t->doc[0] <= 'z' ? t->doc[0] - 32 : t->doc[0], t->doc + 1);
	if (t->form == PV_TYPE_PATTERN)
		fprintf(out, " Pattern: `%s`.", t->pattern);
	if (t->form == PV_TYPE_LIST)
		fprintf(out, " Each: [%s](#%s).", t->item_name, t->item_name);
	for (const char **v = t->values; t->form == PV_TYPE_ENUM && *v; v++)
		fprintf(out, "%s`%s`%s", v == t->values ? " One of " : "", *v, v[1] ? ", " : ".");
	fputs(t->parameters ? " Or with `${parameter}` in it.\n" : "\n", out);
}

void pv_schema_reference(const struct pv_schema *s, FILE *out)
{
	fputs("# Plan reference\n\n"
	      "Every element, attribute and value of test plans. Made from `framework/plan/plan.xsd` by\n"
	      "`pcieval validate --reference`; do not edit it here.\n\n"
	      "`${name}` in an attribute of a step or of the topology stands for the value of a parameter.\n"
	      "\n## Plans, cases and topology\n",
	      out);
	put_elements(out, s, false);
	fputs("\n## Steps of a case\n", out);
	put_elements(out, s, true);
	fputs("\n## Values\n", out);
	for (const struct pv_type *t = s->types; t; t = t->next)
		put_type(out, t);
}

/* ---- steps as text ---- */

static void put_line(FILE *out, const struct pv_attr_decl *a)
{
	fprintf(out, "    %-16s ", a->name);
	for (const char **v = a->type->values; a->type->form == PV_TYPE_ENUM && *v; v++)
		fprintf(out, "%s%s", *v, v[1] ? "|" : "");
	fprintf(out, "%s%s%s%s: %s\n", a->type->form == PV_TYPE_ENUM ? "" : a->type->name,
		a->required ? ", required" : "", a->value ? ", default " : "", a->value ? a->value : "", a->doc);
}

void pv_schema_steps(const struct pv_schema *s, FILE *out)
{
	for (const struct pv_element_decl *e = s->elements; e; e = e->next) {
		if (!e->step)
			continue;
		fprintf(out, "%s\n    %s\n", e->name, e->doc);
		for (const struct pv_attr_decl *a = e->attrs; a; a = a->next)
			put_line(out, a);
	}
}
