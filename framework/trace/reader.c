/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace reader: streams, payload to blocks of good records, and to records one by one. */
#include "framework/trace/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/trace/header_check.h"
#include "framework/trace/time_kind.h"

#define BLOCK_MAX (256u << 10)
#define MARK_8DW  PTT_RECORD_8DW_MARK_MASK /* the first word of a record is not below this */

_Static_assert(2 * PV_RESYNC_AHEAD < BLOCK_MAX && BLOCK_MAX <= PV_SOURCE_MAX, "a block is more than is decided by");

enum { AHEAD_STREAMS = 64 }; /* that are examined for what Time counts: each costs memory */

/* ---- streams and problems ---- */

struct pv_reader_stream *pv_reader_stream_new(struct pv_trace *t)
{
	struct pv_reader_stream **more, *s;

	if (t->n_streams == (t->looks_ahead ? AHEAD_STREAMS : PV_TRACE_STREAMS_MAX))
		return NULL;
	more = realloc(t->streams, (t->n_streams + 1) * sizeof(*more));
	if (!more)
		return NULL;
	t->streams = more;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->pub.index = (unsigned)t->n_streams;
	s->pub.cpu = s->pub.tid = s->pub.idx = -1;
	s->pub.time = t->opt.time;
	s->pub.time_is_given = t->time_is_given;
	s->pub.pattern = t->opt.pattern == 2;
	t->streams[t->n_streams++] = s;
	return s;
}

/* Part of the text may come from the input, and it is printed on a terminal. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

void pv_reader_problem(struct pv_trace *t, const struct pv_reader_stream *s, uint64_t offset, uint64_t file_offset,
		       uint64_t bytes, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	t->problems++;
	if (!t->opt.problem)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	make_printable(what);
	t->opt.problem(t->opt.ctx, &(struct pv_trace_problem){s ? &s->pub : NULL, offset, file_offset, bytes, what});
}

/* ---- holes ---- */

void pv_reader_add_hole(struct pv_reader_stream *s, struct pv_reader_hole hole)
{
	struct pv_reader_hole *last;

	if (s->n_holes < PV_READER_HOLES_MAX) {
		s->holes[s->n_holes++] = hole;
		return;
	}
	last = &s->holes[PV_READER_HOLES_MAX - 1];
	last->from = hole.from < last->from ? hole.from : last->from;
	last->to = hole.to > last->to ? hole.to : last->to;
}

/* PERF_RECORD_AUX flags */
#define AUX_TRUNCATED 1u
#define AUX_PARTIAL   4u
#define AUX_COLLISION 8u

const struct pv_reader_aux_flag pv_reader_aux_flags[3] = {
	{AUX_TRUNCATED, "trace flagged truncated: records were lost behind AUX offset"},
	{AUX_PARTIAL, "trace flagged partial: there are gaps before AUX offset"},
	{AUX_COLLISION, "trace flagged collision: something was lost before AUX offset"},
};

struct pv_reader_hole pv_reader_aux_hole(uint64_t flags, uint64_t from, uint64_t to)
{
	bool is_anywhere = flags & (AUX_PARTIAL | AUX_COLLISION) && from < to;

	return (struct pv_reader_hole){is_anywhere ? from + 1 : to, to};
}

/* Returns true if the record of `size` bytes at AUX offset `at` ends before the hole. */
static bool is_before(const struct pv_reader_hole *h, uint64_t at, size_t size)
{
	return h->from > at && h->from - at >= size;
}

/* Returns true if the hole ends before the record in front of the one at AUX offset `at`. */
static bool is_past(const struct pv_reader_hole *h, uint64_t at, size_t size)
{
	return at > h->to && at - h->to >= size;
}

/* Drops the holes that are passed. Returns true if one may be before the record at AUX offset `at`, or in it. */
static bool drop_holes(struct pv_reader_stream *s, uint64_t at, size_t size)
{
	bool is_here = false;
	size_t kept = 0;

	for (size_t i = 0; i < s->n_holes; i++) {
		if (is_past(&s->holes[i], at, size))
			continue;
		is_here |= !is_before(&s->holes[i], at, size);
		s->holes[kept++] = s->holes[i];
	}
	s->n_holes = kept;
	return is_here;
}

