/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees and values against the schema, with messages for people. */
#include <stdlib.h>
#include <string.h>

#include "framework/plan/schema.h"
#include "framework/util/cleanup.h"

/* ---- values ---- */

static bool matches(struct pv_type *t, const char *value)
{
	if (!t->compiled) {
		_autofree_ char *anchored = NULL;

		if (asprintf(&anchored, "^(%s)$", t->pattern) < 0)
			return false;
		if (regcomp(&t->regex, anchored, REG_EXTENDED | REG_NOSUB))
			return false;
		t->compiled = true;
	}
	return !regexec(&t->regex, value, 0, NULL, 0);
}

static bool accepts_list(struct pv_type *t, const char *value)
{
	_autofree_ char *copy = strdup(value);
	char *rest = NULL;
	unsigned n = 0;

	if (!copy)
		return false;
	for (char *w = strtok_r(copy, " \t\r\n", &rest); w; w = strtok_r(NULL, " \t\r\n", &rest), n++)
		if (!pv_type_accepts(t->item, w))
			return false;
	return n > 0;
}

bool pv_type_accepts(struct pv_type *t, const char *value)
{
	switch (t->form) {
	case PV_TYPE_ANY:
		return true;
	case PV_TYPE_PATTERN:
		return matches(t, value);
	case PV_TYPE_LIST:
		return accepts_list(t, value);
	case PV_TYPE_ENUM:
		for (const char **v = t->values; *v; v++)
			if (!strcmp(*v, value))
				return true;
		return false;
	}
	return false;
}

/* "tune_off, default or safe", cut where it gets long. */
static void say_values(const struct pv_type *t, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (const char **v = t->values; *v && n + 48 < size; v++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", v == t->values ? "" : v[1] ? ", " : " or ", *v);
}

bool pv_type_check(struct pv_type *t, const char *value, const struct pv_xml *x, const char *attr, const char *where,
		   struct pv_problems *p)
{
	if (pv_type_accepts(t, value))
		return true;
	const struct pv_type *choice = t->form == PV_TYPE_LIST ? t->item : t;
	char values[400] = "";
	struct pv_hint hint = {0};
	if (choice->form == PV_TYPE_ENUM) {
		say_values(choice, values, sizeof(values));
		hint = pv_did_you_mean(value, pv_candidate_of_array, choice->values);
	}
	pv_problem(p, x->file, x->line, where, "<%s> %s: expected %s%s%s, got '%s'%s", x->name, attr, t->doc,
		   values[0] ? ": " : "", values, PV_SHOW(value), hint.s);
	return false;
}

/* ---- trees ---- */

struct check {
	struct pv_schema *s;
	struct pv_problems *p;
};

static void mark_bad(struct pv_xml *x)
{
	for (; x && !x->bad; x = x->parent)
		x->bad = true;
}

static const char *candidate_attr(const void *decl, size_t i)
{
	const struct pv_attr_decl *a = ((const struct pv_element_decl *)decl)->attrs;

	while (a && i--)
		a = a->next;
	return a ? a->name : NULL;
}

static const char *candidate_child(const void *decl, size_t i)
{
	const struct pv_child_decl *c = ((const struct pv_element_decl *)decl)->children;

	while (c && i--)
		c = c->next;
	return c ? c->element->name : NULL;
}

static const char *candidate_element(const void *schema, size_t i)
{
	const struct pv_element_decl *e = ((const struct pv_schema *)schema)->elements;

	while (e && i--)
		e = e->next;
	return e ? e->name : NULL;
}

/* xmlns and xsi attributes let an editor find the schema; they say nothing about the plan. */
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
		return true; /* judged once parameters are substituted */
	return pv_type_check(a->decl->type, a->value, x, a->name, NULL, c->p);
}

static bool check_required(struct check *c, const struct pv_xml *x)
{
	bool good = true;

	for (const struct pv_attr_decl *a = x->decl->attrs; a; a = a->next) {
		if (!a->required || pv_xml_get(x, a->name))
			continue;
		pv_problem(c->p, x->file, x->line, NULL, "<%s> needs the attribute '%s': %s", x->name, a->name,
			   a->type->doc);
		good = false;
	}
	return good;
}

static bool check_rule(struct check *c, const struct pv_xml *x, const struct pv_rule_decl *r)
{
	static const char *const say[] = {[PV_RULE_ONE_OF] = "exactly one",
					  [PV_RULE_SOME_OF] = "at least one",
					  [PV_RULE_NOT_BOTH] = "at most one"};
	unsigned n = 0;

	for (const char **a = r->attrs; *a; a++)
		n += pv_xml_get(x, *a) != NULL;
	if ((n == 1) || (n == 0 && r->rule == PV_RULE_NOT_BOTH) || (n > 1 && r->rule == PV_RULE_SOME_OF))
		return true;
	pv_problem(c->p, x->file, x->line, NULL, "<%s>: expected %s of the attributes %s, got %u", x->name,
		   say[r->rule], r->text, n);
	return false;
}

static bool check_element(struct check *c, struct pv_xml *x)
{
	bool good = !x->bad;

	for (unsigned i = 0; i < x->n_attrs; i++)
		good &= check_attribute(c, x, &x->attrs[i]);
	good &= check_required(c, x);
	for (const struct pv_rule_decl *r = x->decl->rules; r; r = r->next)
		good &= check_rule(c, x, r);
	if (x->text[0] && !x->decl->text) {
		pv_problem(c->p, x->file, x->line, NULL, "<%s> has the text '%s', expected %s", x->name,
			   PV_SHOW(x->text), x->decl->children ? "elements only" : "nothing inside");
		good = false;
	}
	return good;
}

static bool resolve_child(struct check *c, struct pv_xml *x, struct pv_xml *child)
{
	for (const struct pv_child_decl *d = x->decl->children; d; d = d->next) {
		if (pv_xml_same(d->element->name, child->name)) {
			child->decl = d->element;
			return true;
		}
	}
	bool known = pv_schema_element(c->s, child->name) != NULL;
	struct pv_hint hint = {0};
	if (!known)
		hint = pv_did_you_mean(child->name, candidate_child, x->decl);
	if (!known && !hint.s[0])
		hint = pv_did_you_mean(child->name, candidate_element, c->s);
	pv_problem(c->p, child->file, child->line, NULL, "%s element <%s> in <%s>%s%s", known ? "misplaced" : "unknown",
		   PV_SHOW(child->name), x->name, hint.s,
		   x->decl->children || x->decl->text ? "" : ", which holds nothing");
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

void pv_schema_check(struct pv_schema *s, struct pv_xml *root, const char *element, struct pv_problems *p)
{
	struct check c = {.s = s, .p = p};

	if (strcmp(root->name, element)) {
		pv_problem(p, root->file, root->line, NULL, "the root is <%s>, expected <%s>", PV_SHOW(root->name),
			   element);
		root->bad = true;
		return;
	}
	root->decl = pv_schema_element(s, element);
	check_tree(&c, root);
}
