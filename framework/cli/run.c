/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval run: loads plans, selects cases, runs them, reports. The exit status is that of pv_run_exit(): 1 when a case
 * failed, else 3 when one could not be judged (also because the run was interrupted), 4 when all were skipped, 2 when
 * nothing was run because of a wrong option, plan or path.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/commands.h"
#include "framework/cli/run_bisect.h"
#include "framework/cli/run_earlier.h"
#include "framework/cli/run_matrix.h"
#include "framework/cli/run_options.h"
#include "framework/cli/run_target.h"
#include "framework/run/jobs.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"
#include "reports/terminal.h"

/*
 * Reports the results on disk, even if the run was interrupted: only these count. `broken`: what pv_run() returned.
 * A folder that took the place of this run's has the results of another run: they are not reported.
 */
static int report_run(struct pv_cli_run *a, const char *folder, int broken)
{
	struct pv_error e = {0};
	struct pv_run_result *result;

	if (broken == -EXDEV) {
		a->ended_early = true;
		return PV_EXIT_UNJUDGED;
	}
	if (pv_run_load(folder, &result, &e)) {
		pv_cli_error("run: %s", e.text);
		a->ended_early = true;
		return PV_EXIT_UNJUDGED;
	}
	const struct pv_terminal_style style = {
		.colour = a->run.colour, .verbose = a->run.verbose, .quiet = a->run.quiet};
	pv_terminal_summary(result, &style, a->run.out);
	int status = pv_reporting_write(&a->reporting, result);
	a->ended_early = broken || result->interrupted || status != (int)pv_run_exit(result);
	pv_run_result_free(result);
	if (status == PV_EXIT_SKIPPED && a->allow_skip)
		status = PV_EXIT_PASSED;
	return broken && (status == PV_EXIT_PASSED || status == PV_EXIT_SKIPPED) ? PV_EXIT_UNJUDGED : status;
}

static int run_jobs(struct pv_cli_run *a, struct pv_job *jobs, size_t n)
{
	struct pv_error e = {0};
	_cleanup_(pv_run_folder_free) struct pv_run_folder folder = {.claim = -1};

	if (pv_folder_create(a->results, &a->run, jobs, n, &folder, &e))
		return pv_cli_error("run: %s", e.text);
	int broken = pv_cli_run_with_pool(&a->run, &folder, jobs, n, &e);
	if (broken)
		pv_cli_error("run: %s", e.text);
	return report_run(a, folder.path, broken);
}

/* ---- dry runs ---- */

static void print_strings(const char *label, const char *const *strings)
{
	if (!strings || !*strings)
		return;
	fputs(label, stdout);
	for (; *strings; strings++)
		printf(" %s", *strings);
	putchar('\n');
}

static size_t print_job(const struct pv_job *job)
{
	printf("%s/%s\t%s:%d\tseed %llu%s%s\n", job->plan, job->name, job->file, job->line,
	       (unsigned long long)job->seed, job->skip ? "\tskip: " : "", job->skip ? job->skip : "");
	return job->skip != NULL;
}

/* Prints a dry run: the target, then the cases in order, as a list for --cases. */
static void print_jobs(const struct pv_run_options *opt, const struct pv_job *jobs, size_t n)
{
	size_t skipped = 0;

	printf("# target %s, board %s, driver %s, %u at a time\n", opt->target, opt->board, opt->driver, opt->workers);
	print_strings("# defects:", opt->defects);
	if (opt->shuffle)
		printf("# in another order: --shuffle=%s\n", opt->shuffle);
	for (size_t i = 0; i < n; i++)
		skipped += print_job(&jobs[i]);
	printf("# %zu case%s, %zu to be skipped; nothing was run\n", n, n == 1 ? "" : "s", skipped);
}

static void needs_of_guest(struct pv_cli_run *a, const struct pv_job *jobs, size_t n)
{
	a->guest.perf = !strcmp(a->run.target, "qemu") && pv_jobs_run_perf(jobs, n);
	a->guest.module = !strcmp(a->run.target, "qemu") && pv_jobs_need_module(jobs, n);
}

/* Replaces the jobs by those of the shard. */
static int take_shard(struct pv_cli_run *a, struct pv_job **jobs, size_t *n, struct pv_error *e)
{
	struct pv_run_result *earlier = NULL;
	int err = a->durations ? pv_run_load(a->durations, &earlier, e) : 0;

	if (!err && earlier)
		err = pv_jobs_rename(earlier, *jobs, *n, e);
	if (err) {
		pv_run_result_free(earlier);
		return pv_error_context(e, "--durations: ");
	}
	struct pv_job *mine = pv_shard_jobs(&a->shard, &a->run, *jobs, n, earlier, e);
	pv_run_result_free(earlier);
	if (!mine)
		return e->code;
	free(*jobs);
	*jobs = mine;
	return 0;
}

