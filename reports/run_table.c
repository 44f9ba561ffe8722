/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts the cases of several runs side by side. */
#include "reports/run_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "reports/compare_internal.h"

const struct pv_row_look pv_row_looks[PV_ROW_KINDS] = {
#define X(name, title) {#name, title},
	PV_ROWS(X)
#undef X
};

/* ---- rows ---- */

/* The cases of each run in order, and the number of those that have a row. */
struct cursors {
	const struct pv_case_result **cases[PV_TABLE_RUNS];
	size_t at[PV_TABLE_RUNS];
};

static void cursors_free(struct cursors *c)
{
	for (size_t i = 0; i < PV_TABLE_RUNS; i++)
		free(c->cases[i]);
}

static bool sort_cases(struct cursors *c, const struct pv_run_table *t)
{
	for (size_t i = 0; i < t->n_runs; i++)
		if (!(c->cases[i] = pv_cases_sorted(t->runs[i])))
			return false;
	return true;
}

/* Returns the case of the next row; NULL: there is none. */
static const struct pv_case_result *first_of(const struct cursors *c, const struct pv_run_table *t)
{
	const struct pv_case_result *first = NULL;

	for (size_t i = 0; i < t->n_runs; i++) {
		const struct pv_case_result *next = c->at[i] < t->runs[i]->n_cases ? c->cases[i][c->at[i]] : NULL;

		if (next && (!first || pv_case_order(next, first) < 0))
			first = next;
	}
	return first;
}

/*
 * Takes the cells of the next row, and `compared`: another round of the case where a run lacks this one. Returns
 * false if there is no row. `cells` NULL: counts rows only.
 */
static bool next_row(struct cursors *c, const struct pv_run_table *t, const struct pv_case_result **cells,
		     const struct pv_case_result **compared)
{
	const struct pv_case_result *first = first_of(c, t);

	for (size_t i = 0; first && i < t->n_runs; i++) {
		const struct pv_case_result *next = c->at[i] < t->runs[i]->n_cases ? c->cases[i][c->at[i]] : NULL;
		bool here = next && !pv_case_order(next, first);

		if (cells) {
			cells[i] = here ? next : NULL;
			compared[i] = here ? next : pv_case_other_round(c->cases[i], c->at[i], first);
		}
		c->at[i] += here;
	}
	return first;
}

/* Returns the case of the first run that has it. */
static const struct pv_case_result *first_cell(const struct pv_run_table *t, const struct pv_table_row *row)
{
	size_t i = 0;

	while (i + 1 < t->n_runs && !row->cells[i])
		i++;
	return row->cells[i];
}

/* Slower cases are no difference: different machines are rarely equally fast. */
static enum pv_row_kind kind_of(const struct pv_run_table *t, const struct pv_case_result *const *cells)
{
	const struct pv_case_result *first = cells[t->first];
	enum pv_row_kind kind = PV_ROW_alike;

	for (size_t i = t->first + 1; i < t->n_runs; i++) {
		if (pv_run_table_lost(t, i))
			continue;
		if (!cells[i] != !first || (first && cells[i]->verdict != first->verdict))
			return PV_ROW_differ;
		_autofree_ char *other =
			first && first->verdict == PV_PASS ? pv_case_other_figures(first, cells[i]) : NULL;
		if (other)
			kind = PV_ROW_figures;
	}
	return kind;
}

/* Sorts rows by the first run that has the case. */
static int by_first_run(const void *a, const void *b)
{
	const struct pv_table_row *x = a, *y = b;
	size_t i = 0;

	while (!x->cells[i] && !y->cells[i])
		i++;
	if (!x->cells[i] || !y->cells[i])
		return x->cells[i] ? -1 : 1;
	return (x->cells[i] > y->cells[i]) - (x->cells[i] < y->cells[i]);
}

/* ---- texts of several runs ---- */

/* Takes the next text of those of all runs, and sets `runs` to those that have it, "b c". Returns NULL at the end. */
static const char *take_text(const struct pv_run_table *t, const char **texts, char runs[2 * PV_TABLE_RUNS])
{
	const char *text = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->n_runs; i++) {
		if (!texts[i] || (text && strcmp(texts[i], text)))
			continue;
		n += (size_t)sprintf(runs + n, "%s%c", n ? " " : "", (char)('a' + i));
		text = texts[i];
		texts[i] = NULL;
	}
	return text;
}

static void list_former_names(struct pv_run_table *t, const struct pv_table_row *row)
{
	const struct pv_case_result *shown = first_cell(t, row);
	const char *names[PV_TABLE_RUNS];
	struct pv_renamed r = {.plan = shown->plan, .after = shown->name};

	for (size_t i = 0; i < t->n_runs; i++)
		names[i] = row->cells[i] ? row->cells[i]->was : NULL;
	while ((r.before = take_text(t, names, r.runs)))
		t->renamed[t->n_renamed++] = r;
}

