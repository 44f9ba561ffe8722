/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval golden: runs the cases that have goldens, records the new goldens in a staging folder, and compares: check
 * lists those that differ, diff and regen print the differences, regen --accept replaces. A golden is only accepted
 * from a run in which every case passed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cli/commands.h"
#include "framework/golden/golden.h"
#include "framework/run/jobs.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"
#include "framework/util/share.h"

struct options {
	struct pv_cli_selection selection;
	const char *folder, *staging, *name; /* name: of the board; NULL: none */
	struct pv_board board;
	bool accept;
	bool part; /* some cases of the plans that have goldens are not selected */
};

static const struct pv_option options[] = {
	PV_CLI_SELECTION(struct options),
	{"golden-dir", 0, PV_OPTION_TEXT, offsetof(struct options, folder), "DIR",
	 "folder of goldens (default: fixtures/golden of the\ntree that holds the plans)"},
	{"staging", 0, PV_OPTION_TEXT, offsetof(struct options, staging), "DIR",
	 "folder for new goldens, new or empty (default: one in\npcieval-results)"},
	{"board", 0, PV_OPTION_TEXT, offsetof(struct options, name), "NAME",
	 "name of the board whose baselines are used; on local\nand ssh also NAME.xml, the board's description"},
	{"root", 0, PV_OPTION_TEXT, offsetof(struct options, board.root), "DIR",
	 "folder that contains /sys and\n/dev of the machine", .targets = "local ssh"},
	{"allow-exec", 0, PV_OPTION_FLAG, offsetof(struct options, board.exec), NULL,
	 "run the workload commands of\nthe board's description", .targets = "local ssh"},
	{"accept", 0, PV_OPTION_FLAG, offsetof(struct options, accept), NULL,
	 "regen: replace the goldens that differ, after showing\nthe differences"},
	{0},
};

enum action { CHECK, DIFF, REGEN, ACTIONS };
static const char *const action_names[ACTIONS + 1] = {"check", "diff", "regen", NULL};

/* ---- comparison of staging and goldens ---- */

struct review {
	const struct options *o;
	enum action action;
	const char *staging;
	size_t same, fresh, changed, bad;
};

static void print_line(void *ctx, const char *line)
{
	printf("    %s\n", line);
}

static void print_nothing(void *ctx, const char *line)
{
}

static unsigned lines_of(const struct review *r)
{
	return r->action == CHECK ? 0 : 100;
}

/* Compares a trace. 0: equal, 1: different, -ENOENT: no golden so far, -errno: not comparable, which is reported. */
static int compare_trace(struct review *r, const char *name)
{
	_autofree_ void *want = NULL, *got = NULL;
	size_t n, m;
	struct pv_error e = {0};
	struct pv_golden_diff d;
	int err = pv_golden_get_trace(r->staging, name, &got, &m, &e);

	if (!err)
		err = pv_golden_get_trace(r->o->folder, name, &want, &n, &e);
	if (err) {
		if (err != -ENOENT)
			pv_cli_error("golden: %s", e.text);
		return err;
	}
	pv_golden_compare(want, n, got, m, lines_of(r), &d, r->action == CHECK ? print_nothing : print_line, NULL);
	if (pv_golden_same(&d))
		return 0;
	printf("    %" PRIu64 " records, now %" PRIu64 ": %" PRIu64 " missing, %" PRIu64 " extra, %" PRIu64
	       " changed\n",
	       d.records_want, d.records_got, d.missing, d.extra, d.changed);
	return 1;
}

/* Returns true if a counter differs, or its tolerance. Values are judged with the tolerance of the plan. */
static bool differs(const struct review *r, const char *golden, const char *counter, json_object *was, json_object *now)
{
	double old = pv_golden_tolerance(r->o->folder, golden, counter);
	double tolerance = pv_golden_tolerance(r->staging, golden, counter);
	bool near = was && pv_golden_is_near(json_object_get_uint64(was), json_object_get_uint64(now), tolerance);
	bool other = was && old != tolerance;

	if (r->action == CHECK)
		return !near || other;
	if (!near)
		printf("    counter %s: golden %s, now %s\n", counter, was ? json_object_get_string(was) : "none",
		       json_object_get_string(now));
	if (other)
		printf("    counter %s: tolerance golden %g, now %g\n", counter, old, tolerance);
	return !near || other;
}

