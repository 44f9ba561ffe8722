/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupted runs: reads their options from the run folder, and checks that plans and settings are still the same. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/run/deviations.h"
#include "framework/run/folder.h"
#include "framework/run/jobs.h"
#include "framework/run/protocol.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/json.h"

const char *const pv_interrupted_reruns[] = {"failed", "incomplete", NULL};

/* An absent member is NULL: not "". */
static const char *setting(const struct pv_interrupted *run, const char *key)
{
	const char *text = json_object_get_string(json_object_object_get(run->settings, key));

	return text && *text ? text : NULL;
}

static bool yes(const struct pv_interrupted *run, const char *key)
{
	return json_object_get_boolean(json_object_object_get(run->settings, key));
}

static unsigned count(const struct pv_interrupted *run, const char *key)
{
	int64_t n = json_object_get_int64(json_object_object_get(run->settings, key));

	return n > 0 && n <= UINT32_MAX ? (unsigned)n : 0;
}

/* Paths of plans and goldens are relative to where the run was started. */
static int check_place(const struct pv_interrupted *run, const char *folder, struct pv_error *e)
{
	const char *there = setting(run, "directory"), *version = setting(run, "version");
	_autofree_ char *here = getcwd(NULL, 0);

	if (!there || !version)
		return pv_error(e, -EINVAL, "%s: was written by a version of pcieval whose runs cannot %s", folder,
				run->anew ? "be run again" : "go on");
	if (!run->anew && strcmp(version, PCIEVAL_VERSION))
		return pv_error(e, -EINVAL, "%s: expected a run of this version (" PCIEVAL_VERSION "), got one of %s",
				folder, version);
	if (!here || strcmp(here, there))
		return pv_error(e, -EINVAL,
				"%s: expected the folder where the run was started as working directory: cd %s", folder,
				there);
	return 0;
}

/* The strings belong to the settings. NULL: no memory. */
static const char **strings(const struct pv_interrupted *run, const char *key)
{
	json_object *list = json_object_object_get(run->settings, key);
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	const char **out = calloc(n + 1, sizeof(*out));

	for (size_t i = 0; out && i < n; i++)
		out[i] = json_object_get_string(json_object_array_get_idx(list, i));
	return out;
}

static int take_lists(struct pv_interrupted *run, struct pv_error *e)
{
	run->defects = strings(run, "defects");
	run->guest_options = strings(run, "guest_options");
	return run->defects && run->guest_options ? 0 : pv_error(e, -ENOMEM, "out of memory");
}

/* Entries expire between the parts of a run; cases that run again are judged by what the user's file says now. */
static json_object *take_deviations(const struct pv_interrupted *run)
{
	json_object *list = json_object_object_get(run->settings, "deviations");
	char today[PV_TODAY_TEXT];

	pv_deviations_today(today);
	pv_deviations_hand_on(list, run->anew ? NULL : today);
	return list;
}

static void take_tested(const struct pv_interrupted *run, struct pv_run_options *opt)
{
	opt->target = setting(run, "target");
	opt->board = setting(run, "board");
	opt->driver = setting(run, "driver");
	opt->seed = setting(run, "seed");
	opt->guest = json_object_object_get(run->settings, "guest");
	opt->deviations = take_deviations(run);
	opt->known_failures = setting(run, "known_failures");
	opt->guest_options = run->guest_options;
	opt->golden_folder = setting(run, "golden");
	opt->golden_given = yes(run, "golden_given");
	opt->agent = setting(run, "agent");
	opt->defects = run->defects;
	opt->timeout_scale = json_object_get_double(json_object_object_get(run->settings, "timeout_scale"));
	opt->max_artefact_bytes = json_object_get_uint64(json_object_object_get(run->settings, "max_artefact_bytes"));
	opt->max_memory_bytes = json_object_get_uint64(json_object_object_get(run->settings, "max_memory_bytes"));
	opt->max_memory_given = yes(run, "max_memory_given");
}

/* A resumed run continues with its original settings. */
static void take_course(const struct pv_interrupted *run, struct pv_run_options *opt)
{
	opt->fail_fast = yes(run, "fail_fast");
	opt->health_check = yes(run, "health_check");
	opt->abort_on_taint = yes(run, "abort_on_taint");
	opt->max_fail = count(run, "max_fail");
	opt->retry_errors = count(run, "retry_errors");
	opt->repeat = count(run, "repeat");
	opt->until_failure = yes(run, "until_failure");
	opt->shuffle = setting(run, "shuffle");
	opt->keep = yes(run, "keep");
	opt->goes_on = run;
}

int pv_interrupted_load(const char *folder, struct pv_interrupted *run, struct pv_run_options *opt, struct pv_error *e)
{
	*run = (struct pv_interrupted){.again = run->again, .anew = run->anew};
	int err = (run->anew ? pv_run_load : pv_run_load_whole)(folder, &run->result, e);
	if (!err) {
		run->settings = pv_run_folder_read(folder, PV_SETTINGS_FILE, e);
		run->cases = run->settings ? pv_run_folder_read(folder, PV_CASES_FILE, e) : NULL;
		err = run->cases ? 0 : e->code;
	}
	if (!err)
		err = check_place(run, folder, e);
	if (!err)
		err = take_lists(run, e);
	if (!err)
		take_tested(run, opt);
	if (!err && !run->anew)
		take_course(run, opt);
	return err;
}

