/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Going on with a run: its plans are loaded again, and every case must be what it was. */
#include "framework/cli/resume.h"

#include <stdlib.h>
#include <string.h>

#include "framework/cli/reporting.h"
#include "framework/run/jobs.h"
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
	const struct pv_selection everything = {.target = opt->target};
	size_t n;
	_autofree_ struct pv_job *all = pv_jobs_of_cases(plans, &everything, NULL, &n);
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

/* ---- the cases of an earlier run, once more ---- */

const char *const pv_cli_reruns[] = {"failed", "incomplete", NULL};

/* It did not come to its verdict, because the run ended before. */
static bool is_incomplete(const struct pv_case_result *c)
{
	return c->interrupted || !strcmp(c->type, "not-run") || !strcmp(c->type, "fail-fast");
}

static bool is_wanted(const struct pv_case_result *c, const char *which)
{
	bool bad = c->verdict == PV_FAIL || c->verdict == PV_ERROR;

	return strcmp(which, "failed") ? is_incomplete(c) : bad && !is_incomplete(c);
}

static bool has(const struct pv_job *jobs, size_t n, const struct pv_job *job)
{
	for (size_t i = 0; i < n; i++)
		if (jobs[i].source == job->source)
			return true;
	return false;
}

static struct pv_job *rerun_jobs_of(const struct pv_interrupted *run, const struct pv_run_options *opt,
				    const char *which, const struct pv_plans *plans, size_t *n)
{
	const struct pv_selection everything = {.target = opt->target};
	size_t n_all;
	_autofree_ struct pv_job *all = pv_jobs_of_cases(plans, &everything, NULL, &n_all);
	_autofree_ struct pv_job *jobs = calloc(run->result->n_cases + 1, sizeof(*jobs));

	for (size_t i = 0; all && jobs && i < run->result->n_cases; i++) {
		const struct pv_case_result *c = &run->result->cases[i];
		const struct pv_job *job = is_wanted(c, which) ? find(all, n_all, c) : NULL;

		if (!job && is_wanted(c, which)) {
			pv_cli_error("run: --rerun: %s: there is no case %s any more", c->file, c->name);
			return NULL;
		}
		if (job && !has(jobs, *n, job))
			jobs[(*n)++] = *job;
	}
	if (!all || !jobs)
		pv_cli_error("run: no memory");
	return all ? steal(&jobs) : NULL;
}

struct pv_job *pv_cli_rerun_jobs(const struct pv_interrupted *run, const struct pv_run_options *opt, const char *which,
				 struct pv_plans **plans, size_t *n)
{
	const struct pv_plan_options plan_options = {.seed = opt->seed};
	size_t n_files;
	_autofree_ const char **files = plan_files(run->result, &n_files);

	*n = 0;
	*plans = files ? pv_cli_load(files, n_files, &plan_options) : NULL;
	return *plans ? rerun_jobs_of(run, opt, which, *plans, n) : NULL;
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
