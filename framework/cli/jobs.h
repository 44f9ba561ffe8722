/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From plans to the jobs of a run: what every command that runs cases needs. */
#ifndef PV_CLI_JOBS_H
#define PV_CLI_JOBS_H

#include "framework/cli/cli.h"
#include "framework/run/run.h"

/*
 * The cases of `plans` that are selected and that `wanted` (NULL: any) takes, in order. The caller frees the
 * list; what it points to belongs to the plans. NULL: no memory.
 */
struct pv_job *pv_cli_jobs(const struct pv_plans *plans, const struct pv_cli_selection *s,
			   bool (*wanted)(const struct pv_case *c), size_t *n);
/* For struct pv_run_options: the JSON of a case whose job is from pv_cli_jobs(). */
json_object *pv_cli_case_json(const struct pv_job *job);
/* Has some job a step that runs perf on the system under test? */
bool pv_cli_runs_perf(const struct pv_job *jobs, size_t n);
/* Prints a run that is not run: what it is on, then the cases in order; a list as --cases takes it. */
void pv_cli_print_jobs(const struct pv_run_options *opt, const struct pv_job *jobs, size_t n);
/* How many cases to run at a time, if nothing else is said: the processors that this process may use. */
unsigned pv_cli_processors(void);

#endif
