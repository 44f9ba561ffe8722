/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs of an earlier run, from its folder: the rest of an interrupted run, or failed cases again. */
#ifndef PV_CLI_RESUME_H
#define PV_CLI_RESUME_H

#include "framework/cli/cli.h"
#include "framework/run/run.h"

/*
 * Returns all cases of the run, in its order; cases that are not to run again have `before`. They point into *plans.
 * NULL: something has changed since, which has been reported.
 */
struct pv_job *pv_cli_resume_jobs(const struct pv_interrupted *run, const struct pv_run_options *opt,
				  struct pv_plans **plans);

/*
 * Returns the "failed" or "incomplete" cases of an earlier run (`which`), each once, from the current plans. *n may be
 * 0. NULL: something no longer exists, which has been reported.
 */
struct pv_job *pv_cli_rerun_jobs(const struct pv_interrupted *run, const struct pv_run_options *opt, const char *which,
				 struct pv_plans **plans, size_t *n);

/* With --resume only output options are allowed. Returns false and reports if any other option is given. */
bool pv_cli_resume_alone(const struct pv_command *self, const void *options);
/* The same for --rerun, which also allows options for the course of the run. */
bool pv_cli_rerun_alone(const struct pv_command *self, const void *options);

#endif
