/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several runs side by side: a row for each case, a column for each run. Each run is also compared with the first one,
 * as in compare.h. A run without cases is lost: its column is an error, and makes no row differ.
 */
#ifndef PV_REPORTS_RUN_TABLE_H
#define PV_REPORTS_RUN_TABLE_H

#include "reports/compare.h"

enum { PV_TABLE_RUNS = PV_COMPARED_RUNS };

/* Degrees of agreement of the runs on a case: name in JSON, and in the totals. */
#define PV_ROWS(X)                              \
	X(differ, "differ")                     \
	X(figures, "passed with other figures") \
	X(alike, "alike")

enum pv_row_kind {
#define X(name, title) PV_ROW_##name,
	PV_ROWS(X)
#undef X
		PV_ROW_KINDS
};

extern const struct pv_row_look {
	const char *name, *title;
} pv_row_looks[PV_ROW_KINDS];

struct pv_table_row {
	enum pv_row_kind kind;
	const struct pv_case_result **cells;	/* one for each run; NULL: the run has no such case, or no such round */
	const struct pv_case_result **compared; /* cells, or another round of the case; NULL: the run has no round */
};

struct pv_run_table {
	const struct pv_run_result *runs[PV_TABLE_RUNS];
	struct pv_comparison against_first[PV_TABLE_RUNS]; /* of the runs after `first` that are not lost */
	size_t n_runs, first;				   /* first: the first run that is not lost */
	struct pv_table_row *rows; /* in the order of the first run, then of cases that only later runs have */
	size_t n, count[PV_ROW_KINDS];
	const struct pv_case_result **cells; /* storage of `cells` and `compared` of all rows */
	struct pv_renamed *renamed;	     /* in the order of the rows */
	size_t n_renamed;
};

/*
 * Makes the table of 2 to PV_TABLE_RUNS runs, which must outlive it; `slower` as in pv_compare(). 0 or -ENOMEM.
 * Initialise *out with {0}; pv_run_table_free() frees it, also after an error.
 */
int pv_run_table_make(const struct pv_run_result *const *runs, size_t n, double slower, struct pv_run_table *out);
void pv_run_table_free(struct pv_run_table *t);

/* Returns the reason why run i has no result; NULL: it has one. */
const char *pv_run_table_lost(const struct pv_run_table *t, size_t i);
/* Returns true if a run is lost. */
bool pv_run_table_incomplete(const struct pv_run_table *t);
/* Returns true if run i is compared with the first one. */
bool pv_run_table_compares(const struct pv_run_table *t, size_t i);
/* Returns true if a run regressed from the first. */
bool pv_run_table_regressed(const struct pv_run_table *t);
/* Returns true if a run and the first one have judged no case in common. */
bool pv_run_table_blind(const struct pv_run_table *t);
/* Returns "REGRESSION", "INCOMPLETE", "NO REGRESSION" or "NOTHING TO COMPARE". */
const char *pv_run_table_word(const struct pv_run_table *t);

/* Returns the name of a case of the row, "plan/case"; the caller frees it. NULL: no memory. */
char *pv_table_row_name(const struct pv_run_table *t, const struct pv_table_row *row);
/* Calls fn for each reason in a row, once for all runs with the same reason: `runs` is "b c". */
typedef void (*pv_row_reason_fn)(void *ctx, const char *runs, const char *reason);
void pv_table_row_reasons(const struct pv_run_table *t, const struct pv_table_row *row, pv_row_reason_fn fn, void *ctx);

/*
 * Writers. They leave out rows on which the runs agree, unless `all`; the totals count them. Text fits `columns`, at
 * least 80.
 */
void pv_run_table_print(const struct pv_run_table *t, bool all, bool colour, unsigned columns, FILE *out);
int pv_run_table_write_json(const struct pv_run_table *t, bool all, const char *path, struct pv_error *e);
int pv_run_table_write_html(const struct pv_run_table *t, bool all, const char *path, struct pv_error *e);

#endif
