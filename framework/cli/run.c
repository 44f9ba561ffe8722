/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval run: loads plans, selects cases, runs them, reports. The exit status is that of pv_run_exit():
 * 1 when a case failed, else 3 when one could not be judged (also because the run was interrupted), 2 when
 * nothing was run because of a wrong option, plan or path.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fixtures/models/defects.h"
#include "framework/cli/commands.h"
#include "framework/cli/deviations.h"
#include "framework/cli/guest.h"
#include "framework/cli/jobs.h"
#include "framework/cli/order.h"
#include "framework/cli/reporting.h"
#include "framework/cli/resume.h"
#include "framework/run/run.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"
#include "reports/terminal.h"

struct options {
	struct pv_run_options run;
	struct pv_cli_selection selection;
	struct pv_reporting reporting;
	struct pv_cli_guest guest;
	const char *guest_options[13]; /* for run.guest_options */
	const char **defects;
	const char *results, *timeout_scale, *max_artefact, *max_memory, *resume, *again, *rerun, *known_failures;
	const char *colour;
	char shuffle_seed[PV_SEED_TEXT];
	unsigned jobs;
	bool list_defects, list_tags, dry_run;
};

#define AT(member) offsetof(struct options, member)

static const char *const agains[] = {"interrupted", NULL};

/* clang-format off: a list that expands to entries */
static const struct pv_option options[] = {
	PV_CLI_SELECTION(struct options),
	{"jobs", 'j', PV_OPTION_NUMBER, AT(jobs), "N", "cases at a time (default, and 0: one a processor)"},
	{"board", 0, PV_OPTION_TEXT, AT(run.board), "NAME", "what the target is called in reports"},
	{"driver", 0, PV_OPTION_TEXT, AT(run.driver), "DRIVER",
	 "driver under test (default: reference; on target\nqemu kernel)", PV_CLI_VALUES("reference", "kernel")},
	{"kernel", 0, PV_OPTION_TEXT, AT(guest.kernel), "KERNEL",
	 "of target qemu: fast (default), debug, debian:SERIES,\nsource:TREE, or an arm64 Image",
	 PV_CLI_VALUES("fast", "debug", "debian:6.12", "debian:newest")},
	{"modules", 0, PV_OPTION_TEXT, AT(guest.modules), "DIR",
	 "modules to be loaded, instead of those that the\nkernel comes with"},
	{"append", 0, PV_OPTION_TEXT, AT(guest.append), "TEXT", "for the kernel's command line"},
	{"fresh-boot", 0, PV_OPTION_FLAG, AT(guest.fresh_boot), NULL,
	 "target qemu: boot the kernel for each case, instead\nof going on from a saved machine"},
	{"real-time", 0, PV_OPTION_FLAG, AT(guest.real_time), NULL,
	 "target qemu: time goes on by itself; not repeatable"},
	{"leaks", 0, PV_OPTION_FLAG, AT(guest.leaks), NULL,
	 "target qemu: kmemleak looks for lost memory after\neach case (--kernel debug)"},
	{"seed", 0, PV_OPTION_TEXT, AT(run.seed), "SEED", "instead of the seeds of the plans"},
	{"timeout-scale", 0, PV_OPTION_TEXT, AT(timeout_scale), "FACTOR", "all timeouts times this"},
	{"fail-fast", 0, PV_OPTION_FLAG, AT(run.fail_fast), NULL, "start nothing after the first failure or error"},
	{"max-fail", 0, PV_OPTION_NUMBER, AT(run.max_fail), "N", "start nothing after N failures and errors"},
	{"retry-errors", 0, PV_OPTION_NUMBER, AT(run.retry_errors), "N",
	 "run a case that could not be judged up to N times\nmore; one that passes then is reported as flaky"},
	{"repeat", 0, PV_OPTION_NUMBER, AT(run.repeat), "N", "run all of it N times"},
	{"until-failure", 0, PV_OPTION_FLAG, AT(run.until_failure), NULL,
	 "again and again until a case fails or cannot be\njudged; with --repeat at most N times (default: "
	 "about\n10000 cases)"},
	{"shuffle", 0, PV_OPTION_MAYBE, AT(run.shuffle), "SEED", "in a random order, which SEED repeats"},
	{"defect", 0, PV_OPTION_LIST, AT(defects), "NAME", "switch on a planted defect of the models"},
	{"list-defects", 0, PV_OPTION_FLAG, AT(list_defects), NULL, "list the planted defects and exit"},
	{"list-tags", 0, PV_OPTION_FLAG, AT(list_tags), NULL, "list the tags of these cases, with how many have each"},
	{"dry-run", 0, PV_OPTION_FLAG, AT(dry_run), NULL, "print what would run, in order, and run nothing"},
	{"known-failures", 0, PV_OPTION_TEXT, AT(known_failures), "FILE",
	 "failures that are known: a skip with its reason;\none that passes, or has expired, fails"},
	{"golden-dir", 0, PV_OPTION_TEXT, AT(run.golden_folder), "DIR",
	 "golden traces and counters (default:\nfixtures/golden of the tree that holds the plans)"},
	PV_CLI_REPORTS{"results", 0, PV_OPTION_TEXT, AT(results), "DIR",
		       "run folder, new or empty (default:\npcieval-results/TIME, and the link `latest` to it)"},
	{"resume", 0, PV_OPTION_TEXT, AT(resume), "DIR",
	 "go on with the run of this folder, which broke off;\nno FILE then, and no options but --again, -j, -v "
	 "and\nreports"},
	{"again", 0, PV_OPTION_TEXT, AT(again), "WHICH",
	 "with --resume: run 'interrupted' cases again, which\nhad begun: right on models; on a board you vouch\n"
	 "that they do no harm",
	 agains},
	{"rerun", 0, PV_OPTION_TEXT, AT(rerun), "WHICH",
	 "run the 'failed' or the 'incomplete' cases of an\nearlier run again, in a new one, with its options;\nits "
	 "folder "
	 "stands for FILE",
	 pv_cli_reruns},
	{"keep", 0, PV_OPTION_FLAG, AT(run.keep), NULL, "keep folders and artefacts of passed cases too"},
	{"max-artefact", 0, PV_OPTION_TEXT, AT(max_artefact), "SIZE", "drop larger artefacts (default: 64M)"},
	{"max-memory", 0, PV_OPTION_TEXT, AT(max_memory), "SIZE",
	 "stop a case that takes more (default: half of the\nmachine's, at most 4G; 0: no limit)"},
	{"agent", 0, PV_OPTION_TEXT, AT(run.agent), "FILE",
	 "program that runs a case (default: this one,\nor as PCIEVAL_AGENT says)"},
	{"verbose", 'v', PV_OPTION_FLAG, AT(run.verbose), NULL, "every case as it ends, and the slowest"},
	{"quiet", 'q', PV_OPTION_FLAG, AT(run.quiet), NULL, "only what did not pass, and the totals"},
	{"color", 0, PV_OPTION_TEXT, AT(colour), "WHEN", PV_CLI_COLOUR_HELP, pv_cli_colours},
	{0},
};
/* clang-format on */

