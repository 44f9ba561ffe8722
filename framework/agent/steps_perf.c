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

#include "framework/agent/session.h"
#include "framework/agent/traces.h"
#include "framework/trace/trace.h"
#include "framework/util/cleanup.h"

#define OUTPUT_BYTES   (4u << 20)
#define PATIENCE_MS    120000u /* of the system's own time */
#define STATUS_NO_PERF 127
#define STATUS_UNABLE  126 /* of sh(1): a program that cannot be started; of our scripts: no folder for its files */

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
/* Of an id, which is part of a file's name. */

enum what { LIST, STAT, RECORD, REPORT };

/* ---- traces of perf record ---- */

/* The trace in the perf.data of a perf record of the system under test, for the checks of traces. */

#define FILE_BYTES_MAX (256u << 20)
#define PIECE_BYTES    (1u << 20)

/* ---- the event ---- */

/* "filter=0x80001,format=1", which it takes apart. */
static int pack(char *terms, uint64_t *config)
{
	for (char *term; (term = strsep(&terms, ","));) {
		char *value = strchr(term, '='), *end;

		if (!value || !value[1])
			return -EINVAL;
		*value++ = 0;
		uint64_t v = strtoull(value, &end, 0);
		if (*end || pv_trace_pack(term, v, config))
			return -EINVAL;
	}
	return 0;
}

/*
 * Adds a trace of the event, "hisi_ptt0_0/filter=0x80001,.../" as perf takes it, that runs from now on. 0, or -1: a
 * problem was reported.
 */
static int perf_trace_begin(struct pv_session *s, const char *id, const char *event)
{
	char pmu[64], terms[192];
	uint64_t config = 0;
	int end = 0;

	if (sscanf(event, "%63[^/]/%191[^/]/%n", pmu, terms, &end) != 2 || !end || event[end] || pack(terms, &config))
		return pv_session_plan_error(s, "trace: expected one event PMU/TERM=VALUE,.../ of a PTT, got \"%s\"",
					     event);
	struct pv_session_trace *t = pv_trace_new(s, id, pmu);
	if (!t)
		return -1;
	t->config.word[0] = config;
	int err = pv_trace_starting(s, t);
	if (err) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "no memory");
		return -1;
	}
	pv_trace_started(s, t, 0);
	return 0;
}

/* Call before waiting for the perf: what comes from now on need not be in the trace. */
static void perf_trace_ending(struct pv_session *s, const char *id)
{
	struct pv_session_trace *t = pv_session_trace(s, id);

	if (t)
		pv_trace_ending(s, t);
}

/* ---- the file ---- */

struct file {
	char *data; /* the caller frees */
	size_t len;
};

/* 0 or -errno. */
static int read_file(struct pv_shell *shell, const char *path, struct file *f)
{
	int64_t n = -EOPNOTSUPP;

	while (shell && shell->ops->file_read) {
		char *more = f->len < FILE_BYTES_MAX ? realloc(f->data, f->len + PIECE_BYTES) : NULL;

		if (!more)
			return f->len < FILE_BYTES_MAX ? -ENOMEM : -EFBIG;
		f->data = more;
		n = shell->ops->file_read(shell, path, f->len, f->data + f->len, PIECE_BYTES);
		if (n <= 0)
			break;
		f->len += (size_t)n;
	}
	return (int)n;
}

/* Contents of a perf.data besides the trace data. */
struct said {
	uint32_t flags;
	uint64_t losses;   /* number of reported losses: each is a problem for the reader, but no damage */
	char damage[160];  /* the reader's first problem ... */
	char foreign[160]; /* ... and data that are not the event's; "": none */
};

static void note_mark(void *ctx, const struct pv_trace_mark *m)
{
	struct said *said = ctx;

	uint32_t told = PV_PERF_AUX_TRUNCATED | PV_PERF_AUX_PARTIAL | PV_PERF_AUX_COLLISION;
	bool is_flags = m->kind == PV_TRACE_AUX_FLAGS;

	said->losses += is_flags ? (uint64_t)__builtin_popcount((uint32_t)m->flags & told) : 1;
	said->flags |= is_flags ? (uint32_t)m->flags : PV_PERF_AUX_LOST;
}

static void note_problem(void *ctx, const struct pv_trace_problem *p)
{
	struct said *said = ctx;

	if (!*said->damage)
		snprintf(said->damage, sizeof(said->damage), "%s at byte %" PRIu64, p->what, p->file_offset);
}

/* Data of another event than the one that was asked for are not expected. */
static int take(struct pv_session_trace *t, const struct pv_trace_block *b, struct said *said)
{
	const struct pv_trace_stream *st = b->stream;

	if (!st->has_config || st->config != t->config.word[0] || (*st->pmu && strcmp(st->pmu, t->pmu)))
		snprintf(said->foreign, sizeof(said->foreign), "data of %s, config 0x%" PRIx64,
			 *st->pmu ? st->pmu : "an unknown PMU", st->config);
	return pv_trace_take(t, b->data, b->bytes, 0);
}

