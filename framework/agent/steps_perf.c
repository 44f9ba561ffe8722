/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps that run perf on the system under test. A plan gives perf events and seconds, never a command, so that no other
 * program can be run this way.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "framework/agent/perf_run.h"
#include "framework/util/cleanup.h"

#define OUTPUT_BYTES	(4u << 20)
#define COMPLAINT_BYTES (16u << 10)
#define PATIENCE_MS	120000u /* of the system's own time */
#define STATUS_NO_PERF	127
#define STATUS_UNABLE	126 /* of sh(1): a program that cannot be started; of our scripts: no folder for its files */

/*
 * Scripts of sh(1); $0 is the id. Files are in TMPDIR. In the background perf goes on while the steps after it run, for
 * the seconds that it was given.
 */
#define IN_FOLDER "cd \"${TMPDIR:-/no/TMPDIR}\" || exit 126\n"
static const char in_foreground[] = IN_FOLDER "exec \"$@\"";
static const char in_background[] =
	IN_FOLDER "pwd\n{ \"$@\" >\"$0.out\" 2>&1; echo $? >\"$0.status\"; } </dev/null >/dev/null 2>&1 &";
static const char wait_for_end[] =
	IN_FOLDER "while [ ! -s \"$0.status\" ]; do sleep 0.1; done; cat \"$0.out\"; exit \"$(cat \"$0.status\")\"";

enum what { LIST, STAT, RECORD, REPORT };
enum { ARGS = 12 };

/* ---- programs ---- */

/* An output without its end is never judged: a line that must not be there may be in the part that was dropped. */
static int expect_whole(struct pv_session *s, const struct pv_shell_output *o)
{
	if (!o->cut)
		return 0;
	pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL,
			   "running perf: expected less than %zu bytes of output, got more", o->room);
	return -EFBIG;
}

/* 0: the program ended with *status. Else a problem was reported. `said` has room for OUTPUT_BYTES. */
static int run(struct pv_session *s, const char *const *argv, int *status, char *said)
{
	struct pv_shell *shell = s->t->shell;
	char complaint[COMPLAINT_BYTES];
	struct pv_shell_output out = {said, OUTPUT_BYTES}, err = {complaint, sizeof(complaint)};
	int failed = shell->ops->run(shell, argv, PATIENCE_MS, status, &out, &err);

	if (failed) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", *complaint ? complaint : NULL,
				   "running perf: expected success, got %s", pv_errno_name(failed));
		return failed;
	}
	if (WIFEXITED(*status) && WEXITSTATUS(*status) == STATUS_NO_PERF)
		return pv_session_unsupported(s, "perf");
	bool complains = *complaint && !*said;
	if (complains)
		memcpy(said, complaint, sizeof(complaint));
	if (!WIFEXITED(*status) || WEXITSTATUS(*status) != STATUS_UNABLE)
		return expect_whole(s, complains ? &err : &out);
	pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", said, "perf could not be started");
	return -EACCES;
}

