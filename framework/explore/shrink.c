/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delta debugging (Zeller, 1999) of the steps, then of their attributes, then of the machine. */
#include "framework/explore/shrink.h"

#include <errno.h>
#include <string.h>

#include "framework/explore/element.h"
#include "framework/schema/schema.h"

enum { TRIES_DEFAULT = 1000, ROUNDS_MAX = 4 };

/* The case while it shrinks. */
struct shrinking {
	struct pv_explore_shrinking *s;
	json_object *c;
	struct pv_error *e;
	int err;
};

static json_object *copy_of(json_object *o)
{
	json_object *copy = NULL;

	json_object_deep_copy(o, &copy, NULL);
	return copy;
}

static json_object *steps_of(json_object *c)
{
	return json_object_object_get(c, "steps");
}

static bool is_over(const struct shrinking *g)
{
	const struct pv_explore_shrinking *s = g->s;

	return g->err || s->done >= s->tries || (s->stop && s->stop(s->stop_ctx));
}

/* Takes `candidate`, which it owns, if it fails in the same way. */
static bool try_candidate(struct shrinking *g, json_object *candidate)
{
	struct pv_explore_verdict v;
	char signature[PV_SIGNATURE_SIZE];

	if (!candidate || is_over(g)) {
		json_object_put(candidate);
		return false;
	}
	g->s->done++;
	g->err = pv_explore_judge(&candidate, &g->s->tried, &v, g->e);
	bool same = !g->err && v.bad && !strcmp(pv_explore_signature(&v, signature), g->s->signature);
	json_object_put(same ? g->c : candidate);
	if (same) {
		g->c = candidate;
		g->s->v = v;
	}
	return same;
}

/* ---- steps ---- */

static bool without_steps(struct shrinking *g, size_t first, size_t n)
{
	json_object *candidate = copy_of(g->c);

	json_object_array_del_idx(steps_of(candidate), first, n);
	return try_candidate(g, candidate);
}

/* Steps at the end go first: what comes behind a failure has no part in it. */
static bool shrink_steps(struct shrinking *g)
{
	bool smaller = false;

	for (size_t chunk = json_object_array_length(steps_of(g->c)) / 2; chunk && !is_over(g); chunk /= 2) {
		for (size_t end = json_object_array_length(steps_of(g->c)); end >= chunk && !is_over(g);) {
			bool gone = without_steps(g, end - chunk, chunk);
			size_t n = json_object_array_length(steps_of(g->c));

			smaller |= gone;
			end = end - chunk < n ? end - chunk : n;
		}
	}
	return smaller;
}

/* ---- attributes ---- */

static bool is_number(const char *text)
{
	uint64_t n;

	return !pv_number_parse(text, &n);
}

/* Tries another value of an attribute of an element, which `find` finds in a copy. NULL: none at all. */
struct place {
	json_object *(*find)(json_object *c, size_t n);
	size_t n;
	const char *attr;
};

static bool with_value(struct shrinking *g, const struct place *p, const char *value)
{
	json_object *candidate = copy_of(g->c), *x = p->find(candidate, p->n);

	if (value)
		pv_element_set(x, p->attr, "%s", value);
	else
		json_object_object_del(json_object_object_get(x, "attrs"), p->attr);
	return try_candidate(g, candidate);
}

/* Halves it, as long as that is the same failure. */
static bool shrink_number(struct shrinking *g, const struct place *p)
{
	bool smaller = false;
	uint64_t n;
	char text[32];

	if (pv_number_parse(pv_element_get(p->find(g->c, p->n), p->attr), &n))
		return false;
	if (n > 1 && with_value(g, p, "1"))
		return true;
	while (n > 3 && !is_over(g)) {
		n /= 2;
		snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
		if (!with_value(g, p, text))
			break;
		smaller = true;
	}
	return smaller;
}

/* Numbers that name something are no sizes. */
static bool is_size(const char *attr)
{
	static const char *const sizes[] = {"count", "ns", "us", "ms", "size", "counters", "functions", "seed", "held"};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (!strcmp(attr, sizes[i]))
			return true;
	return false;
}

static bool is_needed(const struct pv_element_decl *decl, const char *attr)
{
	static const char *const expectations[] = {"expect", "equals", "min", "max", "set", "min-value", "records-min"};
	const struct pv_attr_decl *a = decl ? pv_schema_attr(decl, attr) : NULL;

	for (size_t i = 0; i < ARRAY_SIZE(expectations); i++)
		if (!strcmp(attr, expectations[i]))
			return true;
	return a && a->required;
}

/* The attributes of an element without one of them. */
struct rest {
	json_object *x;
	const char *attr;
};

static bool is_in_rest(const void *ctx, const char *attr)
{
	const struct rest *r = ctx;

	return strcmp(attr, r->attr) != 0 && pv_element_get(r->x, attr);
}