static int compare_values(const struct review *r, const char *golden, json_object *want, json_object *got)
{
	int differ = 0;

	json_object_object_foreach(got, name, now)
	{
		if (differs(r, golden, name, json_object_object_get(want, name), now))
			differ = 1;
	}
	/* Cases that were not selected may have counters of this golden. */
	if (r->o->part)
		return differ;
	json_object_object_foreach(want, gone, old)
	{
		if (json_object_object_get(got, gone))
			continue;
		differ = 1;
		if (r->action != CHECK)
			printf("    counter %s: golden %s, now none\n", gone, json_object_get_string(old));
	}
	return differ;
}

static int compare_counters(struct review *r, const char *name)
{
	json_object *want = NULL, *got = NULL;
	struct pv_error e = {0};
	int err = pv_golden_get_counters(r->staging, name, &got, &e);

	if (!err)
		err = pv_golden_get_counters(r->o->folder, name, &want, &e);
	if (err && err != -ENOENT)
		pv_cli_error("golden: %s", e.text);
	if (!err)
		err = compare_values(r, name, want, got);
	json_object_put(want);
	json_object_put(got);
	return err;
}

static void accept(struct review *r, const char *name, const char *kind)
{
	struct pv_error e = {0};
	int err = pv_mkdir_all(r->o->folder, 0777);

	if (err)
		pv_error(&e, err, "%s: cannot be made: %s", r->o->folder, strerror(-err));
	else
		err = (r->o->part ? pv_golden_accept_part : pv_golden_accept)(r->staging, r->o->folder, name, kind, &e);
	if (!err)
		return;
	r->bad++;
	pv_cli_error("golden: %s", e.text);
}

static void review_one(void *ctx, const char *name, const char *kind)
{
	struct review *r = ctx;
	int result = strcmp(kind, "trace") ? compare_counters(r, name) : compare_trace(r, name);
	const char *said = !result ? "same" : result == 1 ? "DIFFERS" : result == -ENOENT ? "new" : "unreadable";

	printf("%-10s %s (%s)\n", said, name, kind);
	r->same += !result;
	r->changed += result == 1;
	r->fresh += result == -ENOENT;
	r->bad += result < 0 && result != -ENOENT;
	/* --accept also replaces an unreadable golden, which repairs it. */
	if (result && r->o->accept)
		accept(r, name, kind);
}

static int review(const struct options *o, enum action action, const char *staging)
{
	struct review r = {o, action, staging};
	int err = pv_golden_list(staging, review_one, &r);

	if (err)
		return pv_cli_error("golden: %s: %s", staging, strerror(-err));
	printf("%zu same, %zu differ, %zu new, %zu unreadable", r.same, r.changed, r.fresh, r.bad);
	printf(o->accept ? "; accepted into %s\n" : "; compared with %s\n", o->folder);
	if (action == REGEN && !o->accept && r.changed + r.fresh + r.bad)
		printf("nothing was replaced: review the differences, then use --accept; new goldens are in %s\n",
		       staging);
	if (!r.same && !r.changed && !r.fresh && !r.bad)
		pv_cli_error("golden: the cases recorded nothing to compare");
	else if (!r.bad)
		return (r.changed || r.fresh) && !o->accept ? PV_EXIT_FAILED : PV_EXIT_PASSED;
	return PV_EXIT_UNJUDGED;
}

/* ---- running ---- */

static bool is_baseline(json_object *step)
{
	const char *kind = json_object_get_string(json_object_object_get(step, "kind"));

	return kind && !strcmp(kind, "check-baseline");
}

static bool is_golden(json_object *step)
{
	json_object *attrs = json_object_object_get(step, "attrs");
	const char *against = json_object_get_string(json_object_object_get(attrs, "against"));

	return (against && !strcmp(against, "golden")) || is_baseline(step);
}

