/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results made by hand, for the writers. */
#ifndef PV_REPORTS_TESTS_RESULT_FIXTURE_H
#define PV_REPORTS_TESTS_RESULT_FIXTURE_H

#include "reports/result.h"

/* A run without cases: target model, board embedded, driver reference, host lab1, seed 7, 2026-03-01 12:00 UTC. */
struct pv_run_result *result_new(void);
/* Adds a case; what it returns is valid until the next is added. */
struct pv_case_result *result_add(struct pv_run_result *r, const char *plan, const char *name, enum pv_verdict v);
void result_say(struct pv_case_result *c, const char *type, const char *message, const char *text);
char **result_strings(const char *a, const char *b);

/*
 * A run in which no two counts are equal, counted. Of two plans, "one" has 4 passes, 1 failure, 2 errors and 3 skips,
 * "two" ten times as many; of the passes of "two" 7 are flaky.
 */
struct pv_run_result *result_counted(void);

/* A pass of plan "tune", a crash of "trace", and a failure of "tune" that has a log and requirements. */
struct pv_run_result *result_bad(void);

/* Of plan "zeta" 12 cases, one of which fails; of "alpha" three skips, a known failure and an unexpected pass. */
struct pv_run_result *result_mixed(void);

#endif