void pv_interrupted_free(struct pv_interrupted *run)
{
	pv_run_result_free(run->result);
	json_object_put(run->settings);
	json_object_put(run->cases);
	free(run->defects);
	free(run->guest_options);
	*run = (struct pv_interrupted){0};
}

/* ---- its cases ---- */

const char **pv_interrupted_plans(const struct pv_interrupted *interrupted, size_t *n)
{
	const struct pv_run_result *run = interrupted->result;
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

static int match(const struct pv_interrupted *run, size_t i, const struct pv_run_options *opt, struct pv_job *job,
		 struct pv_error *e)
{
	const struct pv_case_result *c = &run->result->cases[i];
	json_object *was = json_object_array_get_idx(json_object_object_get(run->cases, "cases"), i);
	char digest[PV_DIGEST_TEXT];

	if (strcmp(pv_json_text(was, "digest"), pv_case_digest(opt, job, digest)))
		return pv_error(e, -ESTALE,
				"%s:%d: case %s/%s is not what it was when the run began: a report of two plans would "
				"be of none; start a new run%s%s",
				job->file, job->line, job->plan, job->name, c->was ? "; it was called " : "",
				c->was ? c->was : "");
	job->before = strcmp(c->type, "not-run") && !(run->again && c->interrupted) ? c : NULL;
	return 0;
}

/* Finds the case of a result, which may have run on one of several functions. */
static const struct pv_job *find(const struct pv_job *jobs, size_t n, const struct pv_case_result *c)
{
	size_t length = pv_case_base_length(c->name);

	for (size_t i = 0; i < n; i++)
		if (!strncmp(jobs[i].name, c->name, length) && !jobs[i].name[length] && !strcmp(jobs[i].plan, c->plan))
			return &jobs[i];
	return NULL;
}

static int match_all(const struct pv_interrupted *run, const struct pv_run_options *opt, const struct pv_job *all,
		     size_t n_all, struct pv_job *jobs, struct pv_error *e)
{
	int err = 0;

	for (size_t i = 0; !err && i < run->result->n_cases; i++) {
		const struct pv_case_result *c = &run->result->cases[i];
		const struct pv_job *job = find(all, n_all, c);

		if (!job)
			return pv_error(e, -ESTALE, "%s: there is no case %s any more; start a new run", c->file,
					c->name);
		jobs[i] = *job;
		jobs[i].name = c->name;
		err = match(run, i, opt, &jobs[i], e);
	}
	return err;
}

struct pv_job *pv_interrupted_rest(const struct pv_interrupted *run, const struct pv_run_options *opt,
				   const struct pv_job *all, size_t n_all, struct pv_error *e)
{
	_autofree_ struct pv_job *jobs = calloc(run->result->n_cases + 1, sizeof(*jobs));
	int err = jobs ? pv_jobs_rename(run->result, all, n_all, e) : pv_error(e, -ENOMEM, "no memory");

	if (!err)
		err = match_all(run, opt, all, n_all, jobs, e);

	return err ? NULL : steal(&jobs);
}

/* ---- some of them again ---- */

/* The run ended before it reached its verdict. */
static bool is_incomplete(const struct pv_case_result *c)
{
	return c->interrupted || !strcmp(c->type, "not-run") || !strcmp(c->type, "fail-fast");
}

static bool is_wanted(const struct pv_case_result *c, const char *which)
{
	bool bad = c->verdict == PV_FAIL || c->verdict == PV_ERROR;

	return strcmp(which, "failed") ? is_incomplete(c) : bad && !is_incomplete(c);
}

static bool has(const struct pv_job *jobs, size_t n, const struct pv_job *job, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (jobs[i].source == job->source && !strcmp(jobs[i].name, name))
			return true;
	return false;
}

struct pv_job *pv_interrupted_again(const struct pv_interrupted *run, const char *which, const struct pv_job *all,
				    size_t n_all, size_t *n, struct pv_error *e)
{
	_autofree_ struct pv_job *jobs = calloc(run->result->n_cases + 1, sizeof(*jobs));

	*n = 0;
	if (jobs && pv_jobs_rename(run->result, all, n_all, e))
		return NULL;
	for (size_t i = 0; jobs && i < run->result->n_cases; i++) {
		const struct pv_case_result *c = &run->result->cases[i];
		const struct pv_job *job = is_wanted(c, which) ? find(all, n_all, c) : NULL;

		if (!job && is_wanted(c, which)) {
			pv_error(e, -ESTALE, "%s: there is no case %s any more", c->file, c->name);
			return NULL;
		}
		if (job && !has(jobs, *n, job, c->name)) {
			jobs[*n] = *job;
			jobs[(*n)++].name = c->name;
		}
	}
	if (!jobs)
		pv_error(e, -ENOMEM, "no memory");
	return steal(&jobs);
}
