/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often each case of a repeated run ran. */
#include "reports/repeats.h"

#include <stdlib.h>
#include <string.h>

static bool is_repeated(const struct pv_run_result *run)
{
	for (size_t i = 0; i < run->n_cases; i++)
		if (run->cases[i].round)
			return true;
	return false;
}

/* Cases that never ran, as the run ended before, did not run. */
static bool has_run(const struct pv_case_result *c)
{
	bool unrun = c->type && ((c->verdict == PV_ERROR && !strcmp(c->type, "not-run")) ||
				 (c->verdict == PV_SKIP && !strcmp(c->type, "fail-fast")));

	return c->round && !unrun;
}

static void add(struct pv_repeats *r, const struct pv_case_result *c, size_t index)
{
	char *key;

	if (!has_run(c))
		return;
	if (asprintf(&key, "%s/%s", c->plan, c->name) < 0) {
		r->groups.failed = true;
		return;
	}
	r->keys[r->n_keys++] = key;
	pv_groups_add(&r->groups, key, index);
}

void pv_repeats_make(struct pv_repeats *r, const struct pv_run_result *run)
{
	if (!is_repeated(run))
		return;
	r->keys = calloc(run->n_cases + 1, sizeof(*r->keys));
	r->groups.failed = !r->keys;
	for (size_t i = 0; i < run->n_cases && !r->groups.failed; i++)
		add(r, &run->cases[i], i);
	pv_groups_make(&r->groups, run, PV_GROUPS_BY_FIRST);
	for (size_t i = 0; i < r->groups.n; i++) {
		size_t n = r->groups.groups[i].n;

		r->least = !i || n < r->least ? n : r->least;
		r->most = n > r->most ? n : r->most;
	}
}

void pv_repeats_free(struct pv_repeats *r)
{
	pv_groups_free(&r->groups);
	for (size_t i = 0; i < r->n_keys; i++)
		free(r->keys[i]);
	free(r->keys);
}

bool pv_repeats_agree(const struct pv_group *g)
{
	for (int v = 0; v < PV_VERDICTS; v++)
		if (g->count[v] == g->n)
			return true;
	return false;
}
