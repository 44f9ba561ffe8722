/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of `pcieval run`: their table, checks and defaults. */
#include "framework/cli/run_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixtures/models/defects.h"
#include "framework/agent/targets.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"
#include "reports/terminal.h"

#define AT(member) offsetof(struct pv_cli_run, member)

const char *const pv_cli_agains[] = {"interrupted", NULL};

/* clang-format off: a list that expands to entries */
const struct pv_option pv_cli_run_options[] = {
	{"target", 't', PV_OPTION_LIST, AT(targets), "TARGET", PV_CLI_TARGET_HELP, PV_CLI_TARGET_VALUES},
	PV_CLI_CASES(struct pv_cli_run),
	{"jobs", 'j', PV_OPTION_NUMBER, AT(jobs), "N", "parallel cases (default, and 0: one per processor)"},
	{"board", 0, PV_OPTION_TEXT, AT(run.board), "NAME",
	 "name of the target in reports; NAME.xml, on local\nand ssh: its description, a file"},
	{"driver", 0, PV_OPTION_LIST, AT(drivers), "DRIVER",
	 "driver under test (default: reference; on target\nqemu kernel, or reference; on local and ssh system,\nor "
	 "reference with --allow-unbind)",
	 PV_CLI_DRIVER_VALUES},
	{"root", 0, PV_OPTION_TEXT, AT(board.root), "DIR", "folder that contains /sys and\n/dev of the machine",
	 .targets = "local ssh"},
	{"allow-exec", 0, PV_OPTION_FLAG, AT(board.exec), NULL, "run the workload commands of\nthe board's description",
	 .targets = "local ssh"},
	{"wait", 0, PV_OPTION_FLAG, AT(board.wait), NULL,
	 "wait for others that use the\nmachine or its place in labgrid", .targets = "local ssh"},
	{"allow-unbind", 0, PV_OPTION_FLAG, AT(board.unbind), NULL,
	 "let the reference driver take\nthe plan's functions from the kernel's drivers", .targets = "local ssh"},
	{"bind", 0, PV_OPTION_LIST, AT(binds), "ROLE=BDF,...",
	 "roles of cases that\nthese functions of the machine must play", .targets = "local ssh"},
	{"every-match", 0, PV_OPTION_FLAG, AT(board.every), NULL,
	 "run a case on each function\nof the machine that it can be about", .targets = "local ssh"},
	{"kernel", 0, PV_OPTION_LIST, AT(kernels), "KERNEL",
	 "fast (default), debug, debian:SERIES,\nsource:TREE, or an arm64 Image; fast+fixed:\nwith the fixes of "
	 "ci/driver-fixes; several\nkernels, drivers or targets: each combination\nis a run, and a table shows what "
	 "differs",
	 PV_CLI_KERNEL_VALUES, .targets = "qemu"},
	{"modules", 0, PV_OPTION_TEXT, AT(guest.modules), "DIR",
	 "modules to load instead of the kernel's\nmodules of the same name", .targets = "qemu"},
	{"source", 0, PV_OPTION_TEXT, AT(guest.source), "PATH",
	 "a driver's FILE.c, or its folder:\ncompiled for the kernel, and loaded instead\nof the kernel's own",
	 .targets = "qemu"},
	{"append", 0, PV_OPTION_TEXT, AT(guest.append), "TEXT", "add to the kernel's command line", .targets = "qemu"},
	{"fresh-boot", 0, PV_OPTION_FLAG, AT(guest.fresh_boot), NULL,
	 "boot the kernel for each case, instead\nof restoring a saved machine", .targets = "qemu"},
	{"real-time", 0, PV_OPTION_FLAG, AT(guest.real_time), NULL,
	 "time passes as in reality; results are\nnot repeatable", .targets = "qemu"},
	{"leaks", 0, PV_OPTION_FLAG, AT(guest.leaks), NULL,
	 "look for memory that drivers have lost,\nafter each case (with --kernel debug)", .targets = "qemu"},
	{"driver-coverage", 0, PV_OPTION_FLAG, AT(guest.gcov), NULL,
	 "save which lines of the kernel's\ndrivers each case reaches, for `pcieval\ncoverage --lines`",
	 .targets = "qemu"},
	{"seed", 0, PV_OPTION_TEXT, AT(run.seed), "SEED", "use this seed instead of those of the plans"},
	{"timeout-scale", 0, PV_OPTION_TEXT, AT(timeout_scale), "FACTOR", "multiply all timeouts by FACTOR"},
	{"health-check", 0, PV_OPTION_FLAG, AT(run.health_check), NULL,
	 "the first plan's cases\ncome first; unless one passes and none fails, no other\nplan is begun",
	 .targets = "local ssh"},
	{"abort-on-taint", 0, PV_OPTION_FLAG, AT(run.abort_on_taint), NULL,
	 "start no case after one during\nwhich the kernel became tainted by a bug", .targets = "local ssh"},
	{"fail-fast", 0, PV_OPTION_FLAG, AT(run.fail_fast), NULL, "start no case after the first failure or error"},
	{"max-fail", 0, PV_OPTION_NUMBER, AT(run.max_fail), "N", "start no case after N failures and errors"},
	{"retry-errors", 0, PV_OPTION_NUMBER, AT(run.retry_errors), "N",
	 "run a case that could not be judged up to N more\ntimes; if it then passes, it is reported as flaky"},
	{"repeat", 0, PV_OPTION_NUMBER, AT(run.repeat), "N", "run all cases N times"},
	{"until-failure", 0, PV_OPTION_FLAG, AT(run.until_failure), NULL,
	 "repeat the run until a case fails or cannot be\njudged; with --repeat at most N times (default: "
	 "1000,\nbut at most about 10000 cases)"},
	{"shuffle", 0, PV_OPTION_MAYBE, AT(run.shuffle), "SEED",
	 "run in random order; SEED gives the same order again"},
	{"shard", 0, PV_OPTION_TEXT, AT(shard_text), "I/N",
	 "run shard I of N, one Nth of the cases; `pcieval\nmerge` makes one run of all N"},
	{"durations", 0, PV_OPTION_TEXT, AT(durations), "RUN",
	 "with --shard: balance by the durations of an earlier\nrun; give all shards the same"},
	{"defect", 0, PV_OPTION_LIST, AT(defects), "NAME", "switch on a planted defect of the models"},
	{"list-defects", 0, PV_OPTION_FLAG, AT(list_defects), NULL, "list the planted defects and exit"},
	{"list-tags", 0, PV_OPTION_FLAG, AT(list_tags), NULL, "list the tags of the selected cases with their counts"},
	{"dry-run", 0, PV_OPTION_FLAG, AT(dry_run), NULL, "print what would run, in order, without running it"},
	{"known-failures", 0, PV_OPTION_TEXT, AT(known_failures), "FILE",
	 "report known failures as skipped, with their reason;\none that passes, or has expired, is a failure"},
	{"golden-dir", 0, PV_OPTION_TEXT, AT(run.golden_folder), "DIR",
	 "golden traces and counters (default:\nfixtures/golden of the tree that holds the plans)"},
	PV_CLI_REPORTS{"results", 0, PV_OPTION_TEXT, AT(results), "DIR",
		       "run folder, new or empty (default:\npcieval-results/TIME, and the link `latest` to it)"},
	{"resume", 0, PV_OPTION_TEXT, AT(resume), "DIR",
	 "continue an interrupted run in its folder; takes no\nFILE and no options but --again, -j, -v and reports"},
	{"again", 0, PV_OPTION_TEXT, AT(again), "WHICH",
	 "with --resume: 'interrupted' runs cases again that had\nbegun; on a board, only if the interrupted case did\n"
	 "not take the board down and may run twice",
	 pv_cli_agains},
	{"rerun", 0, PV_OPTION_TEXT, AT(rerun), "WHICH",
	 "run the 'failed' or the 'incomplete' cases of an\nearlier run again, as it tested them: plans, "
	 "target,\ndriver, seed, goldens, defects, limits; give its\nfolder "
	 "instead of FILE",
	 pv_interrupted_reruns},
	{"bisect", 0, PV_OPTION_FLAG, AT(bisect), NULL,
	 "exit status for `git bisect run`: 0 good, 1 bad, 125\nnot to be judged, 255 stops the bisection"},
	{"allow-skip", 0, PV_OPTION_FLAG, AT(allow_skip), NULL, "exit status 0, not 4, when every case was skipped"},
	{"keep", 0, PV_OPTION_FLAG, AT(run.keep), NULL, "also keep folders and artefacts of passed cases"},
	{"max-artefact", 0, PV_OPTION_TEXT, AT(max_artefact), "SIZE", "drop larger artefacts (default: 64M)"},
	{"max-memory", 0, PV_OPTION_TEXT, AT(max_memory), "SIZE",
	 "abort a case that takes more memory (default: half of\nthe machine's, at most 4G; 0: no limit)"},
	{"agent", 0, PV_OPTION_TEXT, AT(run.agent), "FILE",
	 "program that runs a case (default: PCIEVAL_AGENT if\nset, else pcieval's own)"},
	{"verbose", 'v', PV_OPTION_FLAG, AT(run.verbose), NULL, "print every case as it ends, and the slowest ones"},
	{"quiet", 'q', PV_OPTION_FLAG, AT(run.quiet), NULL, "print only the totals and cases that did not pass"},
	{"color", 0, PV_OPTION_TEXT, AT(colour), "WHEN", PV_CLI_COLOUR_HELP, pv_cli_colours},
	{0},
};
/* clang-format on */

