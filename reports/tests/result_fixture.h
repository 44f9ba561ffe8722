/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Synthetic results for tests of writers. */
#ifndef PV_REPORTS_TESTS_RESULT_FIXTURE_H
#define PV_REPORTS_TESTS_RESULT_FIXTURE_H

#include "reports/result.h"

/*
 * Returns a run without cases: target model, board embedded, driver reference, host lab1, seed 7, 2026-03-01 12:00 UTC.
 */
struct pv_run_result *result_new(void);
/* Makes this the only property of the run. */
void result_property(struct pv_run_result *r, const char *name, const char *value);
/* Adds a case. The result is valid until the next one is added. */
struct pv_case_result *result_add(struct pv_run_result *r, const char *plan, const char *name, enum pv_verdict v);
void result_say(struct pv_case_result *c, const char *type, const char *message, const char *text);
char **result_strings(const char *a, const char *b);
/* Adds an attempt that ended in an error, with two artefacts. */
void result_attempt(struct pv_case_result *c, const char *type, const char *message, const char *log, double seconds);

/*
 * Returns a run in which no two counts are equal, counted. Plan "one" has 4 passes, 1 failure, 2 errors and 3 skips,
 * plan "two" ten times as many; 7 of the passes of "two" are flaky.
 */
struct pv_run_result *result_counted(void);

/*
 * Returns a run with a pass of plan "tune", a crash of "trace", and a failure of "tune" that has a log and
 * requirements.
 */
struct pv_run_result *result_bad(void);

/*
 * Returns a run with 12 cases of plan "zeta", one of which fails, and of "alpha" three skips, a known failure and an
 * unexpected pass.
 */
struct pv_run_result *result_mixed(void);

#endif
