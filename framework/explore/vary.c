/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scripts from cases of the corpus. */
#include "framework/explore/vary.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* Attributes with a name that a step of the case gives, such as c12. */
static const char *const names[] = {"id", "group", "since"};

/* Returns the number behind the letter of a name; -1: it is no such name. */
static long number_of(const char *name)
{
	char *end = NULL;
	long n = name && isalpha((unsigned char)*name) && isdigit((unsigned char)name[1]) ? strtol(name + 1, &end, 10)
											  : -1;

	return end && !*end && n < 1000000 ? n : -1;
}

static void rename_by(json_object *x, unsigned more)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *name = pv_element_get(x, names[i]);
		long n = number_of(name);

		if (n >= 0)
			pv_element_set(x, names[i], "%c%ld", *name, n + (long)more);
	}
}

/* Names that are drawn from now on are others. */
static void note_names(struct pv_drawing *g, json_object *x)
{
	long n = number_of(pv_element_get(x, "id"));

	if (n >= 0 && (unsigned)n >= g->names)
		g->names = (unsigned)n + 1;
}

static unsigned names_of(json_object *steps)
{
	unsigned n = 0;

	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		long number = number_of(pv_element_get(json_object_array_get_idx(steps, i), "id"));

		if (number >= 0 && (unsigned)number >= n)
			n = (unsigned)number + 1;
	}
	return n;
}

/* ---- scripts ---- */

static json_object *steps_of(const struct pv_corpus_entry *x)
{
	return json_object_object_get(x->c, "steps");
}

/* Appends copies of steps [first, end), with other names. */
static void copy_steps(json_object *to, json_object *from, size_t first, size_t end, unsigned more)
{
	size_t n = json_object_array_length(from);

	for (size_t i = first; i < end && i < n; i++) {
		json_object *copy = NULL;

		json_object_deep_copy(json_object_array_get_idx(from, i), &copy, NULL);
		rename_by(copy, more);
		pv_json_append(to, copy);
	}
}

/* A part of a list, not empty unless the list is. */
struct part {
	size_t first, end;
};
static struct part draw_part(struct pv_drawing *g, size_t n)
{
	struct part p = {.first = n ? pv_draw_below(&g->d, (unsigned)n) : 0};
	size_t most = n - p.first < 8 ? n - p.first : 8;

	p.end = p.first + (most ? pv_draw_range(&g->d, 1, (unsigned)most) : 0);
	return p;
}

static void without_part(struct pv_drawing *g)
{
	struct part p = draw_part(g, json_object_array_length(g->script));

	json_object_array_del_idx(g->script, p.first, p.end - p.first);
}

/* The copy follows what it is a copy of. */
static void repeat_part(struct pv_drawing *g)
{
	json_object *old = g->script;
	size_t n = json_object_array_length(old);
	struct part p = draw_part(g, n);
	unsigned more = pv_draw_chance(&g->d, 50) ? names_of(old) : 0;

	g->script = json_object_new_array();
	copy_steps(g->script, old, 0, p.end, 0);
	copy_steps(g->script, old, p.first, p.end, more);
	copy_steps(g->script, old, p.end, n, 0);
	json_object_put(old);
}

/* A step of this kind of some case; NULL: the first that was looked at has none. */
static json_object *similar_step(struct pv_drawing *g, const struct pv_corpus_entry *x, const char *kind)
{
	json_object *steps = steps_of(x), *found = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		json_object *step = json_object_array_get_idx(steps, i);

		if (!strcmp(pv_element_kind(step), kind) && !pv_draw_below(&g->d, ++n))
			found = step;
	}
	return found;
}

static bool is_a_name(const char *attr)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], attr))
			return true;
	return false;
}

/* All but names: attributes depend on each other, so they are not mixed. */
static void forget_arguments(json_object *x)
{
	json_object *old = json_object_get(json_object_object_get(x, "attrs"));

	pv_json_add(x, "attrs", json_object_new_object());
	json_object_object_foreach(old, attr, value)
	{
		if (is_a_name(attr))
			pv_element_set(x, attr, "%s", json_object_get_string(value));
	}
	json_object_put(old);
}

/* Gives a step values that a step of another case has: all of them, or some of those that both have. */
static void take_arguments(struct pv_drawing *g, const struct pv_corpus_entry *other)
{
	size_t n = json_object_array_length(g->script);
	json_object *x = n ? json_object_array_get_idx(g->script, pv_draw_below(&g->d, (unsigned)n)) : NULL;
	json_object *from = x ? similar_step(g, other, pv_element_kind(x)) : NULL;
	bool all = pv_draw_chance(&g->d, 40);

	if (!from)
		return;
	if (all)
		forget_arguments(x);
	json_object_object_foreach(json_object_object_get(from, "attrs"), attr, value)
	{
		if (!is_a_name(attr) && (all || (pv_element_get(x, attr) && pv_draw_chance(&g->d, 50))))
			pv_element_set(x, attr, "%s", json_object_get_string(value));
	}
}

/* ---- which cases ---- */

static bool fits(const struct pv_drawing *g, const struct pv_corpus_entry *x, unsigned subjects)
{
	return x->model == g->model && !(x->subjects & ~subjects);
}

/* Half of the time one of the newest: what they reached is the least explored. */
static const struct pv_corpus_entry *draw_entry(struct pv_drawing *g, const struct pv_corpus *k, size_t n,
						unsigned subjects)
{
	size_t first = pv_draw_chance(&g->d, 50) ? n - (n + 3) / 4 : 0;
	size_t at = pv_draw_below(&g->d, (unsigned)(n - first));

	for (size_t i = 0; i < n; i++) {
		const struct pv_corpus_entry *x = &k->entry[(first + at + i) % n];

		if (fits(g, x, subjects))
			return x;
	}
	return NULL;
}

