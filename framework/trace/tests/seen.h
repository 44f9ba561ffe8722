/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader's view of a perf.data of the tests: records, streams and problems. */
#ifndef PV_TRACE_TESTS_SEEN_H
#define PV_TRACE_TESTS_SEEN_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "framework/trace/tests/hand.h"
#include "framework/trace/tests/perffile.h"
#include "framework/trace/trace.h"

/* filter 0x80001, direction 2, type 4, format 8DW and 4DW */
#define CONFIG_8DW (0x80001ull | 2ull << 20 | 4ull << 24 | 1ull << 32)
#define CONFIG_4DW (0x80001ull | 1ull << 20 | 1ull << 24)

struct seen {
	uint64_t records, problems, last_time;
	uint64_t of_stream[4];
	size_t streams;
	struct pv_trace_stream stream[4];
	enum pv_trace_direction direction;
	/* of each problem; `of` is its stream, -1: none */
	char what[8][128];
	uint64_t file_at[8], at[8];
	int of[8];
};

static inline void note_problem(void *ctx, const struct pv_trace_problem *p)
{
	struct seen *s = ctx;

	if (s->problems < 8) {
		snprintf(s->what[s->problems], sizeof(s->what[0]), "%s", p->what);
		s->file_at[s->problems] = p->file_offset;
		s->at[s->problems] = p->offset;
		s->of[s->problems] = p->stream ? (int)p->stream->index : -1;
	}
	s->problems++;
}

static inline struct seen finish(struct pv_trace *t, struct seen *s)
{
	struct pv_trace_record r;
	int ret;

	cr_assert(t != NULL);
	cr_assert(pv_trace_is_perfdata(t));
	while ((ret = pv_trace_next(t, &r)) > 0) {
		s->records++;
		s->of_stream[r.stream->index & 3]++;
		s->direction = r.direction;
		s->last_time = r.time;
	}
	cr_assert_eq(ret, 0);
	s->streams = pv_trace_streams(t);
	for (size_t i = 0; i < s->streams && i < 4; i++)
		s->stream[i] = *pv_trace_stream(t, i);
	pv_trace_close(t);
	return *s;
}

static inline struct seen read_all(const struct perf_file *f)
{
	struct seen s = {0};
	struct pv_trace_options o = {note_problem, &s, false, false};

	return finish(pv_trace_open_memory(f->bytes, f->n, &o), &s);
}

/* The same bytes as a file. */
static inline struct seen read_file(const struct perf_file *f)
{
	struct seen s = {0};
	struct pv_trace_options o = {note_problem, &s, false, false};
	struct pv_error e;

	return finish(pv_trace_open_fd(hand_file(f->bytes, f->n), "file", &o, &e), &s);
}

/* The same bytes through a pipe. A read returns one write (O_DIRECT), and the first one only the header. */
static inline struct seen read_piped(const struct perf_file *f)
{
	struct seen s = {0};
	struct pv_trace_options o = {note_problem, &s, false, false};
	struct pv_error e;
	int fds[2];

	cr_assert_eq(pipe2(fds, O_DIRECT), 0);
	if (!fork()) {
		for (size_t at = 0, n = PF_FILE_HEADER; at < f->n; at += n, n = 1000)
			if (write(fds[1], f->bytes + at, f->n - at < n ? f->n - at : n) < 0)
				_exit(1);
		_exit(0);
	}
	close(fds[1]);
	return finish(pv_trace_open_fd(fds[0], "pipe", &o, &e), &s);
}

static struct perf_file f;
static struct hand h;

static inline void payload_8dw(unsigned from, unsigned count)
{
	h.n = 0;
	for (unsigned i = 0; i < count; i++)
		hand_8dw(&h, from + i);
}

/* 100 records in two AUXTRACE records. */
static inline void ordinary(void)
{
	pf_begin_one(&f, CONFIG_8DW);
	pf_info(&f, 6, PF_PMU, -1);
	pf_id_index(&f, 1);
	payload_8dw(0, 60);
	pf_aux(&f, 0, h.n, 0, 100);
	pf_auxtrace(&f, h.bytes, h.n, 0, 0);
	payload_8dw(60, 40);
	pf_auxtrace(&f, h.bytes, h.n, 1920, 0);
	pf_end(&f);
}

#endif
