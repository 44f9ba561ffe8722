/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the differences between two runs. */
#include "reports/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "framework/util/cleanup.h"
#include "reports/compare_internal.h"

#define LEAST_SECONDS 0.1 /* minimum slowdown in seconds: smaller ones are noise */

const struct pv_change_look pv_change_looks[PV_CHANGE_KINDS] = {
#define X(name, title, regression) {#name, title, regression},
	PV_CHANGES(X)
#undef X
};

/* ---- cases of both runs ---- */

static int name_order(const struct pv_case_result *x, const struct pv_case_result *y)
{
	int order = strcmp(x->plan, y->plan);

	return order ? order : strcmp(x->name, y->name);
}

unsigned pv_case_round(const struct pv_case_result *c)
{
	return c->round ? c->round : 1;
}

int pv_case_order(const struct pv_case_result *x, const struct pv_case_result *y)
{
	int order = name_order(x, y);

	return order ? order : (pv_case_round(x) > pv_case_round(y)) - (pv_case_round(x) < pv_case_round(y));
}

const struct pv_case_result *pv_case_other_round(const struct pv_case_result *const *list, size_t at,
						 const struct pv_case_result *c)
{
	if (at && !name_order(list[at - 1], c))
		return list[at - 1];
	return list[at] && !name_order(list[at], c) ? list[at] : NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct pv_case_result *x = *(const struct pv_case_result *const *)a;
	const struct pv_case_result *y = *(const struct pv_case_result *const *)b;
	int order = pv_case_order(x, y);

	return order ? order : (x > y) - (x < y);
}

const struct pv_case_result **pv_cases_sorted(const struct pv_run_result *r)
{
	const struct pv_case_result **list = calloc(r->n_cases + 1, sizeof(*list));

	for (size_t i = 0; list && i < r->n_cases; i++)
		list[i] = &r->cases[i];
	if (list)
		qsort(list, r->n_cases, sizeof(*list), by_name);
	return list;
}

/* ---- differences of a case ---- */

static bool is_bad(const struct pv_case_result *c)
{
	return c->verdict == PV_FAIL || c->verdict == PV_ERROR;
}

/*
 * Returns true if the failure or error `after` is nothing new: an error has not shown that the system failed before,
 * nor has a case that never ran shown anything.
 */
static bool was_as_bad(const struct pv_case_result *before, const struct pv_case_result *after)
{
	if (before->verdict == PV_ERROR && after->verdict == PV_ERROR)
		return pv_case_is_bad(before) || !pv_case_is_bad(after);
	return before->verdict == PV_FAIL;
}

/* Returns both values of a number of a case as text. NULL: they are equal, or no memory. */
static char *differ(const char *what, int64_t before, int64_t after, const char *unit)
{
	char *text;

	if (before == after ||
	    asprintf(&text, "%s: %lld%s before, %lld%s now", what, (long long)before, unit, (long long)after, unit) < 0)
		return NULL;
	return text;
}

/* Figures that one of the cases lacks do not differ. */
char *pv_case_other_figures(const struct pv_case_result *before, const struct pv_case_result *after)
{
	char **b = before->figures, **a = after->figures, *text = NULL;

	for (size_t i = 0; b && a && b[i] && a[i]; i++)
		if (strcmp(b[i], a[i]))
			return asprintf(&text, "%s; before: %s", a[i], b[i]) < 0 ? NULL : text;
	if (!before->checks || !after->checks)
		return NULL;
	text = differ("checks", before->checks, after->checks, "");
	return text ? text : differ("simulated time", before->sim_ns, after->sim_ns, " ns");
}

static char *times(const struct pv_case_result *before, const struct pv_case_result *after)
{
	char was[32], is[32], *text;

	return asprintf(&text, "%s s before, %s s now", pv_seconds_text(before->seconds, was),
			pv_seconds_text(after->seconds, is)) < 0
		       ? NULL
		       : text;
}

static bool is_slower(const struct pv_case_result *before, const struct pv_case_result *after, double factor)
{
	return after->seconds > before->seconds * factor && after->seconds - before->seconds >= LEAST_SECONDS;
}

/* ---- the list ---- */

/* Adds a change. There is room, as a case has at most two changes. */
static void add(struct pv_comparison *c, enum pv_change_kind kind, const struct pv_case_result *before,
		const struct pv_case_result *after, char *text)
{
	c->changes[c->n++] = (struct pv_change){kind, before, after, text};
	c->count[kind]++;
}

static void compare_passes(struct pv_comparison *c, const struct pv_case_result *before,
			   const struct pv_case_result *after, double slower)
{
	char *text = pv_case_other_figures(before, after);

	if (text)
		add(c, PV_CHANGE_different, before, after, text);
	if (is_slower(before, after, slower))
		add(c, PV_CHANGE_slower, before, after, times(before, after));
}