/* Tests what is there now, which may differ from what the earlier run tested. */
static void tell_differences(struct pv_cli_run *a)
{
	pv_cli_note_digests(a);
	pv_cli_find_differences(a);
	if (a->run.differs)
		pv_cli_error("run: --rerun: not as in %s: %s", a->run.rerun_of, a->run.differs);
}

/* Runs the selected jobs, or prints them for --dry-run. */
static int use_jobs(struct pv_cli_run *a, const struct pv_job *jobs, size_t n, const char *const *paths, size_t n_paths)
{
	struct pv_error e = {0};

	if (pv_order_fits(&a->run, n, &e))
		return pv_cli_error("run: %s", e.text);
	_autofree_ struct pv_job *ordered = pv_jobs_order(&a->run, jobs, &n);
	if (!ordered)
		return pv_cli_error("run: no memory");
	if (a->run.shard && take_shard(a, &ordered, &n, &e))
		return pv_cli_error("run: %s", e.text);
	if (a->dry_run)
		return print_jobs(&a->run, ordered, n), PV_EXIT_PASSED;
	needs_of_guest(a, ordered, n);
	if ((n_paths && pv_cli_find_guest(a, paths, n_paths, &e)) || pv_cli_find_board(a, &ordered, &n, &e) ||
	    pv_cli_find_known(a, ordered, n, paths, n_paths, &e)) {
		a->unbuilt = e.code == -ENOEXEC;
		return pv_cli_error("run: %s", e.text);
	}
	tell_differences(a);
	return run_jobs(a, ordered, n);
}

static int list_tags(const struct pv_cli_run *a, const struct pv_plans *plans)
{
	const struct pv_selection s = pv_cli_selection(&a->selection);

	pv_cli_list_tags(plans, &s);
	return PV_EXIT_PASSED;
}

static int run_plans(struct pv_cli_run *a, const char *const *paths, size_t n_paths)
{
	const struct pv_plan_options plan_options = {.seed = a->run.seed};
	_autofree_ char *goldens = pv_cli_golden_folder(a->run.golden_folder, paths, n_paths);

	a->run.golden_given = a->run.golden_folder;
	a->run.golden_folder = goldens;
	struct pv_plans *plans =
		pv_cli_selection_read(&a->selection) ? pv_cli_load(paths, n_paths, &plan_options) : NULL;
	if (!plans)
		return PV_EXIT_USAGE;
	const struct pv_selection selection = pv_cli_selection(&a->selection);
	size_t n;
	_autofree_ struct pv_job *jobs = pv_jobs_of_cases(plans, &selection, NULL, &n);
	bool matches = pv_cli_selection_matches(plans, &a->selection);
	int status;
	if (!jobs || !goldens)
		status = pv_cli_error("run: no memory");
	else if (n && !matches)
		status = pv_cli_error("run: nothing was run; --allow-empty runs the rest");
	else if (!n)
		status = pv_cli_error(
			"run: no case is selected: none of %zu is for target %s and is what --name, --tag, "
			"--requirement, --cases and --exclude leave; `pcieval list` shows them",
			plans->n_cases, a->run.target);
	else if (a->list_tags)
		status = list_tags(a, plans);
	else
		status = use_jobs(a, jobs, n, paths, n_paths);
	json_object_put(a->run.guest);
	json_object_put(a->run.digests);
	json_object_put(a->run.deviations);
	pv_plans_free(plans);
	return status;
}

/* ---- an earlier run: resumed, or some of its cases again ---- */

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

/*
 * Returns all cases of the run, in its order; cases that are not to run again have `before`. They point into *plans.
 * NULL: something has changed since, which is reported.
 */
