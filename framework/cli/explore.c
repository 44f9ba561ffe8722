/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval explore: draws cases at random until the time is up, and writes what fails as plans. The exit status is 1
 * when something was found, 3 when the session could not go on, 2 for a wrong option.
 */
#include "framework/cli/explore_target.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "framework/cli/commands.h"
#include "framework/cli/explore_corpus.h"
#include "framework/cli/explore_report.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"

enum { STEPS_DEFAULT = 30, STEPS_MAX = 1000, BATCH = 50, FINDINGS_MAX = 50, SECONDS_DEFAULT = 60 };

#define AT(member) PV_CLI_EXPLORE_AT(run.member)

/* clang-format off: a list that expands to entries */
static const struct pv_option options[] = {
	{"subject", 's', PV_OPTION_LIST, PV_CLI_EXPLORE_AT(subjects), "SUBJECT",
	 "ptt, cpmu, dwc, mps, abi, registers or all\n(default); may be given several times", pv_explore_subjects},
	{"time", 0, PV_OPTION_TEXT, PV_CLI_EXPLORE_AT(time), "TIME",
	 "end after 30s, 10m or 2h (default without --cases: 1m)"},
	{"cases", 0, PV_OPTION_NUMBER, PV_CLI_EXPLORE_AT(cases), "N", "end after N cases"},
	{"findings", 0, PV_OPTION_NUMBER, PV_CLI_EXPLORE_AT(findings_max), "N", "end after N findings (default: 50)"},
	{"seed", 0, PV_OPTION_TEXT, PV_CLI_EXPLORE_AT(seed), "SEED",
	 "draw the same cases as the session with this seed"},
	{"steps", 0, PV_OPTION_NUMBER, PV_CLI_EXPLORE_AT(steps), "N", "steps of a case, about (default: 30)"},
	{"corpus", 0, PV_OPTION_LIST, PV_CLI_EXPLORE_AT(corpus), "DIR",
	 "keep cases that reach something new in DIR, and\nmake others of them; more folders are only read"},
	{"no-shrink", 0, PV_OPTION_FLAG, PV_CLI_EXPLORE_AT(no_shrink), NULL, "write failing cases as they were drawn"},
	PV_CLI_EXPLORE_TARGET,
	{"driver-coverage", 0, PV_OPTION_FLAG, AT(guest.gcov), NULL,
	 "with --corpus: lines of drivers\nare states, too (ci/guest gcov)", .targets = "qemu"},
	{"results", 0, PV_OPTION_TEXT, PV_CLI_EXPLORE_AT(results), "DIR",
	 "folder for what is found, new or empty (default:\npcieval-findings)"},
	PV_CLI_REPORTS{"quiet", 'q', PV_OPTION_FLAG, AT(run.quiet), NULL, "print only what was found"},
	{0},
};
/* clang-format on */

static volatile int stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

/* ---- options ---- */

static int parse_subjects(const char *const *words, unsigned *out, struct pv_error *e)
{
	static const char *const all[] = {"all", NULL};

	*out = 0;
	for (words = words && *words ? words : all; *words; words++) {
		unsigned s = pv_explore_subject_by_name(*words);

		if (!s)
			return pv_error(e, -EINVAL,
					"--subject: expected ptt, cpmu, dwc, mps, abi, registers or all, "
					"got '%s'%s",
					PV_SHOW(*words),
					pv_did_you_mean(*words, pv_candidate_of_array, pv_explore_subjects).s);
		*out |= s;
	}
	return 0;
}

static int parse_time(const char *text, double *out, struct pv_error *e)
{
	char *end = NULL;
	double n = text ? strtod(text, &end) : 0;
	double unit = !text || !strcmp(end, "s") || !*end ? 1 : !strcmp(end, "m") ? 60 : !strcmp(end, "h") ? 3600 : 0;

	*out = n * unit;
	if (text && (end == text || !(n > 0) || !(*out > 0 && *out < 1e7)))
		return pv_error(e, -EINVAL, "--time: expected a time such as 30s, 10m or 2h, got '%s'", PV_SHOW(text));
	return 0;
}