/* Returns how many of n records from AUX offset `at` on, 1 or more, have no hole between them. */
static size_t records_to_hole(const struct pv_reader_stream *s, uint64_t at, size_t size, size_t n)
{
	for (size_t i = 0; i < s->n_holes; i++) {
		const struct pv_reader_hole *h = &s->holes[i];
		uint64_t first = is_before(h, at, size) ? (h->from - at) / size : 1;

		if (first < n && !is_past(h, at + first * size, size))
			n = (size_t)first;
	}
	return n;
}

/* ---- directions ---- */

enum pv_trace_direction pv_trace_stream_direction(const struct pv_trace_stream *s, enum pv_record_format f)
{
	/* Direction 2 and 3 of 4DW hold both (docs/hardware-notes.md); 0 of 8DW is reserved. */
	static const enum pv_trace_direction table[2][4] = {
		{PV_TRACE_INBOUND, PV_TRACE_OUTBOUND, PV_TRACE_UNKNOWN, PV_TRACE_UNKNOWN},
		{PV_TRACE_UNKNOWN, PV_TRACE_OUTBOUND, PV_TRACE_INBOUND, PV_TRACE_INBOUND},
	};

	return s->has_config && s->direction < 4 ? table[f == PV_RECORD_8DW][s->direction] : PV_TRACE_UNKNOWN;
}

const char *pv_trace_direction_name(enum pv_trace_direction d)
{
	static const char *const names[] = {NULL, "inbound", "outbound"};

	return names[d];
}

/* ---- an element for each stream ---- */

void *pv_per_stream(struct pv_per_stream *p, unsigned index)
{
	if (index >= p->n) {
		char *more = realloc(p->of, ((size_t)index + 1) * p->size);

		if (!more)
			return NULL;
		memset(more + p->n * p->size, 0, ((size_t)index + 1 - p->n) * p->size);
		p->of = more;
		p->n = (size_t)index + 1;
	}
	return (char *)p->of + index * p->size;
}

/* ---- what Time counts ---- */

void pv_reader_settle_time(struct pv_trace *t, enum pv_trace_time time, bool is_given)
{
	t->opt.time = time;
	t->time_is_settled = true;
	t->time_is_given = is_given;
	for (size_t i = 0; i < t->n_streams; i++) {
		t->streams[i]->pub.time = time;
		t->streams[i]->pub.time_is_given = is_given;
	}
}

/* A pipe cannot be read twice: if the first block does not tell, it stays unknown. */
static void settle_by_block(struct pv_trace *t, const struct pv_trace_block *b)
{
	struct pv_time_evidence e[3] = {0};

	pv_time_learn(&e[b->format], b->format, b->data, b->records);
	pv_reader_settle_time(t, pv_time_of_both(e), false);
}

/* ---- pieces and blocks ---- */

void pv_reader_begin(struct pv_trace *t, struct pv_reader_stream *s, uint64_t bytes)
{
	t->back = s->n_kept;
	t->back_file_at = s->kept_file_at;
	pv_source_unread(&t->in, s->kept, s->n_kept);
	s->n_kept = 0;
	t->stream = s;
	t->piece_bytes = t->left = bytes > UINT64_MAX - t->back ? UINT64_MAX : bytes + t->back;
	t->piece_offset = 0;
	t->pieces++;
	t->head = true;
	t->keeps = t->perf;
}

void pv_reader_begin_kept(struct pv_trace *t, struct pv_reader_stream *s)
{
	pv_reader_begin(t, s, 0);
	t->keeps = false;
}

/* Returns the position of the next byte in the input. */
static uint64_t file_offset(const struct pv_trace *t)
{
	return t->piece_offset < t->back ? t->back_file_at + t->piece_offset : t->in.pos;
}

static void consume(struct pv_trace *t, size_t n)
{
	pv_source_take(&t->in, n);
	t->stream->pub.bytes += n;
	t->piece_offset += n;
	if (t->left != UINT64_MAX)
		t->left -= n;
}

/* Reports damage at its end. */
static void end_damage(struct pv_trace *t, struct pv_reader_stream *s)
{
	const struct pv_resync *f = &s->footing;

	if (!f->bad_bytes)
		return;
	pv_reader_problem(t, s, s->bad_at, s->bad_file_at, f->bad_bytes, "%s",
			  f->bad_zeros && f->bad_bytes >= PTT_RECORD_4DW_BYTES ? "zeros where records should be"
									       : f->why);
	s->footing.bad_bytes = 0;
}

enum { RESERVED_APART = 64 * PTT_RECORD_8DW_BYTES }; /* further apart they are reported one by one */

