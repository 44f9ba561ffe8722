/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases that have another name now than in an earlier run. */
#ifndef PV_REPORTS_RENAMED_H
#define PV_REPORTS_RENAMED_H

#include "reports/result.h"

/* The names of a case: now, which may end in "@ROLE=BDF", and before. */
struct pv_case_names {
	const char *plan, *name;
	const char *const *formerly; /* NULL-terminated; NULL: none */
};

/*
 * Gives the cases of `r` the names that they have now, and keeps the old ones in `was`. A case that ran on one of
 * several functions keeps that part of its name. A case keeps its name if another one of the run has the new name.
 * Returns the number of cases that it has renamed, or -ENOMEM.
 */
int pv_run_rename(struct pv_run_result *r, const struct pv_case_names *now, size_t n);
/* The same with the names of a later run. */
int pv_run_rename_as(struct pv_run_result *r, const struct pv_run_result *later);
/*
 * Gives the cases of each run the names that they have in the others, in any order of the runs, and also where only the
 * names of a third run lead from one to the other. 0 or -ENOMEM.
 */
int pv_run_rename_all(struct pv_run_result *const *list, size_t n);

#endif