static const struct pv_defect_info defects[] = {
#define X(id, name, area, text) {name, area, text},
	PV_DEFECTS(X)
#undef X
};

static int list_defects(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(defects); i++)
		printf("%-24s %-6s %s\n", defects[i].name, defects[i].area, defects[i].text);
	return PV_EXIT_PASSED;
}

/* -- settings ------------------------------------------------------------------------------------ */

static const char *or_default(const char *value, const char *otherwise)
{
	return value && *value ? value : otherwise;
}

static const char *default_driver(const struct options *o)
{
	return or_default(o->run.driver,
			  strcmp(or_default(o->selection.target, "model"), "qemu") ? "reference" : "kernel");
}

static char *command_line(int argc, char **argv)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return NULL;
	fputs("pcieval", f);
	for (int i = 0; i < argc; i++) {
		fputc(' ', f);
		pv_shell_word(f, argv[i]);
	}
	fclose(f);
	return text;
}

static const char *candidate_defect(const void *ctx, size_t i)
{
	return i < ARRAY_SIZE(defects) ? defects[i].name : NULL;
}

static int check_defects(const char *const *names, struct pv_error *e)
{
	for (; names && *names; names++) {
		bool known = false;
		for (size_t d = 0; d < ARRAY_SIZE(defects); d++)
			known |= !strcmp(defects[d].name, *names);
		if (!known)
			return pv_error(e, -EINVAL,
					"--defect: there is no defect '%s'%s; see pcieval run --list-defects",
					PV_SHOW(*names), pv_did_you_mean(*names, candidate_defect, NULL).s);
	}
	return 0;
}

static int parse_scale(const char *text, double *out, struct pv_error *e)
{
	char *end;
	*out = text ? strtod(text, &end) : 1;
	if (text && (end == text || *end || !(*out > 0 && *out <= 1e6)))
		return pv_error(e, -EINVAL, "--timeout-scale: expected a number above 0, got '%s'", text);
	return 0;
}

