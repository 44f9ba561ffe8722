/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conversion loop over a trace, and the simplest writer: raw payload. */
#include "framework/analysis/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "framework/analysis/kind_lut.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define RUN_MAX 8192 /* records */

const struct pv_converter *const pv_converters[] = {&pv_convert_perfdata,
						    &pv_convert_raw,
						    &pv_convert_pcapng,
						    &pv_convert_pcap,
						    &pv_convert_perfetto,
						    &pv_convert_perfscript,
						    NULL};

const struct pv_converter *pv_converter_by_name(const char *name)
{
	for (const struct pv_converter *const *c = pv_converters; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

/* ---- streams, and their losses ---- */

#define AUX_TRUNCATED 1u /* PERF_AUX_FLAG_TRUNCATED, _PARTIAL */
#define AUX_PARTIAL   4u

struct stream {
	struct pv_trace_clock clock;
	uint64_t next; /* AUX offset of the end of its last block */
	bool started;
};

struct convert {
	const struct pv_converter *to;
	void *state;
	const struct pv_convert_options *opt;
	struct pv_trace *t;
	struct pv_per_stream streams; /* struct stream */
	/* Marks precede the data that they describe, so each waits here until that data is written. */
	struct pv_trace_mark marks[PV_CONVERT_MARKS_MAX];
	size_t n_marks;
	int mark_error;
	uint64_t records;
	uint64_t time[RUN_MAX];
	size_t exact; /* number of the first of these times that are not a lower bound */
};

static int write_mark(struct convert *c, const struct pv_trace_mark *m)
{
	return c->to->mark ? c->to->mark(c->state, m) : 0;
}

static void add_mark(struct convert *c, const struct pv_trace_mark *m)
{
	if (c->n_marks < PV_CONVERT_MARKS_MAX)
		c->marks[c->n_marks++] = *m;
	else if (!c->mark_error)
		c->mark_error = write_mark(c, m);
}

/* Writes the marks of the stream up to AUX offset `until`. Marks without a stream are due after the first record. */
static int write_marks(struct convert *c, const struct pv_trace_stream *s, uint64_t until)
{
	size_t left = 0;
	int r = 0;

	for (size_t i = 0; i < c->n_marks; i++) {
		const struct pv_trace_mark m = c->marks[i];
		bool is_due = m.stream ? m.stream == s && m.to <= until : c->records > 0;

		if (!r && is_due)
			r = write_mark(c, &m);
		else
			c->marks[left++] = m;
	}
	c->n_marks = left;
	return r;
}

/*
 * Queues a mark, as the reader reports marks before data. If the data up to the mark is already written, writes the
 * mark at once.
 */
static void on_mark(void *ctx, const struct pv_trace_mark *m)
{
	struct convert *c = ctx;
	const struct stream *s = m->stream ? pv_per_stream(&c->streams, m->stream->index) : NULL;
	struct pv_trace_mark begin = *m;

	if (!c->to->mark || (m->stream && !s))
		return;
	begin.to = m->from;
	begin.flags = 0;
	if (s && (!s->started || s->next <= m->from))
		add_mark(c, &begin);
	add_mark(c, m);
	if (s && s->started && !c->mark_error)
		c->mark_error = write_marks(c, m->stream, s->next);
}

/* Returns the AUX offset of the nearest mark of the stream in (at, end), or `end`. */
static uint64_t next_mark(const struct convert *c, const struct pv_trace_stream *s, uint64_t at, uint64_t end)
{
	for (size_t i = 0; i < c->n_marks; i++)
		if (c->marks[i].stream == s && c->marks[i].to > at && c->marks[i].to < end)
			end = c->marks[i].to;
	return end;
}

/*
 * Writes a gap: data that the input lacks, or that contains no records and is left out. `offset` in the payload is
 * where the data continues.
 */
static int write_gap(struct convert *c, const struct pv_trace_stream *s, struct stream *known, uint64_t offset)
{
	uint64_t at = offset + s->aux_shift, from = known->started ? known->next : s->aux_shift;
	int r;

	known->started = true;
	if (at == from)
		return 0;
	if (c->to->gap)
		return c->to->gap(c->state, at - from);
	/* The piece ends before the gap: else the gap could be before any of its records. */
	r = write_mark(c, &(struct pv_trace_mark){.stream = s, .from = from, .to = from});
	return r ? r
		 : write_mark(c, &(struct pv_trace_mark){.stream = s, .from = from, .to = at, .flags = AUX_PARTIAL});
}

/* ---- the loop ---- */

static int write_run(struct convert *c, const struct pv_trace_block *b, size_t first, size_t n, size_t time)
{
	size_t size = pv_record_bytes(b->format);
	struct pv_convert_run r = {b->stream,	  b->format, b->data + first * size, n, b->offset + first * size,
				   c->time + time};

	c->records += n;
	return n ? c->to->run(c->state, &r) : 0;
}

/* Writes the selected ones of n records, as runs of consecutive records. */
static int write_chosen(struct convert *c, const struct pv_trace_block *b, size_t from, size_t n)
{
	struct pv_trace_record r = {.stream = b->stream, .direction = pv_trace_stream_direction(b->stream, b->format)};
	size_t size = pv_record_bytes(b->format), first = 0;
	int err = 0;

	if (pv_where_is_all(c->opt->where))
		return write_run(c, b, from, n, 0);
	for (size_t i = 0; !err && i < n; i++) {
		pv_trace_decode_record(b->stream, b->format, b->data + (from + i) * size, b->offset + (from + i) * size,
				       &r.record);
		r.time = c->time[i];
		r.time_at_least = i >= c->exact;
		if (pv_where_match(c->opt->where, &r))
			continue;
		err = write_run(c, b, from + first, i - first, first);
		first = i + 1;
	}
	return err ? err : write_run(c, b, from + first, n - first, first);
}

/* Writes records up to the next mark, RUN_MAX at most. Returns their number, or -errno. */
static ssize_t write_some(struct convert *c, struct stream *s, const struct pv_trace_block *b, size_t from)
{
	size_t size = pv_record_bytes(b->format), n = b->records - from;
	uint64_t at = b->offset + b->stream->aux_shift + from * size;
	uint64_t end = next_mark(c, b->stream, at, at + n * size);
	int err;

	n = (size_t)(end - at + size - 1) / size;
	n = n < RUN_MAX ? n : RUN_MAX;
	c->exact = 0;
	for (size_t i = 0; i < n; i++) {
		c->time[i] = pv_trace_clock_at(&s->clock, b->stream->time, b->format,
					       pv_trace_raw_time(b->format, b->data + (from + i) * size));
		c->exact += !s->clock.at_least;
	}
	err = write_chosen(c, b, from, n);
	s->next = at + n * size;
	if (!err)
		err = write_marks(c, b->stream, s->next);
	return err ? err : (ssize_t)n;
}

static int convert_block(struct convert *c, const struct pv_trace_block *b)
{
	struct stream *s = pv_per_stream(&c->streams, b->stream->index);
	uint64_t at = b->offset + b->stream->aux_shift;
	ssize_t n = 0;
	int r = s ? write_marks(c, b->stream, at) : -ENOMEM;

	if (c->to->needs_time && b->stream->time == PV_TRACE_TIME_UNKNOWN)
		return -ENODATA;
	if (!r)
		r = write_gap(c, b->stream, s, b->offset);
	if (!r)
		pv_trace_clock_enter(&s->clock, b);
	for (size_t from = 0; !r && n >= 0 && from < b->records; from += (size_t)n)
		n = write_some(c, s, b, from);
	return r ? r : n < 0 ? (int)n : c->mark_error;
}

/* Writes marks behind the last block, and gaps at the end of streams. */
static int finish(struct convert *c)
{
	int r = c->mark_error;

	for (size_t i = 0; !r && i < c->n_marks; i++)
		r = write_mark(c, &c->marks[i]);
	for (size_t i = 0; !r && i < pv_trace_streams(c->t); i++) {
		const struct pv_trace_stream *s = pv_trace_stream(c->t, i);
		struct stream *known = pv_per_stream(&c->streams, s->index);

		r = known ? write_gap(c, s, known, s->bytes) : -ENOMEM;
	}
	return r ? r : c->to->end(c->state);
}

static int convert_all(struct convert *c)
{
	struct pv_trace_block b;
	int r = c->to->begin(c->state), more = 0;

	for (size_t i = 0; i < c->opt->n_truncated && pv_trace_streams(c->t); i++)
		add_mark(c, &(struct pv_trace_mark){.stream = pv_trace_stream(c->t, 0),
						    .to = c->opt->truncated[i],
						    .flags = AUX_TRUNCATED});
	pv_trace_on_mark(c->t, on_mark, c);
	while (!r && (more = pv_trace_next_block(c->t, &b)) > 0)
		r = convert_block(c, &b);
	pv_trace_on_mark(c->t, NULL, NULL);
	if (!r && more < 0)
		r = more;
	return r ? r : finish(c);
}

int pv_trace_convert(struct pv_trace *t, const struct pv_converter *to, int fd, const struct pv_convert_options *o,
		     uint64_t *records, struct pv_error *e)
{
	_autofree_ struct convert *c = calloc(1, sizeof(*c));
	int r = -ENOMEM;

	pv_kind_lut_init();
	*records = 0;
	if (c) {
		c->streams.size = sizeof(struct stream);
		c->to = to;
		c->t = t;
		c->opt = o;
		c->state = to->open(fd, o);
		r = c->state ? convert_all(c) : -ENOMEM;
		if (c->state)
			to->close(c->state);
		*records = c->records;
		free(c->streams.of);
	}
	if (r == -ENODATA)
		return pv_error(e, r, "writing %s: what Time counts is unknown; say --time clock or --time distance",
				to->name);
	return r ? pv_error(e, r, "writing %s: %s", to->name, strerror(-r)) : 0;
}

/* ---- raw payload ---- */

struct raw {
	int fd;
};

static void *raw_open(int fd, const struct pv_convert_options *o)
{
	struct raw *r = calloc(1, sizeof(*r));

	if (r)
		r->fd = fd;
	return r;
}

static int raw_nothing(void *state)
{
	return 0;
}

static int raw_run(void *state, const struct pv_convert_run *r)
{
	return pv_write_all(((struct raw *)state)->fd, r->data, r->n * pv_record_bytes(r->format));
}

const struct pv_converter pv_convert_raw = {
	.name = "raw",
	.help = "the records alone, one behind the other",
	.open = raw_open,
	.begin = raw_nothing,
	.run = raw_run,
	.end = raw_nothing,
	.close = free,
};