/* Whether a step without this attribute is none: a counter has an event or a config word. */
static bool is_ruled(json_object *x, const struct pv_element_decl *decl, const char *attr)
{
	const struct rest r = {x, attr};
	char why[256];

	for (const struct pv_rule_decl *rule = decl ? decl->rules : NULL; rule && rule->rule; rule++)
		if (!pv_rule_holds(rule, is_in_rest, &r, why, sizeof(why)))
			return true;
	return false;
}

static bool shrink_attr(struct shrinking *g, const struct place *p, const struct pv_element_decl *decl)
{
	bool needed = is_needed(decl, p->attr) || is_ruled(p->find(g->c, p->n), decl, p->attr);

	if (!needed && with_value(g, p, NULL))
		return true;
	const char *value = pv_element_get(p->find(g->c, p->n), p->attr);
	return value && is_size(p->attr) && is_number(value) && shrink_number(g, p);
}

enum { ATTRS_MAX = 64 };

/* Names of the attributes of an element: the element itself may be replaced meanwhile. */
static size_t names_of(json_object *x, char names[ATTRS_MAX][32])
{
	size_t n = 0;

	json_object_object_foreach(json_object_object_get(x, "attrs"), name, value)
	{
		(void)value;
		if (n < ATTRS_MAX)
			snprintf(names[n++], 32, "%s", name);
	}
	return n;
}

static bool shrink_attrs(struct shrinking *g, json_object *(*find)(json_object *, size_t), size_t n,
			 const struct pv_element_decl *decl)
{
	char names[ATTRS_MAX][32];
	size_t attrs = names_of(find(g->c, n), names);
	bool smaller = false;

	for (size_t i = 0; i < attrs && !is_over(g); i++) {
		const struct place p = {find, n, names[i]};

		if (find(g->c, n) && pv_element_get(find(g->c, n), names[i]))
			smaller |= shrink_attr(g, &p, decl);
	}
	return smaller;
}

static json_object *find_step(json_object *c, size_t n)
{
	return json_object_array_get_idx(steps_of(c), n);
}

static bool shrink_step_attrs(struct shrinking *g)
{
	bool smaller = false;

	for (size_t i = 0; i < json_object_array_length(steps_of(g->c)) && !is_over(g); i++)
		smaller |= shrink_attrs(g, find_step, i, pv_schema_step(pv_element_kind(find_step(g->c, i))));
	return smaller;
}

/* ---- the machine ---- */

/* Element number n below x, in the order of the document; *n is what is left to count. With `parent`, its parent. */
static json_object *nth_below(json_object *x, size_t *n, json_object **parent, size_t *at)
{
	json_object *children = json_object_object_get(x, "children"), *found = NULL;

	for (size_t i = 0; children && i < json_object_array_length(children) && !found; i++) {
		json_object *child = json_object_array_get_idx(children, i);

		if (!(*n)--) {
			*parent = x;
			*at = i;
			return child;
		}
		found = nth_below(child, n, parent, at);
	}
	return found;
}

static json_object *find_function(json_object *c, size_t n)
{
	json_object *topology = json_object_object_get(c, "topology"), *parent;
	size_t at;

	return n ? (n--, nth_below(topology, &n, &parent, &at)) : topology;
}

static bool without_function(struct shrinking *g, size_t n)
{
	json_object *candidate = copy_of(g->c), *parent;
	size_t at;

	if (nth_below(json_object_object_get(candidate, "topology"), &n, &parent, &at)) {
		json_object *children = json_object_object_get(parent, "children");

		json_object_array_del_idx(children, at, 1);
		if (!json_object_array_length(children))
			json_object_object_del(parent, "children");
	}
	return try_candidate(g, candidate);
}

static bool shrink_machine(struct shrinking *g)
{
	bool smaller = false;

	for (size_t n = 0; find_function(g->c, n + 1) && !is_over(g);) {
		if (without_function(g, n))
			smaller = true;
		else
			n++;
	}
	for (size_t n = 0; find_function(g->c, n) && !is_over(g); n++) {
		json_object *x = find_function(g->c, n);
		const struct pv_element_decl *decl = pv_schema_element(&pv_plan_schema, NULL, pv_element_kind(x));

		smaller |= shrink_attrs(g, find_function, n, decl);
	}
	return smaller;
}

/* ---- all of it ---- */

int pv_explore_shrink(json_object **c, struct pv_explore_shrinking *s, struct pv_error *e)
{
	struct shrinking g = {.s = s, .c = *c, .e = e};
	bool smaller = true;

	s->tries = s->tries ? s->tries : TRIES_DEFAULT;
	pv_explore_signature(&s->v, s->signature);
	for (unsigned round = 0; smaller && round < ROUNDS_MAX && !is_over(&g); round++) {
		smaller = shrink_steps(&g);
		smaller |= shrink_machine(&g);
		smaller |= shrink_step_attrs(&g);
	}
	*c = g.c;
	return g.err;
}