/* Bytes, or with K, M or G in powers of 1024. */
static int parse_size(const char *option, const char *text, uint64_t *out, struct pv_error *e)
{
	static const char suffixes[] = "KMG";
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	const char *suffix = *end ? strchr(suffixes, *end) : NULL;
	bool bad = end == text || *text == '-' || errno || n > UINT64_MAX >> 30 || (*end && (!suffix || end[1]));
	if (bad)
		return pv_error(e, -EINVAL, "--%s: expected a size such as 65536 or 64M, got '%s'", option,
				PV_SHOW(text));
	*out = suffix ? n << (10 * (suffix - suffixes + 1)) : n;
	return 0;
}

static uint64_t half_of_memory(void)
{
	const uint64_t most = UINT64_C(4) << 30;
	long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
	uint64_t half = pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / 2 : most;
	return half < most ? half : most;
}

/* Not found out once for each case. */
static int check_agent(const char *agent, struct pv_error *e)
{
	struct stat st;
	if (!agent)
		return 0;
	int err = stat(agent, &st) ? errno : S_ISDIR(st.st_mode) ? EISDIR : access(agent, X_OK) ? errno : 0;
	return err ? pv_error(e, -err, "--agent: %s: cannot be run as the agent: %s", PV_SHOW(agent), strerror(err))
		   : 0;
}

static int check_values(struct options *o, struct pv_error *e)
{
	int err = check_defects(o->defects, e);
	if (!err)
		err = pv_cli_check_target(&o->selection, o->run.agent, e);
	if (!err)
		err = check_agent(o->run.agent, e);
	if (!err)
		err = pv_cli_check_driver(or_default(o->selection.target, "model"), default_driver(o), o->run.agent, e);
	if (!err)
		err = parse_scale(o->timeout_scale, &o->run.timeout_scale, e);
	if (!err)
		err = parse_size("max-artefact", or_default(o->max_artefact, "64M"), &o->run.max_artefact_bytes, e);
	o->run.max_memory_bytes = half_of_memory();
	if (!err && o->max_memory)
		err = parse_size("max-memory", o->max_memory, &o->run.max_memory_bytes, e);
	if (!err)
		err = pv_cli_order_check(&o->run, o->shuffle_seed, e);
	if (!err)
		err = pv_cli_check_colour(o->colour, e);
	return err ? err : pv_reporting_check(&o->reporting, e);
}

static void complete(struct options *a)
{
	struct pv_run_options *o = &a->run;
	FILE *out = pv_reporting_on_stdout(&a->reporting) ? stderr : stdout;
	const char *term = getenv("TERM");
	a->selection.target = or_default(a->selection.target, "model");
	o->target = a->selection.target;
	o->driver = default_driver(a);
	o->board = or_default(o->board, strcmp(o->target, "model") ? "default" : "embedded");
	o->workers = a->jobs ? a->jobs : pv_cli_processors();
	o->defects = a->defects;
	o->case_json = pv_cli_case_json;
	o->out = out;
	o->live = isatty(fileno(out)) && !(term && !strcmp(term, "dumb"));
	o->live &= !o->quiet;
	o->colour = pv_terminal_colour_asked(a->colour, fileno(out));
}

/* -- the run ------------------------------------------------------------------------------------- */

/* The results come from the folder, also when the run broke off: what is on disk is what counts. */
static int report_run(struct options *a, const char *folder, bool broken)
{
	struct pv_error e = {0};
	struct pv_run_result *result;
	if (pv_run_load(folder, &result, &e)) {
		pv_cli_error("run: %s", e.text);
		return PV_EXIT_UNJUDGED;
	}
	const struct pv_terminal_style style = {
		.colour = a->run.colour, .verbose = a->run.verbose, .quiet = a->run.quiet};
	pv_terminal_summary(result, &style, a->run.out);
	int status = pv_reporting_write(&a->reporting, result);
	pv_run_result_free(result);
	return broken && status == PV_EXIT_PASSED ? PV_EXIT_UNJUDGED : status;
}

static int run_jobs(struct options *a, const struct pv_job *jobs, size_t n)
{
	struct pv_error e = {0};
	_cleanup_(pv_run_folder_free) struct pv_run_folder folder;
	if (pv_folder_create(a->results, &a->run, jobs, n, &folder, &e))
		return pv_cli_error("run: %s", e.text);
	bool broken = pv_run(&folder, &a->run, jobs, n, &e);
	if (broken)
		pv_cli_error("run: %s", e.text);
	return report_run(a, folder.path, broken);
}

