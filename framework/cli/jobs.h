/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the jobs of a run from plans; shared by all commands that run cases. */
#ifndef PV_CLI_JOBS_H
#define PV_CLI_JOBS_H

#include "framework/cli/cli.h"
#include "framework/run/run.h"

/*
 * Returns the selected cases of `plans` that `wanted` (NULL: any) accepts, in order. The caller frees the list; the
 * plans own what it points to. NULL: no memory.
 */
struct pv_job *pv_cli_jobs(const struct pv_plans *plans, const struct pv_cli_selection *s,
			   bool (*wanted)(const struct pv_case *c), size_t *n);
/* For struct pv_run_options: the JSON of a case whose job is from pv_cli_jobs(). */
json_object *pv_cli_case_json(const struct pv_job *job);
/* Prints a dry run: the target, then the cases in order, as a list for --cases. */
void pv_cli_print_jobs(const struct pv_run_options *opt, const struct pv_job *jobs, size_t n);
/* Default number of parallel cases: the processors that this process may use. */
unsigned pv_cli_processors(void);

#endif
