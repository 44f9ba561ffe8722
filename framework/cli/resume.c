/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Going on with a run: its plans are loaded again, and every case must be what it was. */
#include "framework/cli/resume.h"

#include <stdlib.h>
#include <string.h>

#include "framework/cli/jobs.h"
#include "framework/cli/reporting.h"
#include "framework/util/cleanup.h"

/* The plans in the order in which their first cases come. */
static const char **plan_files(const struct pv_run_result *run, size_t *n)
{
	const char **files = calloc(run->n_cases + 1, sizeof(*files));
	*n = 0;
	for (size_t i = 0; files && i < run->n_cases; i++) {
		size_t k = 0;
		while (k < *n && strcmp(files[k], run->cases[i].file))
			k++;
		if (k == *n)
			files[(*n)++] = run->cases[i].file;
	}
	return files;
}

static const struct pv_job *find(const struct pv_job *jobs, size_t n, const struct pv_case_result *c)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(jobs[i].name, c->name) && !strcmp(jobs[i].plan, c->plan))
			return &jobs[i];
	return NULL;
}

static int match_all(const struct pv_interrupted *run, const struct pv_run_options *opt, const struct pv_job *all,
		     size_t n_all, struct pv_job *jobs)
{
	for (size_t i = 0; i < run->result->n_cases; i++) {
		const struct pv_case_result *c = &run->result->cases[i];
		const struct pv_job *job = find(all, n_all, c);
		struct pv_error e = {0};
		if (!job)
			return pv_cli_error("run: --resume: %s: there is no case %s any more; start a new run", c->file,
					    c->name);
		jobs[i] = *job;
		if (pv_interrupted_match(run, i, opt, &jobs[i], &e))
			return pv_cli_error("run: --resume: %s", e.text);
	}
	return 0;
}

static struct pv_job *jobs_of(const struct pv_interrupted *run, const struct pv_run_options *opt,
			      const struct pv_plans *plans)
{
	const struct pv_cli_selection everything = {.target = opt->target};
	size_t n;
	_autofree_ struct pv_job *all = pv_cli_jobs(plans, &everything, NULL, &n);
	_autofree_ struct pv_job *jobs = calloc(run->result->n_cases + 1, sizeof(*jobs));
	if (!all || !jobs) {
		pv_cli_error("run: no memory");
		return NULL;
	}
	return match_all(run, opt, all, n, jobs) ? NULL : steal(&jobs);
}

struct pv_job *pv_cli_resume_jobs(const struct pv_interrupted *run, const struct pv_run_options *opt,
				  struct pv_plans **plans)
{
	const struct pv_plan_options plan_options = {.seed = opt->seed};
	size_t n;
	_autofree_ const char **files = plan_files(run->result, &n);
	*plans = files ? pv_cli_load(files, n, &plan_options) : NULL;
	return *plans ? jobs_of(run, opt, *plans) : NULL;
}

/* Reports and verbosity are asked for anew. */
static bool may_be_given(const char *name)
{
	static const char *const others[] = {"resume", "again", "jobs", "verbose"};
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(name, others[i]))
			return true;
	for (const struct pv_report_writer *w = pv_report_writers; w->name; w++)
		if (!strcmp(name, w->name))
			return true;
	return false;
}

static bool is_given(const struct pv_option *o, const void *options)
{
	const void *at = (const char *)options + o->offset;
	switch (o->kind) {
	case PV_OPTION_FLAG:
		return *(const bool *)at;
	case PV_OPTION_NUMBER:
		return *(const unsigned *)at;
	case PV_OPTION_TEXT:
	case PV_OPTION_LIST:
		return *(const void *const *)at;
	}
	return false;
}

bool pv_cli_resume_alone(const struct pv_command *self, const void *options)
{
	for (const struct pv_option *o = self->options; o->name; o++) {
		if (may_be_given(o->name) || !is_given(o, options))
			continue;
		pv_cli_error("run: --resume: expected no --%s: the run goes on as it was begun", o->name);
		return false;
	}
	return true;
}