/* What this kernel's drivers are known to do; nothing is known of a kernel without a version. */
static int find_deviations(struct options *a, const char *const *paths, size_t n, struct pv_error *e)
{
	const char *release = json_object_get_string(json_object_object_get(a->run.guest, "release"));
	_autofree_ char *folder = pv_cli_find_upwards(paths, n, "fixtures/deviations");
	return release && folder ? pv_cli_deviations(folder, release, &a->run.deviations, e) : 0;
}

/* Those of the user's file, besides. */
static int find_known_failures(struct options *a, struct pv_error *e)
{
	char today[16];
	time_t now = time(NULL);
	struct tm tm;
	strftime(today, sizeof(today), "%Y-%m-%d", gmtime_r(&now, &tm));
	const struct pv_cli_tested tested = {
		.target = a->run.target,
		.driver = a->run.driver,
		.release = json_object_get_string(json_object_object_get(a->run.guest, "release")),
		.today = today};
	int err = a->known_failures ? pv_cli_known_failures(a->known_failures, &tested, &a->run.deviations, e) : 0;
	return err ? pv_error_context(e, "--known-failures: ") : 0;
}

/* Has what a guest needs found or built, before the first case. */
static int find_guest(struct options *a, const char *const *paths, size_t n)
{
	struct pv_error e = {0};
	if (strcmp(a->run.target, "qemu"))
		return 0;
	const char *given[] = {"kernel",     a->guest.kernel,
			       "modules",    a->guest.modules,
			       "append",     a->guest.append,
			       "fresh-boot", a->guest.fresh_boot ? "" : NULL,
			       "real-time",  a->guest.real_time ? "" : NULL,
			       "leaks",	     a->guest.leaks ? "" : NULL,
			       NULL};
	memcpy(a->guest_options, given, sizeof(given));
	a->run.guest_options = a->guest_options;
	int err = pv_cli_guest_json(&a->guest, paths, n, &a->run.guest, &e);
	if (!err)
		err = find_deviations(a, paths, n, &e);
	if (err)
		pv_cli_error("run: %s", e.text);
	return err;
}

/* What is chosen to be run is shown or run. */
static int use_jobs(struct options *a, const struct pv_job *jobs, size_t n, const char *const *paths, size_t n_paths)
{
	struct pv_error e = {0};
	if (pv_cli_order_fits(&a->run, n, &e))
		return pv_cli_error("run: %s", e.text);
	_autofree_ struct pv_job *ordered = pv_cli_order_jobs(&a->run, jobs, &n);
	if (!ordered)
		return pv_cli_error("run: no memory");
	if (a->dry_run)
		return pv_cli_print_jobs(&a->run, ordered, n), PV_EXIT_PASSED;
	/* Without plans the guest is that of an earlier run. */
	if (n_paths && find_guest(a, paths, n_paths))
		return PV_EXIT_USAGE;
	if (find_known_failures(a, &e))
		return pv_cli_error("run: %s", e.text);
	return run_jobs(a, ordered, n);
}

static int list_tags(const struct options *a, const struct pv_plans *plans)
{
	const struct pv_selection s = pv_cli_selection(&a->selection);
	pv_cli_list_tags(plans, &s);
	return PV_EXIT_PASSED;
}

static int run_plans(struct options *a, const char *const *paths, size_t n_paths)
{
	const struct pv_plan_options plan_options = {.seed = a->run.seed};
	_autofree_ char *goldens = pv_cli_golden_folder(a->run.golden_folder, paths, n_paths);
	a->run.golden_given = a->run.golden_folder;
	a->run.golden_folder = goldens;
	struct pv_plans *plans =
		pv_cli_selection_read(&a->selection) ? pv_cli_load(paths, n_paths, &plan_options) : NULL;
	if (!plans)
		return PV_EXIT_USAGE;
	size_t n;
	_autofree_ struct pv_job *jobs = pv_cli_jobs(plans, &a->selection, NULL, &n);
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
	json_object_put(a->run.deviations);
	pv_plans_free(plans);
	return status;
}

/* ---- going on with one ---- */

static int resume_jobs(struct options *o, const struct pv_interrupted *run)
{
	struct pv_error e = {0};
	struct pv_plans *plans;
	_autofree_ struct pv_job *jobs = pv_cli_resume_jobs(run, &o->run, &plans);
	int status = PV_EXIT_USAGE;
	if (jobs) {
		struct pv_run_folder folder = {.path = (char *)o->resume, .claim = -1};
		bool broken = pv_run(&folder, &o->run, jobs, run->result->n_cases, &e);
		if (broken)
			pv_cli_error("run: %s", e.text);
		status = broken && e.code == -EBUSY ? PV_EXIT_USAGE : report_run(o, o->resume, broken);
	}
	pv_plans_free(plans);
	return status;
}