/*
 * All payload goes into the trace, whatever it is: what is wrong in it, the checks of traces say. Returns what the
 * reader does.
 */
static int fill(struct pv_session_trace *t, const struct file *f, struct said *said, uint64_t *problems)
{
	const struct pv_trace_options all = {.problem = note_problem, .ctx = said, .all = true};
	struct pv_trace *reader = pv_trace_open_memory(f->data, f->len, &all);
	struct pv_trace_block b;
	int got;

	if (!reader)
		return -EBADMSG;
	pv_trace_on_mark(reader, note_mark, said);
	while ((got = pv_trace_next_block(reader, &b)) > 0)
		if (take(t, &b, said))
			break;
	*problems = pv_trace_problems(reader);
	pv_trace_close(reader);
	return got < 0 ? got : 0;
}

static int judge(struct pv_session *s, struct pv_session_trace *t, const struct file *f)
{
	struct said said = {0};
	uint64_t problems = 0;
	int err = fill(t, f, &said, &problems);

	if (said.flags)
		pv_trace_take(t, "", 0, said.flags);
	const char *got = err ? pv_errno_name(err) : *said.foreign ? said.foreign : said.damage;
	return pv_session_judge(s, !err && problems == said.losses && !*said.foreign, NULL,
				"trace %s: expected a whole perf.data of %s, config 0x%" PRIx64 ", got %s", t->id,
				t->pmu, t->config.word[0], got);
}

/*
 * Ends the trace and fills it with the data of the event in the perf.data `path` of the system under test (NULL: there
 * is none). As the checks of a step: 0, or what pv_session_judge() returns.
 */
static int perf_trace_end(struct pv_session *s, const char *id, const char *path)
{
	struct pv_session_trace *t = pv_session_trace(s, id);
	_autofree_ char *data = NULL;
	struct file f = {0};

	if (!t)
		return -1;
	int err = path ? read_file(s->t->shell, path, &f) : 0, end = 0;
	data = f.data;
	if (err)
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "reading %s: %s", path,
				   pv_errno_name(err));
	else if (path)
		end = judge(s, t, &f);
	pv_trace_ended(s, t);
	return err ? -1 : end;
}

/* ---- programs ---- */

/* 0: the program ended with *status. Else a problem was reported. `said` has room for OUTPUT_BYTES. */
static int run(struct pv_session *s, const char *const *argv, int *status, char *said)
{
	struct pv_shell *shell = s->t->shell;
	char complaint[1024];
	struct pv_shell_output out = {said, OUTPUT_BYTES}, err = {complaint, sizeof(complaint)};
	int failed = shell->ops->run(shell, argv, PATIENCE_MS, status, &out, &err);

	if (failed) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", *complaint ? complaint : NULL,
				   "running perf: expected success, got %s", pv_errno_name(failed));
		return failed;
	}
	if (WIFEXITED(*status) && WEXITSTATUS(*status) == STATUS_NO_PERF)
		return pv_session_unsupported(s, "perf");
	if (*complaint && !*said)
		memcpy(said, complaint, sizeof(complaint));
	if (!WIFEXITED(*status) || WEXITSTATUS(*status) != STATUS_UNABLE)
		return 0;
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

static struct pv_perf_run *get(struct pv_session *s, const char *id)
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

/* Fills argv with the command line of perf, terminated by NULL. */
static void fill_command(const char **argv, enum what what, const char *events, const char *ms, const char *file)
{
	const char *const all[][12] = {
		[LIST] = {"perf", "list", "--no-desc", NULL},
		[STAT] = {"perf", "stat", "-a", "-x", ",", "--timeout", ms, "-e", events, NULL},
		[RECORD] = {"perf", "record", "-a", "-o", file, "-e", events, "--", "sleep", ms, NULL},
		[REPORT] = {"perf", "report", "-D", "-i", file, NULL},
	};

	memcpy(argv, all[what], sizeof(all[what]));
}

static int run_script(struct pv_session *s, struct pv_perf_run *p, const char *script, const char *const *perf)
{
	const char *argv[18] = {"sh", "-c", script, p->id};

	for (size_t i = 0; perf[i]; i++)
		argv[4 + i] = perf[i];
	return run(s, argv, &p->status, p->said);
}

static int start(struct pv_session *s, struct pv_perf_run *p, const char *const *perf)
{
	p->runs = true;
	int err = run_script(s, p, in_background, perf);
	snprintf(p->folder, sizeof(p->folder), "%.*s", (int)strcspn(p->said, "\n"), p->said);
	return err;
}