static int parse_seed(const char *text, uint64_t *out, struct pv_error *e)
{
	char *end = NULL;

	errno = 0;
	*out = text ? strtoull(text, &end, 0) : (uint64_t)time(NULL);
	if (text && (end == text || *end || *text == '-' || errno))
		return pv_error(e, -EINVAL, "--seed: expected a number, got '%s'", PV_SHOW(text));
	return 0;
}

static int check_results(const char *path, struct pv_error *e)
{
	if (rmdir(path) && errno != ENOENT)
		return pv_error(e, -errno, "--results: expected a new or empty folder, got %s: %s", PV_SHOW(path),
				strerror(errno));
	return 0;
}

static int parse(const struct pv_command *self, struct pv_cli_explore *o, struct pv_explore_session *s,
		 struct pv_error *e)
{
	int err = parse_subjects(o->subjects, &s->wish.subjects, e);

	if (!err)
		err = parse_time(o->time, &s->seconds, e);
	if (!err)
		err = parse_seed(o->seed, &s->wish.seed, e);
	if (!err && o->steps > STEPS_MAX)
		err = pv_error(e, -EINVAL, "--steps: expected at most %u, got %u", STEPS_MAX, o->steps);
	if (!err)
		err = pv_cli_explore_check(self, o, &s->tried, e);
	if (!err)
		err = check_results(o->results, e);
	if (!err && o->run.guest.gcov && !o->corpus)
		err = pv_error(e, -EINVAL, "--driver-coverage: expected --corpus, for which lines count");
	s->wish.steps = o->steps ? o->steps : STEPS_DEFAULT;
	s->wish.model = !s->tried.run;
	s->cases = o->cases;
	s->seconds = o->time || o->cases ? s->seconds : SECONDS_DEFAULT;
	s->findings_max = o->findings_max ? o->findings_max : FINDINGS_MAX;
	/* A driver that hangs each guest costs one time-out then, and not one for each case of a batch. */
	o->run.run.fail_fast = s->findings_max == 1 && !o->corpus;
	s->workers = o->run.run.workers;
	s->batch = BATCH;
	s->shrink = !o->no_shrink;
	s->stop = &stopped;
	return err ? err : pv_cli_explore_load(o, s, e);
}

/* ---- the command ---- */

static void catch_signals(void)
{
	const struct sigaction act = {.sa_handler = stop};

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
}

static int explore(struct pv_cli_explore *o, struct pv_explore_session *s)
{
	struct pv_error e = {0};
	struct pv_cli_findings told = {.o = o, .out = pv_reporting_on_stdout(&o->run.reporting) ? stderr : stdout};

	s->progress = isatty(STDERR_FILENO) && !o->run.run.quiet ? pv_cli_explore_progress : NULL;
	s->keep = s->wish.corpus ? pv_cli_explore_keep : NULL;
	s->ctx = &told;
	catch_signals();
	int err = pv_explore_run(s, &e);
	if (s->progress)
		fputs("\r\033[K", stderr);
	const char *broken = err ? e.text : stopped || s->interrupted ? "interrupted" : NULL;
	if (broken)
		pv_cli_error("explore: %s", broken);
	return pv_cli_explore_report(&told, s, broken);
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct pv_cli_explore o = {0};
	struct pv_explore_session s = {0};
	struct pv_error e = {0};
	int first, status;

	if (pv_cli_parse(self, argc, argv, &o, &first, &status)) {
		o.results = o.results ? o.results : "pcieval-findings";
		if (first < argc)
			status = pv_cli_error("explore: expected no argument, got '%s'", argv[first]);
		else if (parse(self, &o, &s, &e))
			status = pv_cli_error("explore: %s", e.text);
		else
			status = explore(&o, &s);
	}
	pv_explore_free(&s);
	pv_cli_explore_end(&o);
	pv_cli_free(self, &o);
	return status;
}

const struct pv_command pv_command_explore = {
	.name = "explore",
	.args = "",
	.help = "draw cases at random and judge them",
	.text = "Draws steps, arguments, machines and traffic, has the oracle judge what was\n"
		"counted and traced, and expects of a driver what the reference driver returns\n"
		"on the models. What fails is made small and written as a plan. Exit status:\n"
		"0 nothing was found, 1 something was found, 2 usage, 3 the session broke off,\n"
		"4 no case was judged.",
	.options = options,
	.run = run,
};
