/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads plan.xsd. Only the constructs that it uses are known; anything else in it is a mistake and is
 * reported, so that nothing in the schema is without effect.
 */
#include "framework/plan/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct load {
	struct pv_schema *s;
	const struct pv_xml *root;
	struct pv_problems *p;
	int err;
};

static void mistake(struct load *l, const struct pv_xml *x, const char *what)
{
	pv_problem(l->p, x->file, x->line, NULL, "<%s>: %s", x->name, what);
	l->err = -EINVAL;
}

static void *alloc(struct load *l, size_t n, size_t bytes)
{
	void *p = pv_arena_array(&l->s->arena, n, bytes);

	if (!p)
		l->err = pv_problem_memory(l->p);
	return p;
}

static const char *get(struct load *l, const struct pv_xml *x, const char *attr)
{
	const char *v = pv_xml_get(x, attr);

	if (!v)
		mistake(l, x, "an attribute is missing");
	return v ? v : "";
}

static const char *documentation(const struct pv_xml *x)
{
	const struct pv_xml *a = pv_xml_child(x, "xs:annotation");
	const struct pv_xml *d = a ? pv_xml_child(a, "xs:documentation") : NULL;

	return d ? d->text : NULL;
}

/* Words of `text`, ended by NULL. */
static const char **words(struct load *l, const char *text)
{
	size_t n = 0;
	char *copy = pv_arena_strdup(&l->s->arena, text), *rest = NULL;
	const char **out = alloc(l, strlen(text) / 2 + 2, sizeof(*out));

	if (!copy || !out)
		return NULL;
	for (char *w = strtok_r(copy, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
		out[n++] = w;
	return out;
}

/* ---- simple types ---- */

static void read_type_body(struct load *l, const struct pv_xml *x, struct pv_type *t);

static void read_restriction(struct load *l, const struct pv_xml *x, struct pv_type *t)
{
	unsigned n = 0;

	pv_xml_foreach (c, x)
		n++;
	const char **values = alloc(l, n + 1, sizeof(*values));
	if (!values)
		return;
	n = 0;
	pv_xml_foreach (f, x) {
		if (!strcmp(f->name, "xs:pattern") && !t->pattern) {
			t->form = PV_TYPE_PATTERN;
			t->pattern = get(l, f, "value");
		} else if (!strcmp(f->name, "xs:enumeration")) {
			t->form = PV_TYPE_ENUM;
			values[n++] = get(l, f, "value");
		} else if (!strcmp(f->name, "xs:simpleType")) {
			read_type_body(l, f, t);
		} else if (strcmp(f->name, "xs:minLength") || strcmp(get(l, f, "value"), "1")) {
			mistake(l, f, "unknown facet"); /* lists have at least one item */
		}
	}
	t->values = t->values ? t->values : values;
}

static void read_type_body(struct load *l, const struct pv_xml *x, struct pv_type *t)
{
	pv_xml_foreach (c, x) {
		if (!strcmp(c->name, "xs:restriction")) {
			read_restriction(l, c, t);
		} else if (!strcmp(c->name, "xs:list")) {
			t->form = PV_TYPE_LIST;
			t->item_name = get(l, c, "itemType");
		} else if (!strcmp(c->name, "xs:union") && !strcmp(get(l, c, "memberTypes"), "with-parameter") &&
			   c->first && !strcmp(c->first->name, "xs:simpleType")) {
			t->parameters = true;
			read_type_body(l, c->first, t);
		} else if (strcmp(c->name, "xs:annotation")) {
			mistake(l, c, "unknown in a simple type");
		}
	}
}

static void read_types(struct load *l)
{
	struct pv_type **end = &l->s->types;

	pv_xml_foreach_named (x, l->root, "xs:simpleType") {
		struct pv_type *t = alloc(l, 1, sizeof(*t));

		if (!t)
			return;
		t->name = get(l, x, "name");
		t->doc = documentation(x);
		if (!t->doc)
			mistake(l, x, "a type without documentation");
		read_type_body(l, x, t);
		*end = t;
		end = &t->next;
	}
	for (struct pv_type *t = l->s->types; t; t = t->next)
		if (t->item_name && !(t->item = pv_schema_type(l->s, t->item_name)))
			mistake(l, l->root, "a list of an unknown type");
}

/* ---- elements ---- */

static void read_attributes(struct load *l, const struct pv_xml *x, struct pv_element_decl *e);

static void read_attribute(struct load *l, const struct pv_xml *x, struct pv_element_decl *e)
{
	struct pv_attr_decl *a = alloc(l, 1, sizeof(*a)), **end = &e->attrs;

	if (!a)
		return;
	a->name = get(l, x, "name");
	a->doc = documentation(x);
	a->value = pv_xml_get(x, "default");
	a->required = pv_xml_get(x, "use") != NULL;
	a->type = pv_schema_type(l->s, get(l, x, "type"));
	if (!a->doc || !a->type || pv_schema_attr(e, a->name))
		mistake(l, x, "an attribute needs documentation, a known type and a name of its own");
	while (*end)
		end = &(*end)->next;
	*end = a;
}

static void read_attribute_group(struct load *l, const struct pv_xml *x, struct pv_element_decl *e)
{
	const char *ref = get(l, x, "ref");

	pv_xml_foreach_named (g, l->root, "xs:attributeGroup") {
		if (!strcmp(get(l, g, "name"), ref)) {
			read_attributes(l, g, e);
			return;
		}
	}
	mistake(l, x, "an unknown attribute group");
}

static void read_attributes(struct load *l, const struct pv_xml *x, struct pv_element_decl *e)
{
	pv_xml_foreach (c, x) {
		if (!strcmp(c->name, "xs:attribute"))
			read_attribute(l, c, e);
		else if (!strcmp(c->name, "xs:attributeGroup"))
			read_attribute_group(l, c, e);
		else if (strcmp(c->name, "xs:choice") && strcmp(c->name, "xs:annotation"))
			mistake(l, c, "unknown in a complex type");
	}
}

static void read_rules(struct load *l, const struct pv_xml *x, struct pv_element_decl *e)
{
	static const char *const names[] = {
		[PV_RULE_ONE_OF] = "one-of: ", [PV_RULE_SOME_OF] = "some-of: ", [PV_RULE_NOT_BOTH] = "not-both: "};
	const struct pv_xml *note = pv_xml_child(x, "xs:annotation");
	struct pv_rule_decl **end = &e->rules;

	if (!note)
		return;
	pv_xml_foreach_named (info, note, "xs:appinfo") {
		unsigned rule = 0;

		while (rule < 3 && strncmp(info->text, names[rule], strlen(names[rule])))
			rule++;
		struct pv_rule_decl *r = alloc(l, 1, sizeof(*r));
		if (!r)
			return;
		if (rule == 3) {
			mistake(l, info, "unknown rule");
			return;
		}
		r->rule = rule;
		r->text = info->text + strlen(names[rule]);
		r->attrs = words(l, r->text);
		for (const char **a = r->attrs; a && *a; a++)
			if (!pv_schema_attr(e, *a))
				mistake(l, info, "a rule names an unknown attribute");
		*end = r;
		end = &r->next;
	}
}

static void add_child(struct load *l, struct pv_element_decl *e, const struct pv_element_decl *child)
{
	struct pv_child_decl *c = alloc(l, 1, sizeof(*c)), **end = &e->children;

	if (!c)
		return;
	c->element = child;
	while (*end)
		end = &(*end)->next;
	*end = c;
}

static void read_element(struct load *l, const struct pv_xml *x, struct pv_element_decl *e);

static void read_children(struct load *l, const struct pv_xml *choice, struct pv_element_decl *e);

static void read_group(struct load *l, const struct pv_xml *x, struct pv_element_decl *e)
{
	pv_xml_foreach_named (g, l->root, "xs:group") {
		if (!strcmp(get(l, g, "name"), get(l, x, "ref"))) {
			read_children(l, pv_xml_child(g, "xs:choice"), e);
			return;
		}
	}
	mistake(l, x, "an unknown group");
}

static void read_child(struct load *l, const struct pv_xml *x, struct pv_element_decl *e)
{
	const char *ref = pv_xml_get(x, "ref");

	if (!strcmp(x->name, "xs:group")) {
		read_group(l, x, e);
	} else if (strcmp(x->name, "xs:element")) {
		mistake(l, x, "unknown in a choice");
	} else if (ref) {
		const struct pv_element_decl *global = pv_schema_element(l->s, ref);

		if (global)
			add_child(l, e, global);
		else
			mistake(l, x, "an unknown element");
	} else {
		struct pv_element_decl *local = alloc(l, 1, sizeof(*local));

		if (!local)
			return;
		read_element(l, x, local);
		add_child(l, e, local);
	}
}

static void read_children(struct load *l, const struct pv_xml *choice, struct pv_element_decl *e)
{
	for (const struct pv_xml *c = choice ? choice->first : NULL; c; c = c->next)
		read_child(l, c, e);
}

static void read_element(struct load *l, const struct pv_xml *x, struct pv_element_decl *e)
{
	const char *type = pv_xml_get(x, "type");
	const struct pv_xml *body = pv_xml_child(x, "xs:complexType");

	e->name = get(l, x, "name");
	e->doc = documentation(x);
	e->text = type ? pv_schema_type(l->s, type) : NULL;
	if (!e->doc || (!e->text && !body))
		mistake(l, x, "an element needs documentation and a type");
	if (!body)
		return;
	read_attributes(l, body, e);
	read_children(l, pv_xml_child(body, "xs:choice"), e);
	read_rules(l, x, e);
}

/* Names first, so that elements can refer to each other, also to those below. */
static void read_elements(struct load *l)
{
	struct pv_element_decl **end = &l->s->elements;

	pv_xml_foreach_named (x, l->root, "xs:element") {
		struct pv_element_decl *e = alloc(l, 1, sizeof(*e));

		if (!e)
			return;
		e->name = get(l, x, "name");
		if (pv_schema_element(l->s, e->name))
			mistake(l, x, "an element that is there already");
		*end = e;
		end = &e->next;
	}
	struct pv_element_decl *e = l->s->elements;
	for (const struct pv_xml *x = pv_xml_child(l->root, "xs:element"); x && e;
	     x = pv_xml_sibling(x, "xs:element"), e = e->next)
		read_element(l, x, e);
}

static void note_steps(struct load *l)
{
	const struct pv_xml *group = pv_xml_child(l->root, "xs:group");

	for (struct pv_element_decl *e = l->s->elements; e && group; e = e->next)
		pv_xml_foreach (ref, pv_xml_child(group, "xs:choice"))
			if (!strcmp(get(l, ref, "ref"), e->name))
				e->step = true;
}

struct pv_schema *pv_schema_load(const char *xsd, size_t bytes, struct pv_problems *p)
{
	struct pv_schema *s = calloc(1, sizeof(*s));

	if (!s) {
		pv_problem_memory(p);
		return NULL;
	}
	struct load l = {.s = s, .p = p};
	l.root = pv_xml_parse("plan.xsd", xsd, bytes, &s->arena, p);
	if (l.root) {
		read_types(&l);
		read_elements(&l);
		note_steps(&l);
	}
	if (l.root && !l.err)
		return s;
	pv_schema_free(s);
	return NULL;
}

void pv_schema_free(struct pv_schema *s)
{
	if (!s)
		return;
	for (struct pv_type *t = s->types; t; t = t->next)
		if (t->compiled)
			regfree(&t->regex);
	pv_arena_free(&s->arena);
	free(s);
}

const struct pv_element_decl *pv_schema_element(const struct pv_schema *s, const char *name)
{
	for (const struct pv_element_decl *e = s->elements; e; e = e->next)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}

const struct pv_attr_decl *pv_schema_attr(const struct pv_element_decl *e, const char *name)
{
	for (const struct pv_attr_decl *a = e->attrs; a; a = a->next)
		if (pv_xml_same(a->name, name))
			return a;
	return NULL;
}

struct pv_type *pv_schema_type(const struct pv_schema *s, const char *name)
{
	for (struct pv_type *t = s->types; t; t = t->next)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}