static int list_renamed(struct pv_run_table *t)
{
	t->renamed = calloc(t->n * t->n_runs + 1, sizeof(*t->renamed));
	for (size_t i = 0; t->renamed && i < t->n; i++)
		if (first_cell(t, &t->rows[i])->round <= 1)
			list_former_names(t, &t->rows[i]);
	return t->renamed ? 0 : -ENOMEM;
}

/* ---- the table ---- */

static int make_rows(struct pv_run_table *t)
{
	_cleanup_(cursors_free) struct cursors c = {0};

	if (!sort_cases(&c, t))
		return -ENOMEM;
	size_t n = 0;
	while (next_row(&c, t, NULL, NULL))
		n++;
	memset(c.at, 0, sizeof(c.at));
	t->rows = calloc(n + 1, sizeof(*t->rows));
	t->cells = calloc(2 * n * t->n_runs + 1, sizeof(*t->cells));
	if (!t->rows || !t->cells)
		return -ENOMEM;
	for (t->n = 0; t->n < n; t->n++) {
		struct pv_table_row *row = &t->rows[t->n];

		row->cells = t->cells + 2 * t->n * t->n_runs;
		row->compared = row->cells + t->n_runs;
		next_row(&c, t, row->cells, row->compared);
		row->kind = kind_of(t, row->compared);
		t->count[row->kind]++;
	}
	qsort(t->rows, t->n, sizeof(*t->rows), by_first_run);
	return 0;
}

int pv_run_table_make(const struct pv_run_result *const *runs, size_t n, double slower, struct pv_run_table *out)
{
	*out = (struct pv_run_table){.n_runs = n};
	memcpy(out->runs, runs, n * sizeof(*runs));
	while (out->first + 1 < n && pv_run_table_lost(out, out->first))
		out->first++;
	for (size_t i = 1; i < n; i++)
		if (pv_run_table_compares(out, i) &&
		    pv_compare(runs[out->first], runs[i], slower, &out->against_first[i]))
			return -ENOMEM;
	int err = make_rows(out);
	return err ? err : list_renamed(out);
}

void pv_run_table_free(struct pv_run_table *t)
{
	for (size_t i = 1; i < t->n_runs; i++)
		pv_comparison_free(&t->against_first[i]);
	free(t->rows);
	free(t->cells);
	free(t->renamed);
	*t = (struct pv_run_table){0};
}

/* ---- verdict ---- */

const char *pv_run_table_lost(const struct pv_run_table *t, size_t i)
{
	const struct pv_run_result *r = t->runs[i];

	if (r->n_cases)
		return NULL;
	return r->why ? r->why : "the run has no cases";
}

bool pv_run_table_incomplete(const struct pv_run_table *t)
{
	for (size_t i = 0; i < t->n_runs; i++)
		if (pv_run_table_lost(t, i))
			return true;
	return false;
}

bool pv_run_table_compares(const struct pv_run_table *t, size_t i)
{
	return i > t->first && !pv_run_table_lost(t, i);
}

bool pv_run_table_regressed(const struct pv_run_table *t)
{
	for (size_t i = 1; i < t->n_runs; i++)
		if (pv_run_table_compares(t, i) && pv_comparison_regressed(&t->against_first[i]))
			return true;
	return false;
}

bool pv_run_table_blind(const struct pv_run_table *t)
{
	for (size_t i = 1; i < t->n_runs; i++)
		if (pv_run_table_compares(t, i) && pv_comparison_blind(&t->against_first[i]))
			return true;
	return false;
}

const char *pv_run_table_word(const struct pv_run_table *t)
{
	if (pv_run_table_regressed(t))
		return "REGRESSION";
	if (pv_run_table_incomplete(t))
		return "INCOMPLETE";
	return pv_run_table_blind(t) ? "NOTHING TO COMPARE" : "NO REGRESSION";
}

/* ---- rows as text ---- */

char *pv_table_row_name(const struct pv_run_table *t, const struct pv_table_row *row)
{
	return pv_case_full_name(first_cell(t, row));
}

/* Returns the reason of a case; NULL: the case passed, does not exist, or has no reason. */
static const char *reason_of(const struct pv_case_result *c)
{
	return c && c->verdict != PV_PASS && c->message && *c->message ? pv_case_reason(c) : NULL;
}

void pv_table_row_reasons(const struct pv_run_table *t, const struct pv_table_row *row, pv_row_reason_fn fn, void *ctx)
{
	const char *reasons[PV_TABLE_RUNS], *reason;
	char runs[2 * PV_TABLE_RUNS];

	for (size_t i = 0; i < t->n_runs; i++)
		reasons[i] = reason_of(row->compared[i]);
	while ((reason = take_text(t, reasons, runs)))
		fn(ctx, runs, reason);
}
