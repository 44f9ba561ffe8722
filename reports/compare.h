/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares two runs case by case. Cases are matched by plan, name and round, a round that one run lacks with the last
 * round there; pv_run_rename_as() must have renamed those that have another name in the other run. A regression is a
 * new failure or error, or a case that passed and is now missing or not run. A case is not missing in a rerun of some
 * cases of the earlier run.
 */
#ifndef PV_REPORTS_COMPARE_H
#define PV_REPORTS_COMPARE_H

#include "reports/result.h"

enum { PV_COMPARED_RUNS = 26 }; /* a to z */

/* The kinds of changes, in the order of the reports: name in JSON, title, and whether the kind is a regression. */
#define PV_CHANGES(X)                                        \
	X(new_failures, "New failures and errors", true)     \
	X(gone, "Passed before, and gone", true)             \
	X(not_run, "Passed before, and not run", true)       \
	X(still_bad, "Failures and errors as before", false) \
	X(fixed, "Fixed", false)                             \
	X(removed, "Gone, and did not pass before", false)   \
	X(added, "New cases", false)                         \
	X(slower, "Slower", false)                           \
	X(different, "Passed, with other figures", false)    \
	X(not_again, "Not run again", false)

enum pv_change_kind {
#define X(name, title, regression) PV_CHANGE_##name,
	PV_CHANGES(X)
#undef X
		PV_CHANGE_KINDS
};

extern const struct pv_change_look {
	const char *name, *title;
	bool regression;
} pv_change_looks[PV_CHANGE_KINDS];

struct pv_change {
	enum pv_change_kind kind;
	const struct pv_case_result *before, *after; /* NULL: the run lacks the case */
	char *text;				     /* the difference, in one line; NULL: the verdicts show it */
};

/* A case that has another name in another run, once for all of its rounds. */
struct pv_renamed {
	const char *plan, *before, *after;
	char runs[2 * PV_COMPARED_RUNS]; /* "a b": the runs of a table that have the name `before`; "": one of two */
};

struct pv_comparison {
	const struct pv_run_result *before, *after;
	struct pv_change *changes; /* by kind, then in the order of the runs */
	size_t n, count[PV_CHANGE_KINDS];
	size_t judged; /* number of cases that both runs have judged */
	bool is_rerun; /* `after` is `run --rerun` of `before` */
	struct pv_renamed *renamed;
	size_t n_renamed;
};

/*
 * Compares two runs. `slower`: a case is slower if it took more than this many times as long, and at least 0.1 s
 * longer. 0 or -ENOMEM. Initialise *out with {0}; pv_comparison_free() frees it, also after an error, but not the runs.
 */
int pv_compare(const struct pv_run_result *before, const struct pv_run_result *after, double slower,
	       struct pv_comparison *out);
/* Returns the number of the round of a case: 1 if it is not repeated. */
unsigned pv_case_round(const struct pv_case_result *c);
void pv_comparison_free(struct pv_comparison *c);
bool pv_comparison_regressed(const struct pv_comparison *c);
/*
 * Returns true if no case was judged in both runs: each was skipped, an error or absent in one of them. Then "no
 * regression" proves nothing.
 */
bool pv_comparison_blind(const struct pv_comparison *c);
/* Returns "REGRESSION", "NO REGRESSION" or "NOTHING TO COMPARE". */
const char *pv_comparison_word(const struct pv_comparison *c);

/*
 * Calls fn for each fact that differs between the machines' environments, as it may explain a change. Calls it for none
 * without a change, or if a run has no environment. NULL: the fact is unknown in that run.
 */
typedef void (*pv_fact_fn)(void *ctx, const char *name, const char *before, const char *after);
void pv_comparison_facts(const struct pv_comparison *c, pv_fact_fn fn, void *ctx);

void pv_comparison_print(const struct pv_comparison *c, bool colour, FILE *out);
int pv_comparison_write_json(const struct pv_comparison *c, const char *path, struct pv_error *e);
int pv_comparison_write_html(const struct pv_comparison *c, const char *path, struct pv_error *e);

#endif