static const struct pv_defect_info defects[] = {
#define X(id, name, area, text) {name, area, text},
	PV_DEFECTS(X)
#undef X
};

int pv_cli_run_list_defects(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(defects); i++)
		printf("%-24s %-6s %s\n", defects[i].name, defects[i].area, defects[i].text);
	return PV_EXIT_PASSED;
}

static const char *or_default(const char *value, const char *otherwise)
{
	return value && *value ? value : otherwise;
}

static const char *default_driver(const struct pv_cli_run *o)
{
	const struct pv_target_ops *ops = pv_target_find(or_default(o->selection.target, "model"));
	return or_default(o->run.driver, ops && ops->drivers ? ops->drivers[0] : "reference");
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
		return pv_error(e, -EINVAL,
				"--timeout-scale: expected a number above 0 and of at most 1000000, got '%s'", text);
	return 0;
}

/* Parses a number of bytes, optionally with K, M or G (powers of 1024). */
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

/* Refuses parallel jobs on a real machine: there is only one, and cases would disturb each other. */
static int check_jobs(const struct pv_cli_run *o, struct pv_error *e)
{
	bool board = !o->run.agent && pv_board_is_target(or_default(o->selection.target, "model"));

	return board && o->jobs > 1
		       ? pv_error(e, -EINVAL, "--jobs: expected 1 on target %s, whose cases share one machine, got %u",
				  o->selection.target, o->jobs)
		       : 0;
}

