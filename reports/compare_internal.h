/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by a comparison of two runs and a table of several: identity of cases, their figures, and renamed ones. */
#ifndef PV_REPORTS_COMPARE_INTERNAL_H
#define PV_REPORTS_COMPARE_INTERNAL_H

#include "reports/compare.h"

/* Compares plan, name and round, of which a case that is not repeated is the first; 0: the same case. */
int pv_case_order(const struct pv_case_result *x, const struct pv_case_result *y);
/* Returns the cases of a run in that order, and NULL; the caller frees the array. NULL: no memory. */
const struct pv_case_result **pv_cases_sorted(const struct pv_run_result *r);
/* Returns the round of `c` before `at`, its place in such a list, else the round there. NULL: the list has no round. */
const struct pv_case_result *pv_case_other_round(const struct pv_case_result *const *list, size_t at,
						 const struct pv_case_result *c);
/*
 * Returns the first figure that differs between two passes, else their number of checks, else their simulated time; the
 * caller frees it. NULL: none differs, or no memory.
 */
char *pv_case_other_figures(const struct pv_case_result *before, const struct pv_case_result *after);
/* Prints the first ten renamed cases, and how many there are. */
void pv_renamed_print(const struct pv_renamed *list, size_t n, FILE *out);

#endif