/* Appends a part of another case: its end, or any part. Its own boot is left out. */
static void splice(struct pv_drawing *g, const struct pv_corpus_entry *other)
{
	json_object *steps = steps_of(other);
	size_t n = json_object_array_length(steps), keep = json_object_array_length(g->script);
	size_t first = n ? pv_draw_below(&g->d, (unsigned)(n + 1) / 2) : 0;
	unsigned more = names_of(g->script);

	if (keep > 2) {
		keep = pv_draw_range(&g->d, (unsigned)keep / 2, (unsigned)keep);
		json_object_array_del_idx(g->script, keep, json_object_array_length(g->script) - keep);
	}
	copy_steps(g->script, steps, first ? first : 1, n, more);
	g->subjects |= other->subjects;
}

static void change(struct pv_drawing *g, const struct pv_corpus_entry *other)
{
	size_t n = json_object_array_length(g->script);

	switch (pv_draw_below(&g->d, 6)) {
	case 0:
		without_part(g);
		break;
	case 1:
		repeat_part(g);
		break;
	case 2:
		splice(g, other);
		break;
	case 3: { /* only its beginning */
		size_t keep = pv_draw_range(&g->d, (unsigned)n / 2, (unsigned)n);

		json_object_array_del_idx(g->script, keep, n - keep);
		break;
	}
	default:
		for (unsigned i = pv_draw_range(&g->d, 1, 4); i; i--)
			take_arguments(g, other);
	}
}

bool pv_vary(struct pv_drawing *g, const struct pv_corpus *k, uint64_t index, unsigned subjects)
{
	size_t n = pv_corpus_bases(k, index);
	const struct pv_corpus_entry *x = n ? draw_entry(g, k, n, subjects) : NULL;
	const struct pv_corpus_entry *other = x ? draw_entry(g, k, n, subjects) : NULL;

	if (!x)
		return false;
	g->base = x->c;
	g->subjects = x->subjects;
	g->script = json_object_new_array();
	copy_steps(g->script, steps_of(x), 0, SIZE_MAX, 0);
	for (unsigned i = pv_draw_range(&g->d, 1, 2); i; i--)
		change(g, other);
	return true;
}

/* ---- the rehearsal ---- */

static bool is_kind(json_object *x, const char *kind)
{
	return !strcmp(pv_element_kind(x), kind);
}

/* Checks that the end of a case adds, and those of events that mean nothing by now, are left out. */
static bool is_check_in_place(const struct pv_drawing *g, json_object *x)
{
	const char *id = pv_element_get(x, "id");

	if (is_kind(x, "check-measure") || is_kind(x, "check-aer"))
		return true;
	if (is_kind(x, "check-mps")) {
		size_t n = json_object_array_length(g->steps);

		return n && is_kind(json_object_array_get_idx(g->steps, n - 1), "boot");
	}
	if (!is_kind(x, "check-counter"))
		return false;
	for (const struct pv_counter *c = g->s->counters; c && id; c = c->next)
		if (!strcmp(c->id, id))
			return c->read && pv_draw_counter_is_judged(g, c);
	return false;
}

/* perf starts a member at once that is opened while its group runs. */
static bool joins_running_group(const struct pv_drawing *g, json_object *x)
{
	const char *group = pv_element_get(x, "group");

	for (const struct pv_counter *c = g->s->counters; c && group; c = c->next)
		if (!strcmp(c->id, group))
			return c->running;
	return false;
}

static bool starts_before_leader(const struct pv_drawing *g, json_object *x)
{
	const char *id = pv_element_get(x, "id");

	for (const struct pv_counter *c = g->s->counters; c && id; c = c->next)
		if (!strcmp(c->id, id))
			return pv_draw_waits_for_leader(c);
	return false;
}

static bool is_for_a_kernel(struct pv_drawing *g, json_object *x)
{
	if (is_kind(x, "hotplug"))
		return pv_draw_may_move(g, x);
	if (is_kind(x, "counter-start"))
		return !starts_before_leader(g, x);
	if (is_kind(x, "link-state"))
		return !pv_draw_had_link_state(g, pv_element_get(x, "port"));
	return !joins_running_group(g, x);
}

static bool is_in_place(struct pv_drawing *g, json_object *x)
{
	if (!strncmp(pv_element_kind(x), "check-", 6))
		return is_check_in_place(g, x);
	return g->model || is_for_a_kernel(g, x);
}

static void note(struct pv_drawing *g, json_object *x)
{
	note_names(g, x);
	if (is_kind(x, "suspend"))
		g->lost = g->names;
	if (is_kind(x, "hotplug"))
		g->moved = true;
}

bool pv_vary_next(struct pv_drawing *g)
{
	size_t n = g->script ? json_object_array_length(g->script) : 0;

	while (g->fed < n) {
		json_object *x = json_object_array_get_idx(g->script, g->fed++), *copy = NULL;

		if (!g->raw && !is_in_place(g, x))
			continue;
		json_object_deep_copy(x, &copy, NULL);
		note(g, copy);
		return pv_json_append(g->steps, copy);
	}
	if (g->script)
		g->wanted = (unsigned)json_object_array_length(g->steps) + g->tail;
	g->script = pv_json_put(g->script);
	return false;
}