static bool has_step(const struct pv_case *c, bool (*is)(json_object *step))
{
	json_object *steps = json_object_object_get(pv_case_json(c), "steps");
	size_t n = json_object_is_type(steps, json_type_array) ? json_object_array_length(steps) : 0;

	for (size_t i = 0; i < n; i++)
		if (is(json_object_array_get_idx(steps, i)))
			return true;
	return false;
}

static bool has_golden(const struct pv_case *c)
{
	return has_step(c, is_golden);
}

/* Goldens come from the models and are the same on all machines. Baselines belong to a board. */
static bool has_baseline(const struct pv_case *c)
{
	return has_step(c, is_baseline);
}

static size_t count_cases(const struct pv_plans *plans, bool (*wanted)(const struct pv_case *c))
{
	size_t n = 0;

	for (size_t i = 0; i < plans->n_cases; i++)
		n += wanted(plans->cases[i]);
	return n;
}

/* Returns true if every case passed: the output of a failed case must not become a golden. */
static bool all_passed(const char *folder)
{
	struct pv_error e = {0};
	struct pv_run_result *result;

	if (pv_run_load(folder, &result, &e)) {
		pv_cli_error("golden: %s", e.text);
		return false;
	}
	bool passed = result->count[PV_PASS] == result->n_cases;
	for (size_t i = 0; i < result->n_cases; i++)
		if (result->cases[i].verdict != PV_PASS)
			pv_cli_error("golden: %s/%s: %s: %s", result->cases[i].plan, result->cases[i].name,
				     pv_verdict_name(result->cases[i].verdict),
				     result->cases[i].message ? result->cases[i].message : "");
	pv_run_result_free(result);
	return passed;
}

static int make_staging(const struct options *o, char **out)
{
	char pattern[] = "pcieval-results/golden-XXXXXX";
	int err = o->staging ? pv_folder_check_empty(o->staging, NULL) : 0;

	/* Goldens of an earlier run would be taken for those of this one. */
	if (err && err != -ENOENT)
		return pv_cli_error("golden: --staging: expected a new or empty folder, got %s: %s",
				    PV_SHOW(o->staging), strerror(-err));
	if (o->staging) {
		err = pv_mkdir_all(o->staging, 0777);
		*out = err ? NULL : realpath(o->staging, NULL);
	} else {
		err = pv_mkdir_all("pcieval-results", 0777);
		*out = !err && mkdtemp(pattern) ? realpath(pattern, NULL) : NULL;
	}
	if (*out)
		return 0;
	return pv_cli_error("golden: %s: cannot be made: %s", o->staging ? o->staging : "pcieval-results",
			    strerror(err ? -err : errno));
}

static int record(struct options *o, struct pv_job *jobs, size_t n, const char *staging)
{
	struct pv_error e = {0};
	bool board = pv_board_is_target(o->selection.target);

	if (board && pv_jobs_find_board(&jobs, &n, o->selection.target, &o->board, &e))
		return pv_cli_error("golden: %s", e.text);
	_cleanup_(pv_run_folder_free) struct pv_run_folder folder;
	const struct pv_run_line line = {.ctx = &o->board, .begin = pv_board_begin, .end = pv_board_end};
	const struct pv_run_options run = {
		.target = o->selection.target,
		.board = o->name ? o->name : pv_cli_board_name(o->selection.target),
		.driver = board ? "system" : "reference",
		.environment = o->board.environment,
		.far = o->board.far,
		.line = o->board.far ? &line : NULL,
		.golden_folder = o->folder,
		.golden_mode = "record",
		.golden_staging = staging,
		.command = "pcieval golden",
		.workers = board ? 1 : pv_run_processors(),
		.agent = getenv("PCIEVAL_AGENT"),
		.case_json = pv_job_case_json,
	};

	if (pv_folder_create(NULL, &run, jobs, n, &folder, &e) || pv_run(&folder, &run, jobs, n, &e)) {
		pv_cli_error("golden: %s", e.text);
		return PV_EXIT_UNJUDGED;
	}
	if (all_passed(folder.path))
		return PV_EXIT_PASSED;
	pv_cli_error("golden: a golden is taken only where every case passes; results: %s", folder.path);
	return PV_EXIT_UNJUDGED;
}