static struct pv_job *jobs_to_resume(const struct pv_interrupted *run, const struct pv_run_options *opt,
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

/* Returns the "failed" or "incomplete" cases of an earlier run (`which`), from the current plans. NULL: reported. */
static struct pv_job *jobs_to_rerun(const struct pv_interrupted *run, const struct pv_run_options *opt,
				    const char *which, struct pv_plans **plans, size_t *n)
{
	struct pv_error e = {0};
	size_t n_all;
	_autofree_ struct pv_job *all = load_jobs(run, opt, plans, &n_all);
	struct pv_job *jobs = all ? pv_interrupted_again(run, which, all, n_all, n, &e) : NULL;

	if (all && !jobs)
		pv_cli_error("run: --rerun: %s", e.text);
	return jobs;
}

/* Finds guest or board, and checks that both parts of a resumed run test the same. */
static int find_same(struct pv_cli_run *o, struct pv_job **jobs, size_t *n, struct pv_error *e)
{
	needs_of_guest(o, *jobs, *n);
	int err = pv_cli_find_guest_again(o, (*jobs)[0].file, e);
	if (!err)
		err = pv_cli_find_board(o, jobs, n, e);
	if (err)
		return err;
	pv_cli_note_digests(o);
	pv_cli_find_differences(o);
	return o->run.differs ? pv_error(e, -ESTALE,
					 "--resume: expected what the run has tested, got %s; `run --rerun incomplete "
					 "%s` tests what is there now",
					 o->run.differs, o->resume)
			      : 0;
}

static int resume_jobs(struct pv_cli_run *o, const struct pv_interrupted *run)
{
	struct pv_error e = {0};
	struct pv_plans *plans;
	_autofree_ struct pv_job *jobs = jobs_to_resume(run, &o->run, &plans);
	size_t n = run->result->n_cases;
	int status = PV_EXIT_USAGE;

	if (jobs && find_same(o, &jobs, &n, &e)) {
		pv_cli_error("run: %s", e.text);
	} else if (jobs) {
		struct pv_run_folder folder = {.path = (char *)o->resume, .claim = -1};
		int broken = pv_cli_run_with_pool(&o->run, &folder, jobs, n, &e);

		if (broken)
			pv_cli_error("run: %s", e.text);
		status = broken && e.code == -EBUSY ? PV_EXIT_USAGE : report_run(o, o->resume, broken);
	}
	pv_plans_free(plans);
	return status;
}

static int rerun_these(struct pv_cli_run *o, struct pv_job *jobs, size_t n, const struct pv_interrupted *run)
{
	struct pv_error e = {0};

	needs_of_guest(o, jobs, n);
	if (!o->dry_run && pv_cli_find_guest_again(o, jobs[0].file, &e))
		return pv_cli_error("run: %s", e.text);
	o->run.rerun_of = run->result->folder;
	o->known_failures = o->run.known_failures;
	return use_jobs(o, jobs, n, NULL, 0);
}

static int rerun_jobs(struct pv_cli_run *o, const struct pv_interrupted *run)
{
	struct pv_plans *plans;
	size_t n;
	int status = PV_EXIT_USAGE;
	_autofree_ struct pv_job *jobs = jobs_to_rerun(run, &o->run, o->rerun, &plans, &n);

	if (jobs && n)
		status = rerun_these(o, jobs, n, run);
	else if (jobs && o->selection.allow_empty)
		status = PV_EXIT_PASSED;
	else if (jobs) {
		pv_cli_error("run: --rerun: no case of the run is %s: nothing was run", o->rerun);
		status = PV_EXIT_SKIPPED;
	}
	pv_plans_free(plans);
	return status;
}

/* Uses the settings of the run in `folder`; `go` then runs the cases that it selects. */
static int continue_run(struct pv_cli_run *o, const char *option, const char *folder, struct pv_interrupted *run,
			int (*go)(struct pv_cli_run *o, const struct pv_interrupted *run))
{
	struct pv_error e = {0};
	int status;

	if (pv_interrupted_load(folder, run, &o->run, &e) || pv_reporting_check(&o->reporting, &e) ||
	    pv_order_check(&o->run, o->shuffle_seed, &e) || pv_cli_check_colour(o->colour, &e)) {
		status = pv_cli_error("run: --%s: %s", option, e.text);
	} else {
		o->selection.target = o->run.target;
		pv_cli_run_complete(o);
		o->run.defects = run->defects;
		o->earlier = run;
		json_object *before = o->run.guest;
		status = go(o, run);
		if (o->run.guest != before)
			json_object_put(o->run.guest);
		json_object_put(o->run.digests);
	}
	pv_interrupted_free(run);
	return status;
}

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(*words, word))
		words++;
	return *words;
}

/* Options for reports and verbosity may be given again. */
static bool may_be_given(const char *name)
{
	static const char *const others[] = {"resume", "again", "rerun", "jobs", "verbose", "quiet", "color", NULL};

	if (is_one_of(name, others))
		return true;
	for (const struct pv_report_writer *w = pv_report_writers; w->name; w++)
		if (!strcmp(name, w->name))
			return true;
	return false;
}

/* Returns the first given option that neither concerns output nor is one of `others`. NULL: there is none. */
static const char *one_too_many(const struct pv_command *self, const void *options, const char *const *others)
{
	for (const struct pv_option *o = self->options; o->name; o++)
		if (!may_be_given(o->name) && !is_one_of(o->name, others) && pv_cli_is_given(o, options))
			return o->name;
	return NULL;
}

