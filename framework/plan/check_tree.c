/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks trees against a schema, and reports problems. */
#include <stdlib.h>
#include <string.h>

#include "framework/plan/xml.h"
#include "framework/schema/schema.h"

bool pv_xml_check_value(const struct pv_xml *x, const struct pv_attr_decl *a, const char *value, const char *where,
			struct pv_problems *p)
{
	const struct pv_type *choice = a->type->form == PV_TYPE_FORM_LIST ? a->type->item : a->type;
	struct pv_hint hint = {0};
	char expected[480];

	if (pv_attr_accepts(a, value))
		return true;
	if (choice->values)
		hint = pv_did_you_mean(value, pv_candidate_of_array, choice->values);
	pv_attr_expected(a, expected, sizeof(expected));
	pv_problem(p, x->file, x->line, where, "<%s> %s: expected %s, got '%s'%s", x->name, a->name, expected,
		   PV_SHOW(value), hint.s);
	return false;
}

struct check {
	const struct pv_schema *s;
	struct pv_problems *p;
};

static void mark_bad(struct pv_xml *x)
{
	for (; x && !x->bad; x = x->parent)
		x->bad = true;
}

static const char *candidate_attr(const void *decl, size_t i)
{
	const struct pv_attr_decl *a = pv_element_nth_attr(decl, (unsigned)i);

	return a ? a->name : NULL;
}

struct children {
	const struct pv_schema *s;
	const struct pv_element_decl *of;
};

static const char *candidate_child(const void *ctx, size_t i)
{
	const struct children *children = ctx;
	const struct pv_element_decl *c = pv_schema_nth_child(children->s, children->of, (unsigned)i);

	return c ? c->name : NULL;
}

static const char *candidate_element(const void *schema, size_t i)
{
	const struct pv_element_decl *e = pv_schema_nth(schema, (unsigned)i);

	return e ? e->name : NULL;
}

/* Attributes xmlns and xsi let an editor find the schema; they do not belong to the plan. */
static bool foreign(const char *name)
{
	return !strncmp(name, "xsi:", 4);
}

static bool check_attribute(struct check *c, struct pv_xml *x, struct pv_xml_attr *a)
{
	if (foreign(a->name))
		return true;
	a->decl = pv_schema_attr(x->decl, a->name);
	if (!a->decl) {
		struct pv_hint hint = pv_did_you_mean(a->name, candidate_attr, x->decl);

		pv_problem(c->p, x->file, x->line, NULL, "<%s> has no attribute '%s'%s", x->name, PV_SHOW(a->name),
			   hint.s);
		return false;
	}
	if (a->decl->type->parameters && strstr(a->value, "${"))
		return true; /* checked after substitution of the parameters */
	return pv_xml_check_value(x, a->decl, a->value, NULL, c->p);
}

static bool check_required(struct check *c, const struct pv_xml *x)
{
	bool good = true;

	pv_attr_foreach (a, x->decl) {
		if (!a->required || pv_xml_get(x, a->name))
			continue;
		pv_problem(c->p, x->file, x->line, NULL, "<%s> needs the attribute '%s': %s", x->name, a->name,
			   a->type->doc);
		good = false;
	}
	return good;
}

static bool is_given(const void *x, const char *attr)
{
	return pv_xml_get(x, attr) != NULL;
}

static bool check_rule(struct check *c, const struct pv_xml *x, const struct pv_rule_decl *r)
{
	char why[160];

	if (pv_rule_holds(r, is_given, x, why, sizeof(why)))
		return true;
	pv_problem(c->p, x->file, x->line, NULL, "<%s>: expected %s", x->name, why);
	return false;
}

static bool holds(const struct pv_xml *x)
{
	return x->decl->children || x->decl->steps;
}

static bool check_element(struct check *c, struct pv_xml *x)
{
	bool good = !x->bad;

	for (unsigned i = 0; i < x->n_attrs; i++)
		good &= check_attribute(c, x, &x->attrs[i]);
	good &= check_required(c, x);
	for (const struct pv_rule_decl *r = x->decl->rules; r && r->rule; r++)
		good &= check_rule(c, x, r);
	if (x->text[0] && !x->decl->text) {
		pv_problem(c->p, x->file, x->line, NULL, "<%s> has the text '%s', expected %s", x->name,
			   PV_SHOW(x->text), holds(x) ? "elements only" : "nothing inside");
		good = false;
	}
	return good;
}

static bool resolve_child(struct check *c, struct pv_xml *x, struct pv_xml *child)
{
	child->decl = pv_schema_child(c->s, x->decl, child->name);
	if (child->decl)
		return true;
	const struct children children = {c->s, x->decl};
	bool known = pv_schema_element(c->s, NULL, child->name) != NULL;
	struct pv_hint hint = {0};
	if (!known)
		hint = pv_did_you_mean(child->name, candidate_child, &children);
	if (!known && !hint.s[0])
		hint = pv_did_you_mean(child->name, candidate_element, c->s);
	pv_problem(c->p, child->file, child->line, NULL, "%s element <%s> in <%s>%s%s", known ? "misplaced" : "unknown",
		   PV_SHOW(child->name), x->name, hint.s, holds(x) || x->decl->text ? "" : ", which holds nothing");
	return false;
}

/* Depth is bounded by the parser (PV_XML_MAX_DEPTH). */
static void check_tree(struct check *c, struct pv_xml *x)
{
	if (!check_element(c, x)) {
		x->bad = false;
		mark_bad(x);
	}
	pv_xml_foreach (child, x) {
		if (c->p->count > PV_PROBLEMS_MAX)
			return;
		if (resolve_child(c, x, child))
			check_tree(c, child);
		else
			mark_bad(child);
	}
}

void pv_xml_check(struct pv_xml *root, const struct pv_schema *s, const char *name, struct pv_problems *p)
{
	struct check c = {.s = s, .p = p};

	if (strcmp(root->name, name)) {
		pv_problem(p, root->file, root->line, NULL, "the root is <%s>, expected <%s>", PV_SHOW(root->name),
			   name);
		root->bad = true;
		return;
	}
	root->decl = pv_schema_element(s, NULL, name);
	check_tree(&c, root);
}