static int resume(const struct pv_command *self, struct options *o, size_t n_paths)
{
	struct pv_error e = {0};
	struct pv_interrupted run = {.again = o->again};
	int status;
	if (o->again && strcmp(o->again, agains[0]))
		return pv_cli_error("run: --again: expected interrupted, got '%s'%s", PV_SHOW(o->again),
				    pv_did_you_mean(o->again, pv_candidate_of_array, agains).s);
	if (n_paths)
		return pv_cli_error("run: --resume: expected no plans, got %zu: the run has them", n_paths);
	if (!pv_cli_resume_alone(self, o))
		return PV_EXIT_USAGE;
	if (pv_interrupted_load(o->resume, &run, &o->run, &e) || pv_reporting_check(&o->reporting, &e) ||
	    pv_cli_check_colour(o->colour, &e)) {
		status = pv_cli_error("run: --resume: %s", e.text);
	} else {
		o->selection.target = o->run.target;
		complete(o);
		o->run.defects = run.defects;
		status = resume_jobs(o, &run);
	}
	pv_interrupted_free(&run);
	return status;
}

/* ---- the cases of an earlier run ---- */

static int rerun_jobs(struct options *o, const struct pv_interrupted *run)
{
	struct pv_plans *plans;
	size_t n;
	int status = PV_EXIT_USAGE;
	_autofree_ struct pv_job *jobs = pv_cli_rerun_jobs(run, &o->run, o->rerun, &plans, &n);
	if (jobs && n)
		status = use_jobs(o, jobs, n, NULL, 0);
	else if (jobs && o->selection.allow_empty)
		status = PV_EXIT_PASSED;
	else if (jobs)
		pv_cli_error("run: --rerun: no case of the run is %s: nothing was run", o->rerun);
	pv_plans_free(plans);
	return status;
}

static int rerun(const struct pv_command *self, struct options *o, const char *const *paths, size_t n_paths)
{
	struct pv_error e = {0};
	struct pv_interrupted run = {.anew = true};
	const char *const *which = pv_cli_reruns;
	int status;
	while (*which && strcmp(*which, o->rerun))
		which++;
	if (!*which)
		return pv_cli_error("run: --rerun: expected failed or incomplete, got '%s'%s", PV_SHOW(o->rerun),
				    pv_did_you_mean(o->rerun, pv_candidate_of_array, pv_cli_reruns).s);
	if (n_paths != 1)
		return pv_cli_error("run: --rerun: expected the folder of one run, got %zu arguments", n_paths);
	if (!pv_cli_rerun_alone(self, o))
		return PV_EXIT_USAGE;
	if (pv_interrupted_load(paths[0], &run, &o->run, &e) || pv_reporting_check(&o->reporting, &e) ||
	    pv_cli_order_check(&o->run, o->shuffle_seed, &e) || pv_cli_check_colour(o->colour, &e)) {
		status = pv_cli_error("run: --rerun: %s", e.text);
	} else {
		o->selection.target = o->run.target;
		complete(o);
		o->run.defects = run.defects;
		status = rerun_jobs(o, &run);
	}
	pv_interrupted_free(&run);
	return status;
}

static int run_checked(const struct pv_command *self, struct options *o, const char *const *paths, size_t n_paths)
{
	struct pv_error e = {0};
	if (o->list_defects)
		return list_defects();
	if (o->resume && o->rerun)
		return pv_cli_error("run: expected --resume or --rerun, got both");
	if (o->resume)
		return resume(self, o, n_paths);
	if (o->rerun)
		return rerun(self, o, paths, n_paths);
	if (o->again)
		return pv_cli_error("run: --again goes with --resume only");
	o->run.agent = or_default(o->run.agent, getenv("PCIEVAL_AGENT"));
	if (check_values(o, &e))
		return pv_cli_error("run: %s", e.text);
	complete(o);
	return run_plans(o, paths, n_paths);
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	_autofree_ char *command = command_line(argc, argv);
	int first, status;
	o.run.command = command;
	if (pv_cli_parse(self, argc, argv, &o, &first, &status))
		status = run_checked(self, &o, (const char *const *)argv + first, (size_t)(argc - first));
	pv_cli_selection_free(&o.selection);
	pv_cli_free(self, &o);
	return status;
}

const struct pv_command pv_command_run = {
	.name = "run",
	.args = "FILE|FOLDER...",
	.help = "run the cases of plans and report",
	.text = "Exit status: 0 all passed, 1 something failed, 2 usage or plan error, 3 some\n"
		"case could not be judged. A run that is interrupted reports what was done; the\n"
		"rest are errors. Of a FOLDER all plans (*.xml) are run.",
	.options = options,
	.run = run,
};
