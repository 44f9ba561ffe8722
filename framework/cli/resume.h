/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the folder of a run that broke off to the jobs that are left of it. */
#ifndef PV_CLI_RESUME_H
#define PV_CLI_RESUME_H

#include "framework/cli/cli.h"
#include "framework/run/run.h"

/*
 * All cases of the run, in its order; those that are not to be run again have `before`. *plans is what they point to.
 * NULL: something is not as it was, which was said.
 */
struct pv_job *pv_cli_resume_jobs(const struct pv_interrupted *run, const struct pv_run_options *opt,
				  struct pv_plans **plans);

/*
 * The cases of an earlier run that `which` names, "failed" or "incomplete", each once, as its plans have them now. *n may
 * be 0. NULL: something is not there any more, which was said.
 */
extern const char *const pv_cli_reruns[]; /* the names, ended by NULL */
struct pv_job *pv_cli_rerun_jobs(const struct pv_interrupted *run, const struct pv_run_options *opt, const char *which,
				 struct pv_plans **plans, size_t *n);

/* With --resume everything but how it is shown is settled: is any other option of the command given? False: said. */
bool pv_cli_resume_alone(const struct pv_command *self, const void *options);
/* The same with --rerun, where the course of the run is open, too. */
bool pv_cli_rerun_alone(const struct pv_command *self, const void *options);

#endif
