/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AUX data of a trace and the windows that it was taken in. */
#include "framework/agent/traces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/util/cleanup.h"
#include "framework/util/utf8.h"

#define TRACE_MEM_BYTES (32u << 20) /* what a trace may keep in memory; the rest goes to a file */

/* ---- a trace ---- */

static const struct term {
	const char *name;
	unsigned shift;
	uint64_t mask;
} terms[] = {{"filter", 0, PTT_CONFIG_FILTER_MASK},
	     {"direction", PTT_CONFIG_DIRECTION_SHIFT, PTT_CONFIG_DIRECTION_MASK},
	     {"type", PTT_CONFIG_TYPE_SHIFT, PTT_CONFIG_TYPE_MASK},
	     {"format", PTT_CONFIG_FORMAT_SHIFT, PTT_CONFIG_FORMAT_MASK}};

static const struct term *find_term(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(terms); i++)
		if (!strcmp(terms[i].name, name))
			return &terms[i];
	return NULL;
}

int pv_trace_pack(const char *term, uint64_t value, uint64_t *config)
{
	const struct term *t = find_term(term);

	if (!t)
		return -EINVAL;
	*config |= (value & t->mask) << t->shift;
	return 0;
}

unsigned pv_trace_term(const struct pv_session_trace *t, const char *term)
{
	const struct term *of = find_term(term);

	return of ? (unsigned)(t->config.word[0] >> of->shift & of->mask) : 0;
}

static bool is_open(const struct pv_session *s, const char *id)
{
	for (const struct pv_session_trace *t = s->traces; t; t = t->next)
		if (!strcmp(t->id, id) && (t->event || t->running))
			return true;
	return false;
}

struct pv_session_trace *pv_trace_new(struct pv_session *s, const char *id, const char *pmu)
{
	if (is_open(s, id)) {
		pv_session_plan_error(s, "expected a new name for a trace, got \"%s\", which is still open", id);
		return NULL;
	}
	struct pv_session_trace *t = calloc(1, sizeof(*t));
	if (!t) {
		pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "no memory");
		return NULL;
	}
	t->data = PV_SPILL_INIT(TRACE_MEM_BYTES);
	t->area = SIZE_MAX;
	pv_session_drop_trace(s, id);
	snprintf(t->id, sizeof(t->id), "%s", id);
	pv_utf8_print(t->pmu, sizeof(t->pmu), "%s", pmu);
	t->next = s->traces;
	s->traces = t;
	return t;
}

/* ---- data ---- */

static int note_commit(struct pv_session_trace *t, size_t len, uint32_t flags)
{
	if (t->commits == t->commit_room) {
		size_t room = t->commit_room ? 2 * t->commit_room : 64;
		struct pv_trace_commit *c = reallocarray(t->commit, room, sizeof(*c));

		if (!c)
			return -ENOMEM;
		t->commit = c;
		t->commit_room = room;
	}
	t->commit[t->commits++] = (struct pv_trace_commit){len, flags};
	return 0;
}

int pv_trace_take(void *trace, const void *data, size_t len, uint32_t flags)
{
	struct pv_session_trace *t = trace;

	if (len > t->area - t->unread)
		return -ENOSPC;
	int err = pv_spill_append(&t->data, data, len);
	if (!err)
		err = note_commit(t, len, flags);
	if (err)
		t->error = err;
	else
		t->unread += len;
	return err;
}

int pv_trace_check_kept(struct pv_session *s, struct pv_session_trace *t)
{
	if (!t->error && t->data.len && !pv_spill_data(&t->data))
		t->error = -ENOMEM;
	if (!t->error)
		return 0;
	pv_session_problem(s, PV_EMIT_ERROR, "infrastructure", NULL, "trace %s: keeping its data: %s", t->id,
			   pv_errno_name(t->error));
	return -1;
}

/* ---- windows ---- */

int pv_trace_starting(struct pv_session *s, struct pv_session_trace *t)
{
	struct pv_trace_window *w = reallocarray(t->window, t->windows + 1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	t->window = w;
	t->window[t->windows] = (struct pv_trace_window){0};
	pv_window_outer_begin(s, &t->window[t->windows++].win);
	t->running = true;
	return 0;
}

void pv_trace_started(struct pv_session *s, struct pv_session_trace *t, int err)
{
	pv_window_inner_begin(s, &t->window[t->windows - 1].win);
	if (!err)
		return;
	t->running = false;
	t->windows--;
}

void pv_trace_ending(struct pv_session *s, struct pv_session_trace *t)
{
	if (t->running)
		pv_window_inner_end(s, &t->window[t->windows - 1].win);
}

void pv_trace_ended(struct pv_session *s, struct pv_session_trace *t)
{
	if (!t->running)
		return;
	struct pv_trace_window *w = &t->window[t->windows - 1];
	pv_window_outer_end(s, &w->win);
	w->end = t->data.len;
	w->commits_end = t->commits;
	t->running = false;
}

void pv_trace_read_late(struct pv_session_trace *t)
{
	if (t->running || !t->windows)
		return;
	t->window[t->windows - 1].end = t->data.len;
	t->window[t->windows - 1].commits_end = t->commits;
}

struct pv_trace_slice pv_trace_slice(const struct pv_session_trace *t, size_t window)
{
	const struct pv_trace_window *before = window ? &t->window[window - 1] : NULL;
	bool last = window + 1 == t->windows;
	struct pv_trace_slice s = {
		.begin = before ? before->end : 0,
		.end = last ? t->data.len : t->window[window].end,
		.commits_begin = before ? before->commits_end : 0,
		.commits_end = last ? t->commits : t->window[window].commits_end,
	};

	for (size_t i = s.commits_begin; i < s.commits_end; i++)
		s.flags |= t->commit[i].flags;
	return s;
}

size_t pv_trace_list_truncated(const struct pv_session_trace *t, FILE *out)
{
	size_t at = 0, last = SIZE_MAX, n = 0;

	for (size_t i = 0; i < t->commits; i++) {
		at += t->commit[i].len;
		if (!(t->commit[i].flags & PV_PERF_AUX_TRUNCATED) || at == last)
			continue;
		if (n++ < PV_TRACE_TRUNCATED_MAX)
			fprintf(out, "%s%zu", n > 1 ? "," : "", at);
		last = at;
	}
	if (n > PV_TRACE_TRUNCATED_MAX)
		fprintf(out, " and %zu more", n - PV_TRACE_TRUNCATED_MAX);
	return n;
}