/* The reference driver unbinds devices from the kernel's drivers: on a real machine the user must allow that. */
static int check_consent(const struct pv_cli_run *o, struct pv_error *e)
{
	const char *target = or_default(o->selection.target, "model");
	bool reference = pv_board_is_target(target) && !strcmp(default_driver(o), "reference");

	if (o->run.agent || reference == o->board.unbind)
		return 0;
	if (reference)
		return pv_error(
			e, -EPERM,
			"--driver reference: on target %s it takes the plan's functions from the kernel's drivers; "
			"say --allow-unbind if it may (docs/lab.md)",
			target);
	return pv_error(e, -EINVAL, "--allow-unbind: expected --driver reference, got %s", default_driver(o));
}

/* Checks once that the agent is executable, as otherwise every case would fail. */
static int check_agent(const char *agent, struct pv_error *e)
{
	struct stat st;

	if (!agent)
		return 0;
	int err = stat(agent, &st) ? errno : S_ISDIR(st.st_mode) ? EISDIR : access(agent, X_OK) ? errno : 0;
	return err ? pv_error(e, -err, "--agent: %s: cannot be run as the agent: %s", PV_SHOW(agent), strerror(err))
		   : 0;
}

/* If --board is a description, reads the name from it. */
static int read_board(struct pv_cli_run *o, struct pv_error *e)
{
	size_t n = o->run.board ? strlen(o->run.board) : 0;

	if (n < 4 || strcmp(o->run.board + n - 4, ".xml"))
		return 0;
	if (!pv_board_is_target(or_default(o->selection.target, "model")))
		return pv_error(e, -EINVAL,
				"--board %s: expected target local or ssh:HOST with the description of a board, got %s",
				o->run.board, or_default(o->selection.target, "model"));
	o->board_file = o->run.board;
	int err = pv_board_read(o->board_file, &o->board.description, e);
	o->run.board = o->board.description.name;
	return err ? pv_error_context(e, "--board: ") : 0;
}