static void compare_case(struct pv_comparison *c, const struct pv_case_result *before,
			 const struct pv_case_result *after, double slower)
{
	c->judged += before && after && pv_case_is_judged(before) && pv_case_is_judged(after);
	if (!after && c->is_rerun)
		add(c, PV_CHANGE_not_again, before, after, NULL);
	else if (!after)
		add(c, before->verdict == PV_PASS ? PV_CHANGE_gone : PV_CHANGE_removed, before, after, NULL);
	else if (is_bad(after))
		add(c, before && was_as_bad(before, after) ? PV_CHANGE_still_bad : PV_CHANGE_new_failures, before,
		    after, NULL);
	else if (!before)
		add(c, PV_CHANGE_added, before, after, NULL);
	else if (after->verdict == PV_SKIP && before->verdict == PV_PASS)
		add(c, PV_CHANGE_not_run, before, after, NULL);
	else if (after->verdict == PV_PASS && pv_case_is_bad(before))
		add(c, PV_CHANGE_fixed, before, after, NULL);
	else if (after->verdict == PV_PASS && before->verdict == PV_PASS)
		compare_passes(c, before, after, slower);
}

/* Sorts by kind, then in the order of the later run; missing cases in the order of the first run. */
static int by_kind(const void *a, const void *b)
{
	const struct pv_change *x = a, *y = b;
	const struct pv_case_result *left = x->after ? x->after : x->before, *right = y->after ? y->after : y->before;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (left > right) - (left < right);
}

/*
 * Compares round `at` of the earlier run, which the later one lacks, with another round there; NULL: the case is gone.
 * Fewer rounds are no loss as long as the case runs. If it does not, one of the passed rounds before tells it.
 */
static void compare_missing(struct pv_comparison *c, const struct pv_case_result *const *before, size_t at,
			    const struct pv_case_result *other, double slower)
{
	bool told = at && !name_order(before[at - 1], before[at]) && before[at - 1]->verdict == PV_PASS;

	if (!other || (other->verdict == PV_SKIP && !told))
		compare_case(c, before[at], other, slower);
}

/* A round that one run lacks is compared with another round of the case: the runs may repeat it differently often. */
static void merge(struct pv_comparison *c, const struct pv_case_result **before, const struct pv_case_result **after,
		  double slower)
{
	size_t b = 0, a = 0, n_before = c->before->n_cases, n_after = c->after->n_cases;

	while (b < n_before || a < n_after) {
		int order = b == n_before ? 1 : a == n_after ? -1 : pv_case_order(before[b], after[a]);

		if (order > 0)
			compare_case(c, pv_case_other_round(before, b, after[a]), after[a], slower);
		else if (order)
			compare_missing(c, before, b, pv_case_other_round(after, a, before[b]), slower);
		else
			compare_case(c, before[b], after[a], slower);
		b += order <= 0;
		a += order >= 0;
	}
}

static void list_renamed(struct pv_comparison *c, const struct pv_run_result *r)
{
	for (size_t i = 0; i < r->n_cases; i++) {
		const struct pv_case_result *k = &r->cases[i];

		if (k->was && k->round <= 1)
			c->renamed[c->n_renamed++] = (struct pv_renamed){k->plan, r == c->before ? k->was : k->name,
									 r == c->before ? k->name : k->was, ""};
	}
}

/* Returns true if both name one folder; an earlier run may have moved since. */
static bool is_one_folder(const char *a, const char *b)
{
	struct stat x, y;

	if (!a || !b)
		return false;
	return !strcmp(a, b) || (!stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

int pv_compare(const struct pv_run_result *before, const struct pv_run_result *after, double slower,
	       struct pv_comparison *out)
{
	_autofree_ const struct pv_case_result **b = pv_cases_sorted(before), **a = pv_cases_sorted(after);

	*out = (struct pv_comparison){.before = before,
				      .after = after,
				      .is_rerun = is_one_folder(pv_run_property(after, "rerun_of"), before->folder)};
	out->changes = calloc(2 * (before->n_cases + after->n_cases) + 1, sizeof(*out->changes));
	out->renamed = calloc(before->n_cases + after->n_cases + 1, sizeof(*out->renamed));
	if (!b || !a || !out->changes || !out->renamed)
		return -ENOMEM;
	list_renamed(out, before);
	list_renamed(out, after);
	merge(out, b, a, slower);
	qsort(out->changes, out->n, sizeof(*out->changes), by_kind);
	return 0;
}

void pv_comparison_facts(const struct pv_comparison *c, pv_fact_fn fn, void *ctx)
{
	if (!c->n || !c->before->environment || !c->after->environment)
		return;
	for (char **p = c->before->environment; p[0] && p[1]; p += 2) {
		const char *now = pv_run_fact(c->after, p[0]);

		if (!now || strcmp(now, p[1]))
			fn(ctx, p[0], p[1], now);
	}
	for (char **p = c->after->environment; p[0] && p[1]; p += 2)
		if (!pv_run_fact(c->before, p[0]))
			fn(ctx, p[0], NULL, p[1]);
}

void pv_comparison_free(struct pv_comparison *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->changes[i].text);
	free(c->changes);
	free(c->renamed);
	*c = (struct pv_comparison){0};
}

bool pv_comparison_regressed(const struct pv_comparison *c)
{
	for (int k = 0; k < PV_CHANGE_KINDS; k++)
		if (pv_change_looks[k].regression && c->count[k])
			return true;
	return false;
}

bool pv_comparison_blind(const struct pv_comparison *c)
{
	return !c->judged;
}

const char *pv_comparison_word(const struct pv_comparison *c)
{
	if (pv_comparison_regressed(c))
		return "REGRESSION";
	return pv_comparison_blind(c) ? "NOTHING TO COMPARE" : "NO REGRESSION";
}
