/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups by sorting, so that a run of many cases takes no time to speak of: see groups.h. */
#include "reports/groups.h"

#include <stdlib.h>
#include <string.h>

void pv_groups_add(struct pv_groups *g, const char *key, size_t index)
{
	if (g->n_members == g->room) {
		size_t room = g->room ? 2 * g->room : 256;
		struct pv_member *more = reallocarray(g->members, room, sizeof(*more));

		if (!more) {
			g->failed = true;
			return;
		}
		g->members = more;
		g->room = room;
	}
	g->members[g->n_members++] = (struct pv_member){key, index};
}

static int by_number(size_t x, size_t y)
{
	return (x > y) - (x < y);
}

static int by_key_and_index(const void *a, const void *b)
{
	const struct pv_member *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : by_number(x->index, y->index);
}

static int by_first(const void *a, const void *b)
{
	const struct pv_group *x = a, *y = b;
	int order = by_number(x->members->index, y->members->index);

	return order ? order : strcmp(x->key, y->key);
}

static int by_key(const void *a, const void *b)
{
	const struct pv_group *x = a, *y = b;

	return strcmp(x->key, y->key);
}

static int by_size(const void *a, const void *b)
{
	const struct pv_group *x = a, *y = b;
	int order = by_number(y->n, x->n);

	return order ? order : by_first(a, b);
}

static void take(struct pv_group *group, const struct pv_case_result *c)
{
	group->n++;
	group->count[c->verdict]++;
	group->seconds += c->seconds;
}

void pv_groups_make(struct pv_groups *g, const struct pv_run_result *r, enum pv_group_order order)
{
	static int (*const orders[])(const void *, const void *) = {
		[PV_GROUPS_BY_FIRST] = by_first, [PV_GROUPS_BY_KEY] = by_key, [PV_GROUPS_BY_SIZE] = by_size};

	g->groups = g->failed ? NULL : calloc(g->n_members + 1, sizeof(*g->groups));
	if (!g->groups) {
		g->failed = true;
		return;
	}
	if (!g->n_members)
		return;
	qsort(g->members, g->n_members, sizeof(*g->members), by_key_and_index);
	for (size_t i = 0; i < g->n_members; i++) {
		const struct pv_member *m = &g->members[i];

		if (!i || strcmp(m->key, m[-1].key))
			g->groups[g->n++] = (struct pv_group){.key = m->key, .members = m};
		take(&g->groups[g->n - 1], &r->cases[m->index]);
	}
	qsort(g->groups, g->n, sizeof(*g->groups), orders[order]);
}

void pv_groups_free(struct pv_groups *g)
{
	free(g->members);
	free(g->groups);
	*g = (struct pv_groups){0};
}

enum pv_verdict pv_group_verdict(const struct pv_group *group)
{
	static const enum pv_verdict worst_first[] = {PV_FAIL, PV_ERROR, PV_PASS, PV_SKIP};

	for (size_t i = 0; i + 1 < sizeof(worst_first) / sizeof(*worst_first); i++)
		if (group->count[worst_first[i]])
			return worst_first[i];
	return PV_SKIP;
}