/* The order of the plans is that of the command line. */
static int check_health(const struct pv_cli_run *o, struct pv_error *e)
{
	const char *other = o->shard_text ? "shard" : o->run.shuffle ? "shuffle" : NULL;

	return o->run.health_check && other
		       ? pv_error(e, -EINVAL, "--health-check: expected no --%s: the first plan comes first", other)
		       : 0;
}

/* Refuses options with which shards could not divide the jobs alike. */
static int check_shard(struct pv_cli_run *o, struct pv_error *e)
{
	if (!o->shard_text)
		return o->durations ? pv_error(e, -EINVAL, "--durations goes with --shard only") : 0;
	if (o->run.until_failure)
		return pv_error(e, -EINVAL,
				"--shard: expected no --until-failure: shards cannot know of each other's "
				"failures");
	if (o->board.every)
		return pv_error(
			e, -EINVAL,
			"--every-match: expected no --shard: the cases of a shard are known before the machine is");
	if (o->run.shuffle && !*o->run.shuffle)
		return pv_error(e, -EINVAL, "--shard: expected --shuffle=SEED, the same for all shards, got no seed");
	o->run.shard = &o->shard;
	return pv_shard_parse(o->shard_text, &o->shard, e);
}

int pv_cli_run_check(const struct pv_command *self, struct pv_cli_run *o, struct pv_error *e)
{
	o->run.agent = or_default(o->run.agent, getenv("PCIEVAL_AGENT"));

	int err = check_defects(o->defects, e);
	if (!err)
		err = pv_cli_check_target(&o->selection, o->run.agent, e);
	if (!err)
		err = pv_cli_check_options(self, o, or_default(o->selection.target, "model"), o->run.agent, e);
	if (!err)
		err = check_agent(o->run.agent, e);
	if (!err)
		err = check_jobs(o, e);
	if (!err)
		err = read_board(o, e);
	if (!err)
		err = pv_cli_check_driver(or_default(o->selection.target, "model"), default_driver(o), o->run.agent, e);
	if (!err)
		err = check_consent(o, e);
	if (!err)
		err = check_health(o, e);
	if (!err)
		err = parse_scale(o->timeout_scale, &o->run.timeout_scale, e);
	if (!err)
		err = parse_size("max-artefact", or_default(o->max_artefact, "64M"), &o->run.max_artefact_bytes, e);
	o->run.known_failures = o->known_failures;
	o->run.max_memory_given = o->max_memory;
	o->run.max_memory_bytes = half_of_memory();
	if (!err && o->max_memory)
		err = parse_size("max-memory", o->max_memory, &o->run.max_memory_bytes, e);
	if (!err)
		err = check_shard(o, e);
	if (!err)
		err = pv_order_check(&o->run, o->shuffle_seed, e);
	if (!err)
		err = pv_cli_check_colour(o->colour, e);
	return err ? err : pv_reporting_check(&o->reporting, e);
}

void pv_cli_run_complete(struct pv_cli_run *a)
{
	struct pv_run_options *o = &a->run;
	FILE *out = pv_reporting_on_stdout(&a->reporting) ? stderr : stdout;
	const char *term = getenv("TERM");

	a->selection.target = or_default(a->selection.target, "model");
	o->target = a->selection.target;
	o->driver = default_driver(a);
	o->board = or_default(o->board, pv_cli_board_name(o->target));
	o->workers = pv_board_is_target(o->target) && !o->agent ? 1 : a->jobs ? a->jobs : pv_run_processors();
	o->defects = a->defects;
	o->case_json = pv_job_case_json;
	o->out = out;
	o->live = isatty(fileno(out)) && !(term && !strcmp(term, "dumb"));
	o->live &= !o->quiet;
	o->colour = pv_terminal_colour(a->colour, fileno(out));
}