static void end_reserved(struct pv_trace *t, struct pv_reader_stream *s)
{
	const struct pv_reader_reserved *o = &s->reserved;

	if (!o->records)
		return;
	pv_reader_problem(t, s, o->at, o->file_at, 0,
			  "reserved word is not 0 (0x%08" PRIx32 ") in %" PRIu64 " of %" PRIu64 " records", o->word,
			  o->records, (o->last - o->at) / PTT_RECORD_8DW_BYTES + 1);
	s->reserved = (struct pv_reader_reserved){0};
}

/* The next `bytes` are records: counts those whose reserved word is not 0. */
static void note_reserved(struct pv_trace *t, struct pv_reader_stream *s, size_t bytes)
{
	const uint8_t *p = pv_source_data(&t->in);

	for (size_t i = 0; i < bytes; i += PTT_RECORD_8DW_BYTES) {
		uint64_t at = s->pub.bytes + i;

		if (!pv_reserved_8dw(p + i))
			continue;
		if (s->reserved.records && at - s->reserved.last > RESERVED_APART)
			end_reserved(t, s);
		if (!s->reserved.records)
			s->reserved = (struct pv_reader_reserved){
				.at = at, .file_at = file_offset(t) + i, .word = pv_reserved_8dw(p + i)};
		s->reserved.records++;
		s->reserved.last = at;
	}
}

static void end_piece(struct pv_trace *t)
{
	struct pv_reader_stream *s = t->stream;

	end_damage(t, s);
	pv_resync_end(&s->footing);
	if (t->left && t->left != UINT64_MAX)
		pv_reader_problem(t, s, s->pub.bytes, t->in.pos, t->left, "the input ends before its payload");
	t->stream = NULL;
}

static struct pv_trace_block block_here(struct pv_trace *t, size_t bytes, enum pv_record_format f)
{
	bool head = t->head;

	t->head = false;
	return (struct pv_trace_block){.stream = &t->stream->pub,
				       .format = f,
				       .head = head,
				       .joined = t->piece_offset < t->back,
				       .data = pv_source_data(&t->in),
				       .bytes = bytes,
				       .offset = t->stream->pub.bytes,
				       .file_offset = file_offset(t),
				       .piece = t->pieces - 1,
				       .piece_offset = t->piece_offset,
				       .piece_bytes = t->piece_bytes};
}

/* Returns how much of the piece is in the buffer; reads more if that is little. */
static int window(struct pv_trace *t, size_t *n, bool *last)
{
	size_t most = t->left < BLOCK_MAX ? (size_t)t->left : BLOCK_MAX;
	size_t least = t->left < 2 * PV_RESYNC_AHEAD ? (size_t)t->left : 2 * PV_RESYNC_AHEAD;
	int r = pv_source_avail(&t->in) < least ? pv_source_need(&t->in, most) : 0;
	size_t have = pv_source_avail(&t->in);

	*n = have < most ? have : most;
	*last = *n == t->left || (t->in.ended && *n == have);
	return r;
}

static void take_bad(struct pv_trace *t, const struct pv_resync_step *step)
{
	struct pv_reader_stream *s = t->stream;

	if (s->footing.bad_bytes == step->bytes) {
		s->bad_at = s->pub.bytes;
		s->bad_file_at = file_offset(t);
	}
	consume(t, step->bytes);
}

static void take_run(struct pv_trace *t, const struct pv_resync_step *step, struct pv_trace_block *b)
{
	struct pv_reader_stream *s = t->stream;
	size_t size = pv_record_bytes(step->format);
	uint64_t aux_offset = s->pub.bytes + s->pub.aux_shift;
	bool is_at_hole = drop_holes(s, aux_offset, size);
	/* A record that begins elsewhere in the input is a separate block. */
	size_t n = t->piece_offset < t->back ? 1 : records_to_hole(s, aux_offset, size, step->bytes / size);
	size_t bytes = n * size;

	end_damage(t, s);
	if (step->changed)
		pv_reader_problem(t, s, s->pub.bytes, file_offset(t), 0, "the format changes to %s",
				  step->format == PV_RECORD_8DW ? "8DW" : "4DW");
	s->pub.format = step->format;
	if (step->reserved)
		note_reserved(t, s, bytes);
	*b = block_here(t, bytes, step->format);
	b->records = n;
	b->after_hole = is_at_hole || s->unplaced != t->problems - t->placed;
	s->unplaced = t->problems - t->placed;
	pv_resync_unread(&s->footing, step->bytes - bytes);
	consume(t, bytes);
}