static bool ended_well(int status)
{
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static struct pv_perf_run *find(struct pv_session *s, const char *id)
{
	struct pv_perf_run *p = s->perfs;

	while (p && strcmp(p->id, id))
		p = p->next;
	return p;
}

struct pv_perf_run *pv_perf_run_get(struct pv_session *s, const char *id)
{
	struct pv_perf_run *p = find(s, id);

	if (!p)
		pv_session_plan_error(s, "no perf '%s' was started before", id);
	return p;
}

static struct pv_perf_run *make(struct pv_session *s, const char *id)
{
	struct pv_perf_run *p = calloc(1, sizeof(*p));
	char *said = calloc(1, OUTPUT_BYTES);

	if (!p || !said) {
		free(p);
		free(said);
		pv_session_plan_error(s, "no memory for what perf says");
		return NULL;
	}
	snprintf(p->id, sizeof(p->id), "%s", id);
	p->said = said;
	p->next = s->perfs;
	s->perfs = p;
	return p;
}

/* ---- perf ---- */

/* Parts of a command line, as text. */
struct command {
	const char *events;
	char file[PV_ID_MAX + 8];
	char seconds[24], ms[24];	  /* the duration */
	char interval[24], intervals[24]; /* stat: length in ms, and number; interval "": one count */
};

static void fill_parts(struct command *c, enum what what, const struct pv_args *a)
{
	uint64_t seconds = pv_arg_number(a, "seconds"), interval = pv_arg_number(a, "interval");

	*c = (struct command){.events = pv_arg_text(a, "events")};
	snprintf(c->file, sizeof(c->file), "%s.data", pv_arg_text(a, what == REPORT ? "of" : "id"));
	snprintf(c->seconds, sizeof(c->seconds), "%" PRIu64, seconds);
	snprintf(c->ms, sizeof(c->ms), "%" PRIu64, 1000 * seconds);
	if (!interval)
		return;
	snprintf(c->interval, sizeof(c->interval), "%" PRIu64, interval);
	snprintf(c->intervals, sizeof(c->intervals), "%" PRIu64, 1000 * seconds / interval);
}

/* Fills argv with the command line of perf, terminated by NULL. perf stat takes no --timeout with -I. */
static void fill_command(const char **argv, enum what what, const struct command *c)
{
	const char *const all[][ARGS] = {
		[LIST] = {"perf", "list", "--no-desc", NULL},
		[STAT] = {"perf", "stat", "-a", "-x", ",", "--timeout", c->ms, "-e", c->events, NULL},
		[RECORD] = {"perf", "record", "-a", "-o", c->file, "-e", c->events, "--", "sleep", c->seconds, NULL},
		[REPORT] = {"perf", "report", "-D", "-i", c->file, NULL},
	};
	const char *const intervals[ARGS] = {"perf",	   "stat", "-a",	"-x",
					     ",",	   "-I",   c->interval, "--interval-count",
					     c->intervals, "-e",   c->events,	NULL};

	memcpy(argv, *c->interval ? intervals : all[what], sizeof(intervals));
}

static int run_script(struct pv_session *s, struct pv_perf_run *p, const char *script, const char *const *perf)
{
	const char *argv[4 + ARGS] = {"sh", "-c", script, p->id};

	for (size_t i = 0; perf[i]; i++)
		argv[4 + i] = perf[i];
	return run(s, argv, &p->status, p->said);
}

static int start(struct pv_session *s, struct pv_perf_run *p, const char *const *perf)
{
	p->runs = true;
	pv_window_outer_begin(s, &p->win);
	int err = run_script(s, p, in_background, perf);
	snprintf(p->folder, sizeof(p->folder), "%.*s", (int)strcspn(p->said, "\n"), p->said);
	return err;
}

static int finish(struct pv_session *s, struct pv_perf_run *p)
{
	p->runs = false;
	pv_window_outer_end(s, &p->win);
	if (p->status)
		return pv_session_judge(s, ended_well(p->status), p->said,
					"perf %s: expected it to end with status 0, got %d", p->id,
					WIFEXITED(p->status) ? WEXITSTATUS(p->status) : -WTERMSIG(p->status));
	return 0;
}

/* 0: the step is one that this system can do. */
static int check(struct pv_session *s, const struct pv_args *a)
{
	const enum what what = (enum what)pv_arg_choice(a, "what");
	const char *id = pv_arg_text(a, "id"), *of = pv_arg_text(a, "of");

	if (!s->t->shell)
		return pv_session_unsupported(s, "perf");
	if (!s->t->shell->ops->run)
		return pv_session_unsupported(s, "right to run perf: --allow-exec gives it");
	if (strlen(id) >= PV_ID_MAX)
		return pv_session_plan_error(s, "perf '%s': expected a name of at most %d characters", id,
					     PV_ID_MAX - 1);
	if (find(s, id))
		return pv_session_plan_error(s, "perf '%s' was started before", id);
	if ((what == STAT || what == RECORD) && !pv_arg_text(a, "events"))
		return pv_session_plan_error(s, "perf stat and perf record need events");
	if (what != RECORD && pv_arg_has(a, "trace"))
		return pv_session_plan_error(s, "only perf record has a trace");
	if (what != STAT && pv_arg_has(a, "interval"))
		return pv_session_plan_error(s, "only perf stat has intervals");
	if (pv_arg_number(a, "interval") > 1000 * pv_arg_number(a, "seconds"))
		return pv_session_plan_error(s, "interval: expected at most the duration, got %" PRIu64 " ms",
					     pv_arg_number(a, "interval"));
	if (what == REPORT && (!of || !find(s, of)))
		return pv_session_plan_error(s, "perf report needs `of`, the perf record that it is about");
	return 0;
}

static int do_perf(struct pv_session *s, const struct pv_args *a)
{
	const enum what what = (enum what)pv_arg_choice(a, "what");
	const char *id = pv_arg_text(a, "id");
	const char *trace = pv_arg_has(a, "trace") ? pv_arg_text(a, "trace") : "";
	const char *perf[ARGS];
	struct command c;
	int err = check(s, a);

	if (err)
		return err;
	struct pv_perf_run *p = make(s, id);
	if (!p)
		return -ENOMEM;
	fill_parts(&c, what, a);
	fill_command(perf, what, &c);
	p->has_intervals = *c.interval;
	snprintf(p->trace, sizeof(p->trace), "%s", trace);
	if (*trace && pv_perf_trace_begin(s, trace, c.events))
		return -1;
	if (what == STAT || what == RECORD)
		return start(s, p, perf);
	err = run_script(s, p, in_foreground, perf);
	return err ? err : finish(s, p);
}

static int do_perf_end(struct pv_session *s, const struct pv_args *a)
{
	struct pv_perf_run *p = pv_perf_run_get(s, pv_arg_text(a, "id"));
	char file[sizeof(p->folder) + PV_ID_MAX + 8];

	if (!p)
		return -1;
	if (!p->runs)
		return pv_session_plan_error(s, "perf '%s' does not run", p->id);
	if (*p->trace)
		pv_perf_trace_ending(s, p->trace);
	int end = run_script(s, p, wait_for_end, (const char *const[]){NULL});
	if (!end)
		end = finish(s, p);
	if (!*p->trace)
		return end;
	snprintf(file, sizeof(file), "%s/%s.data", p->folder, p->id);
	int kept = pv_perf_trace_end(s, p->trace, end || p->status ? NULL : file);
	return end ? end : kept;
}

const struct pv_step_def pv_steps_perf[] = {
	{"perf", do_perf, PV_STEP_DRIVER},
	{"perf-end", do_perf_end, PV_STEP_DRIVER},
	{NULL},
};