/* With --resume, only output options are allowed. Returns false and reports if another one is given. */
static bool resumes_alone(const struct pv_command *self, const void *options)
{
	static const char *const others[] = {NULL};
	const char *name = one_too_many(self, options, others);

	if (name)
		pv_cli_error("run: --resume: expected no --%s: a resumed run keeps its options", name);
	return !name;
}

/* Same for --rerun, which also allows options that control the order of cases and repetitions. */
static bool reruns_alone(const struct pv_command *self, const void *options)
{
	static const char *const others[] = {"results",	 "keep",	"repeat",	"until-failure",
					     "max-fail", "fail-fast",	"retry-errors", "shuffle",
					     "dry-run",	 "allow-empty", "allow-skip",	NULL};
	const char *name = one_too_many(self, options, others);

	if (name)
		pv_cli_error("run: --rerun: expected no --%s: it is taken from the earlier run", name);
	return !name;
}

static int resume(const struct pv_command *self, struct pv_cli_run *o, size_t n_paths)
{
	struct pv_interrupted run = {.again = o->again};

	if (o->again && !is_one_of(o->again, pv_cli_agains))
		return pv_cli_error("run: --again: expected interrupted, got '%s'%s", PV_SHOW(o->again),
				    pv_did_you_mean(o->again, pv_candidate_of_array, pv_cli_agains).s);
	if (n_paths)
		return pv_cli_error("run: --resume: expected no plans, got %zu: the run has them", n_paths);
	if (!resumes_alone(self, o))
		return PV_EXIT_USAGE;
	return continue_run(o, "resume", o->resume, &run, resume_jobs);
}

static int rerun(const struct pv_command *self, struct pv_cli_run *o, const char *const *paths, size_t n_paths)
{
	struct pv_interrupted run = {.anew = true};

	if (!is_one_of(o->rerun, pv_interrupted_reruns))
		return pv_cli_error("run: --rerun: expected failed or incomplete, got '%s'%s", PV_SHOW(o->rerun),
				    pv_did_you_mean(o->rerun, pv_candidate_of_array, pv_interrupted_reruns).s);
	if (n_paths != 1)
		return pv_cli_error("run: --rerun: expected the folder of one run, got %zu arguments", n_paths);
	if (!reruns_alone(self, o))
		return PV_EXIT_USAGE;
	return continue_run(o, "rerun", paths[0], &run, rerun_jobs);
}

/* ---- the command ---- */

static int run_new(const struct pv_command *self, struct pv_cli_run *o, const char *const *paths, size_t n_paths)
{
	struct pv_error e = {0};

	if (pv_cli_run_check(self, o, &e))
		return pv_cli_error("run: %s", e.text);
	pv_cli_run_complete(o);
	return run_plans(o, paths, n_paths);
}

static int run_checked(const struct pv_command *self, struct pv_cli_run *o, const char *const *paths, size_t n_paths)
{
	struct pv_error e = {0};

	if (o->bisect && pv_cli_bisect_check(o, &e))
		return pv_cli_error("run: %s", e.text);
	if (o->list_defects)
		return pv_cli_run_list_defects();
	if (o->resume && o->rerun)
		return pv_cli_error("run: expected --resume or --rerun, got both");
	if (o->resume)
		return resume(self, o, n_paths);
	if (o->rerun)
		return rerun(self, o, paths, n_paths);
	if (o->again)
		return pv_cli_error("run: --again goes with --resume only");
	return pv_cli_run_is_matrix(o) ? pv_cli_run_matrix(self, o, paths, n_paths, run_new)
				       : run_new(self, o, paths, n_paths);
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct pv_cli_run o = {0};
	_autofree_ char *command = pv_cli_command_line(argc, argv);
	int first, status;

	o.run.command = command;
	o.ended_early = true;
	if (pv_cli_parse(self, argc, argv, &o, &first, &status)) {
		o.ended_early = false;
		pv_cli_run_take_first(&o);
		status = run_checked(self, &o, (const char *const *)argv + first, (size_t)(argc - first));
	}
	if (pv_cli_bisect_is_asked(argc, argv))
		status = pv_cli_bisect_status(&o, status);
	pv_board_close(&o.board);
	pv_cli_selection_free(&o.selection);
	pv_cli_free(self, &o);
	return status;
}

const struct pv_command pv_command_run = {
	.name = "run",
	.args = "FILE|FOLDER...",
	.help = "run the cases of plans and report",
	.text = "Exit status: 0 all passed, 1 something failed, 2 usage or plan error, 3 some\n"
		"case could not be judged, 4 all were skipped, or --rerun found no case. An\n"
		"interrupted run reports what was done; the rest are errors. FOLDER stands for\n"
		"all plans (*.xml) in it.",
	.options = pv_cli_run_options,
	.run = run,
};
