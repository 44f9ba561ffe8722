/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requirement by requirement, how many cases verify it: as planned, or as runs have shown. */
#ifndef PV_RUN_COVERAGE_H
#define PV_RUN_COVERAGE_H

#include "framework/plan/plan.h"
#include "reports/result.h"

enum { PV_COVERAGE_COLUMNS = 8, PV_COVERAGE_REQUIREMENTS = 256 };

/* A target: its cases, or those of all runs on it. Requirements are numbered as in pv_requirements[]. */
struct pv_coverage_column {
	char title[16];
	unsigned cases[PV_COVERAGE_REQUIREMENTS], passed[PV_COVERAGE_REQUIREMENTS];
};

/* Begins zeroed. */
struct pv_coverage {
	struct pv_coverage_column columns[PV_COVERAGE_COLUMNS];
	size_t n;
	bool shown; /* results of runs */
};

/* Counts the cases of a target that would run, as passed. */
void pv_coverage_add_plans(struct pv_coverage *m, const struct pv_plans *plans, const char *target);
/* Counts the cases of a run. 0; -E2BIG: too many targets. */
int pv_coverage_add_run(struct pv_coverage *m, const struct pv_run_result *r);
/* Returns how many cases verify requirement `i`, on all targets. */
unsigned pv_coverage_verified(const struct pv_coverage *m, size_t i);

#endif
