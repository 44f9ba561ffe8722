/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Going on with a run, or running some of its cases again: its plans are loaded again. */
#include "framework/cli/resume.h"

#include <stdlib.h>
#include <string.h>

#include "framework/cli/reporting.h"
#include "framework/run/jobs.h"
#include "framework/util/cleanup.h"

/* Returns the jobs of all cases of its plans. NULL: reported. */
static struct pv_job *load_jobs(const struct pv_interrupted *run, const struct pv_run_options *opt,
				struct pv_plans **plans, size_t *n)
{
	const struct pv_plan_options plan_options = {.seed = opt->seed};
	const struct pv_selection everything = {.target = opt->target};
	size_t n_files;
	_autofree_ const char **files = pv_interrupted_plans(run, &n_files);

	*plans = files ? pv_cli_load(files, n_files, &plan_options) : NULL;
	struct pv_job *all = *plans ? pv_jobs_of_cases(*plans, &everything, NULL, n) : NULL;
	if (*plans && !all)
		pv_cli_error("run: no memory");
	return all;
}

struct pv_job *pv_cli_resume_jobs(const struct pv_interrupted *run, const struct pv_run_options *opt,
				  struct pv_plans **plans)
{
	struct pv_error e = {0};
	size_t n;
	_autofree_ struct pv_job *all = load_jobs(run, opt, plans, &n);
	struct pv_job *jobs = all ? pv_interrupted_rest(run, opt, all, n, &e) : NULL;

	if (all && !jobs)
		pv_cli_error("run: --resume: %s", e.text);
	return jobs;
}

struct pv_job *pv_cli_rerun_jobs(const struct pv_interrupted *run, const struct pv_run_options *opt, const char *which,
				 struct pv_plans **plans, size_t *n)
{
	struct pv_error e = {0};
	size_t n_all;
	_autofree_ struct pv_job *all = load_jobs(run, opt, plans, &n_all);
	struct pv_job *jobs = all ? pv_interrupted_again(run, which, all, n_all, n, &e) : NULL;

	if (all && !jobs)
		pv_cli_error("run: --rerun: %s", e.text);
	return jobs;
}

/* ---- what may be asked for ---- */

static bool is_one_of(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

/* Reports and verbosity are asked for anew. */
static bool may_be_given(const char *name)
{
	static const char *const others[] = {"resume", "again", "rerun", "jobs", "verbose", "quiet", "color", NULL};

	if (is_one_of(others, name))
		return true;
	for (const struct pv_report_writer *w = pv_report_writers; w->name; w++)
		if (!strcmp(name, w->name))
			return true;
	return false;
}

/* The first option given that is neither about what is shown nor one of `others`. NULL: there is none. */
static const char *one_too_many(const struct pv_command *self, const void *options, const char *const *others)
{
	for (const struct pv_option *o = self->options; o->name; o++)
		if (!may_be_given(o->name) && !is_one_of(others, o->name) && pv_cli_is_given(o, options))
			return o->name;
	return NULL;
}

bool pv_cli_resume_alone(const struct pv_command *self, const void *options)
{
	static const char *const others[] = {NULL};
	const char *name = one_too_many(self, options, others);

	if (name)
		pv_cli_error("run: --resume: expected no --%s: a resumed run keeps its options", name);
	return !name;
}

bool pv_cli_rerun_alone(const struct pv_command *self, const void *options)
{
	static const char *const others[] = {"results",	 "keep",	"repeat",	"until-failure",
					     "max-fail", "fail-fast",	"retry-errors", "shuffle",
					     "dry-run",	 "allow-empty", "allow-skip",	NULL};
	const char *name = one_too_many(self, options, others);

	if (name)
		pv_cli_error("run: --rerun: expected no --%s: it is taken from the earlier run", name);
	return !name;
}
