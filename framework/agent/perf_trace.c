/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace in the perf.data of a perf record of the system under test, for the checks of traces. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/agent/perf_run.h"
#include "framework/agent/traces.h"
#include "framework/trace/trace.h"
#include "framework/util/cleanup.h"

#define FILE_BYTES_MAX (256u << 20)

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

int pv_perf_trace_begin(struct pv_session *s, const char *id, const char *event)
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

void pv_perf_trace_ending(struct pv_session *s, const char *id)
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

int pv_perf_trace_end(struct pv_session *s, const char *id, const char *path)
{
	struct pv_session_trace *t = pv_session_trace(s, id);
	_autofree_ char *data = NULL;
	struct file f = {0};

	if (!t)
		return -1;
	int err = path ? pv_shell_read_file(s->t->shell, path, 0, FILE_BYTES_MAX, &f.data, &f.len) : 0, end = 0;
	data = f.data;
	if (err)
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "reading %s: %s", path,
				   pv_errno_name(err));
	else if (path)
		end = judge(s, t, &f);
	pv_trace_ended(s, t);
	return err ? -1 : end;
}