/* Returns true if the rest of the piece is the start of a record that the next piece may continue. */
static bool is_cut(const struct pv_trace *t, size_t n)
{
	const struct pv_resync *f = &t->stream->footing;
	bool is_8dw = f->format == PV_RECORD_8DW;

	if (!t->keeps || n != t->left || f->bad_bytes || n >= PTT_RECORD_8DW_BYTES)
		return false;
	if (f->format == PV_RECORD_UNKNOWN)
		is_8dw = n >= 4 && pv_dw(pv_source_data(&t->in), 0) >= MARK_8DW;
	return n < (is_8dw ? PTT_RECORD_8DW_BYTES : PTT_RECORD_4DW_BYTES);
}

static void keep(struct pv_trace *t, size_t n)
{
	struct pv_reader_stream *s = t->stream;

	memcpy(s->kept, pv_source_data(&t->in), n);
	s->n_kept = n;
	s->kept_file_at = file_offset(t);
	pv_source_take(&t->in, n);
	t->left = 0;
	end_piece(t);
}

/* Returns everything, in whole records except at the end. */
static int take_all(struct pv_trace *t, size_t n, bool last, struct pv_trace_block *b)
{
	const uint8_t *p = pv_source_data(&t->in);

	if (t->head)
		t->piece_format = n >= 4 && pv_dw(p, 0) >= MARK_8DW ? PV_RECORD_8DW : PV_RECORD_4DW;
	if (!last)
		n -= n % PTT_RECORD_8DW_BYTES;
	*b = block_here(t, n, t->piece_format);
	consume(t, n);
	return 1;
}

/* 1: a block; 0: the piece has ended, or the caller must call again; -errno. */
static int piece_block(struct pv_trace *t, struct pv_trace_block *b)
{
	struct pv_resync_step step;
	size_t n;
	bool last;
	int r = window(t, &n, &last);

	if (r)
		return r;
	if (t->opt.all && (n || (t->perf && t->head)))
		return take_all(t, n, last, b);
	if (!n)
		return end_piece(t), 0;
	if (is_cut(t, n))
		return keep(t, n), 0;
	step = pv_resync_next(&t->stream->footing, pv_source_data(&t->in), n, last);
	if (step.what == PV_RESYNC_RUN)
		take_run(t, &step, b);
	else
		take_bad(t, &step);
	return step.what == PV_RESYNC_RUN;
}

/* 1: a piece was begun; 0: the end; -errno. */
static int next_piece(struct pv_trace *t)
{
	int r = t->perf ? pv_perfdata_next(t) : 0;

	for (size_t i = 0; !r && i < t->n_streams; i++)
		end_reserved(t, t->streams[i]);
	if (!r && !t->any && !t->problems)
		pv_reader_problem(t, NULL, 0, t->in.pos, 0, "there are no records in this trace");
	return r;
}

int pv_trace_next_block(struct pv_trace *t, struct pv_trace_block *b)
{
	int r = 0;

	while (!r) {
		if (t->stream)
			r = piece_block(t, b);
		else if ((r = next_piece(t)) <= 0)
			return r;
		else
			r = 0;
	}
	t->any |= r > 0;
	if (r > 0 && pv_reader_asks_for_time(t))
		settle_by_block(t, b);
	return r;
}

/* ---- records ---- */

int pv_trace_next(struct pv_trace *t, struct pv_trace_record *out)
{
	struct pv_trace_block *b = &t->block;
	const struct pv_trace_stream *s;
	struct pv_trace_clock *clock;
	size_t at = t->block_at;

	if (at == b->bytes) {
		int r = pv_trace_next_block(t, b);

		if (r <= 0) {
			b->bytes = t->block_at = 0;
			return r;
		}
		at = 0;
	}
	s = b->stream;
	clock = &t->streams[s->index]->clock;
	if (!at)
		pv_trace_clock_enter(clock, b);
	pv_trace_decode_record(s, b->format, b->data + at, b->offset + at, &out->record);
	out->stream = s;
	out->direction = pv_trace_stream_direction(s, b->format);
	out->time = pv_trace_clock_at(clock, s->time, b->format, out->record.time);
	out->time_at_least = clock->at_least;
	out->file_offset = b->file_offset + at;
	t->block_at = at + pv_record_bytes(b->format);
	return 1;
}