static int finish(struct pv_session *s, struct pv_perf_run *p)
{
	p->runs = false;
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
	if (what == REPORT && (!of || !find(s, of)))
		return pv_session_plan_error(s, "perf report needs `of`, the perf record that it is about");
	return 0;
}

static int do_perf(struct pv_session *s, const struct pv_args *a)
{
	const enum what what = (enum what)pv_arg_choice(a, "what");
	const char *id = pv_arg_text(a, "id"), *events = pv_arg_text(a, "events");
	const char *trace = pv_arg_has(a, "trace") ? pv_arg_text(a, "trace") : "";
	char file[PV_ID_MAX + 8], duration[16];
	const char *perf[12];
	uint64_t seconds = pv_arg_number(a, "seconds");
	int err = check(s, a);

	if (err)
		return err;
	struct pv_perf_run *p = make(s, id);
	if (!p)
		return -ENOMEM;
	snprintf(file, sizeof(file), "%s.data", what == REPORT ? pv_arg_text(a, "of") : id);
	snprintf(duration, sizeof(duration), "%" PRIu64, what == STAT ? 1000 * seconds : seconds);
	fill_command(perf, what, events, duration, file);
	snprintf(p->trace, sizeof(p->trace), "%s", trace);
	if (*trace && perf_trace_begin(s, trace, events))
		return -1;
	if (what == STAT || what == RECORD)
		return start(s, p, perf);
	err = run_script(s, p, in_foreground, perf);
	return err ? err : finish(s, p);
}

static int do_perf_end(struct pv_session *s, const struct pv_args *a)
{
	struct pv_perf_run *p = get(s, pv_arg_text(a, "id"));
	char file[sizeof(p->folder) + PV_ID_MAX + 8];

	if (!p)
		return -1;
	if (!p->runs)
		return pv_session_plan_error(s, "perf '%s' does not run", p->id);
	if (*p->trace)
		perf_trace_ending(s, p->trace);
	int end = run_script(s, p, wait_for_end, (const char *const[]){NULL});
	if (!end)
		end = finish(s, p);
	if (!*p->trace)
		return end;
	snprintf(file, sizeof(file), "%s/%s.data", p->folder, p->id);
	int kept = perf_trace_end(s, p->trace, end || p->status ? NULL : file);
	return end ? end : kept;
}

/* ---- checks ---- */

static int do_check_perf(struct pv_session *s, const struct pv_args *a)
{
	struct pv_perf_run *p = get(s, pv_arg_text(a, "id"));
	uint64_t want = pv_arg_number(a, "lines"), got = 0;

	if (!p)
		return 0;
	_autofree_ char *text = strdup(p->said);
	for (char *at = text, *line; text && (line = strsep(&at, "\n"));)
		got += pv_arg_matches(a, "match", line);
	return pv_session_judge(s, pv_arg_has(a, "lines") ? got == want : got, p->said,
				"perf %s: expected %s%" PRIu64 " lines that match \"%s\", got %" PRIu64, p->id,
				pv_arg_has(a, "lines") ? "" : "at least ", pv_arg_has(a, "lines") ? want : 1,
				pv_arg_text(a, "match"), got);
}

/* A line of `perf stat -x,`: value, unit, event, and more. */
static bool is_count_of(const char *line, const char *event, uint64_t *value)
{
	char *end;
	const char *unit = strchr(line, ','), *name = unit ? strchr(unit + 1, ',') : NULL;

	if (!name || strncmp(name + 1, event, strlen(event)) || name[1 + strlen(event)] != ',')
		return false;
	*value = strtoull(line, &end, 10);
	return end != line && *end == ',';
}

static int do_check_perf_count(struct pv_session *s, const struct pv_args *a)
{
	struct pv_perf_run *p = get(s, pv_arg_text(a, "id"));
	const char *event = pv_arg_text(a, "event");
	uint64_t want = pv_arg_number(a, "equals"), got = 0;
	bool found = false;

	if (!p)
		return 0;
	_autofree_ char *text = strdup(p->said);
	for (char *at = text, *line; text && !found && (line = strsep(&at, "\n"));)
		found = is_count_of(line, event, &got);
	if (!found)
		return pv_session_judge(s, false, p->said, "perf %s: expected a count of %s, got none", p->id, event);
	return pv_session_judge(s, got == want, p->said, "perf %s: %s: expected %" PRIu64 ", got %" PRIu64, p->id,
				event, want, got);
}

const struct pv_step_def pv_steps_perf[] = {
	{"perf", do_perf, PV_STEP_DRIVER},
	{"perf-end", do_perf_end, PV_STEP_DRIVER},
	{"check-perf", do_check_perf, PV_STEP_DRIVER | PV_STEP_CHECK},
	{"check-perf-count", do_check_perf_count, PV_STEP_DRIVER | PV_STEP_CHECK},
	{NULL},
};