static int run_action(struct options *o, enum action action, const char *const *files, size_t n_files)
{
	_autofree_ char *staging = NULL, *folder = pv_cli_golden_folder(o->folder, files, n_files);

	o->folder = folder;
	if (action == REGEN && folder && pv_share_is_installed(folder))
		return pv_cli_error(
			"golden: %s comes with pcieval, and is not written to; --golden-dir names another folder",
			folder);
	struct pv_plans *plans = pv_cli_selection_read(&o->selection) ? pv_cli_load(files, n_files, NULL) : NULL;
	if (!plans)
		return PV_EXIT_USAGE;
	const struct pv_selection selection = pv_cli_selection(&o->selection);
	bool (*wanted)(const struct pv_case *c) = pv_board_is_target(o->selection.target) ? has_baseline : has_golden;
	size_t n;
	_autofree_ struct pv_job *jobs = pv_jobs_of_cases(plans, &selection, wanted, &n);
	int status = PV_EXIT_PASSED;
	o->part = n < count_cases(plans, wanted);
	if (!jobs || !folder)
		status = pv_cli_error("golden: no memory");
	else if (!n)
		/* Same as without any case: a check that compared nothing must not pass. */
		status = pv_cli_error("golden: no case is selected that is compared with a golden, of the %zu "
				      "of these plans, for target %s",
				      plans->n_cases, o->selection.target);
	else if (!pv_cli_selection_matches(plans, &o->selection))
		status = PV_EXIT_USAGE;
	else if (!(status = make_staging(o, &staging)))
		status = record(o, jobs, n, staging);
	if (n && !status)
		status = review(o, action, staging);
	if (staging && action != REGEN && !o->staging)
		pv_remove_all(staging);
	pv_plans_free(plans);
	return status;
}

/* If --board is a description, reads the name from it. */
static int read_board(struct options *o, struct pv_error *e)
{
	size_t n = o->name ? strlen(o->name) : 0;

	if (!pv_board_is_target(o->selection.target) || n < 4 || strcmp(o->name + n - 4, ".xml"))
		return 0;
	int err = pv_board_read(o->name, &o->board.description, e);
	o->name = o->board.description.name;
	return err ? pv_error_context(e, "--board: ") : 0;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	struct pv_error e = {0};
	int first, status, action = 0;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	o.selection.target = o.selection.target ? o.selection.target : "model";
	while (first < argc && action < ACTIONS && strcmp(action_names[action], argv[first]))
		action++;
	if (first == argc)
		status = pv_cli_error("golden: expected check, diff or regen, then plans; see 'pcieval golden --help'");
	else if (action == ACTIONS)
		status = pv_cli_error("golden: expected check, diff or regen, got '%s'%s", PV_SHOW(argv[first]),
				      pv_did_you_mean(argv[first], pv_candidate_of_array, action_names).s);
	else if (o.accept && action != REGEN)
		status = pv_cli_error("golden: --accept goes with regen only");
	else if (pv_cli_check_target(&o.selection, getenv("PCIEVAL_AGENT"), &e) ||
		 pv_cli_check_options(self, &o, o.selection.target, getenv("PCIEVAL_AGENT"), &e))
		status = pv_cli_error("golden: %s", e.text);
	else if (read_board(&o, &e))
		status = pv_cli_error("golden: %s", e.text);
	else if (first + 1 == argc)
		status = pv_cli_error("golden: expected plans after %s", action_names[action]);
	else
		status = run_action(&o, (enum action)action, (const char *const *)argv + first + 1,
				    (size_t)(argc - first - 1));
	pv_board_close(&o.board);
	pv_cli_selection_free(&o.selection);
	pv_cli_free(self, &o);
	return status;
}

const struct pv_command pv_command_golden = {
	.name = "golden",
	.args = "check|diff|regen FILE...",
	.help = "compare traces and counters with goldens, or make new goldens",
	.text = "check lists the goldens that differ, diff shows the differences record by record\n"
		"and field by field. regen records new goldens into a staging folder and shows\n"
		"what changes; with --accept they replace the old ones. Exit status: 0 all are\n"
		"the same, 1 some differ or are new, 2 usage or plan error, or no case uses a\n"
		"golden, 3 a case did not pass, or a golden cannot be read.",
	.options = options,
	.run = run,
};
