/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace reader: payload to blocks of good records, and to records one by one. */
#include "framework/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drivers/regs/ptt.h"
#include "framework/trace/dumpread.h"
#include "framework/trace/filetype.h"
#include "framework/trace/header_check.h"
#include "framework/trace/reader.h"
#include "framework/trace/time_kind.h"
#include "framework/util/cleanup.h"

#define BLOCK_MAX (256u << 10)
#define MARK_8DW  PTT_RECORD_8DW_MARK_MASK /* what a record's first word is at least */

_Static_assert(2 * PV_RESYNC_AHEAD < BLOCK_MAX && BLOCK_MAX <= PV_SOURCE_MAX, "a block is more than is decided by");

enum { AHEAD_STREAMS = 64 }; /* that are asked what Time counts: each costs memory */

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

/* Part of it may come from the input, and it goes to a terminal. */
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

/* ---- open and close ---- */

static struct pv_trace *reader_new(const struct pv_trace_options *o)
{
	struct pv_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	if (o)
		t->opt = *o;
	t->in.fd = -1;
	t->time_is_given = t->opt.time;
	t->time_is_settled = t->opt.time || t->opt.no_time;
	return t;
}

/* Refuses what is clearly no payload, unless all bytes are wanted as they are. */
static int check_payload(struct pv_trace *t, struct pv_error *e)
{
	const char *what;
	size_t n;

	if (t->opt.all)
		return 0;
	(void)pv_source_need(&t->in, PV_FOREIGN_AHEAD); /* an error comes again behind the records before it */
	n = pv_source_avail(&t->in);
	what = pv_filetype(pv_source_data(&t->in), n < PV_FOREIGN_AHEAD ? n : PV_FOREIGN_AHEAD);
	return what ? pv_error(e, -EBADMSG,
			       "not a PTT trace: expected a perf.data or raw payload of PTT records, got %s", what)
		    : 0;
}

/* The text of a dump becomes the payload that it is of. */
static int load_dump(struct pv_trace *t)
{
	size_t n;

	(void)pv_source_need(&t->in, PV_FOREIGN_AHEAD); /* an error comes again behind the bytes before it */
	n = pv_source_avail(&t->in);
	n = n < PV_FOREIGN_AHEAD ? n : PV_FOREIGN_AHEAD;
	return n && pv_dumpread_is_dump(pv_source_data(&t->in), n) ? pv_dumpread_load(t) : 0;
}

/* ---- what Time counts ---- */

enum { AHEAD_RECORDS = 1 << 16, AHEAD_BYTES = 64 << 20 }; /* that are asked for it at most */

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

/* Reads blocks until they tell. */
static enum pv_trace_time time_ahead(struct pv_trace *ahead)
{
	struct pv_time_evidence e[3] = {0};
	enum pv_trace_time time = PV_TRACE_TIME_UNKNOWN;
	struct pv_trace_block b;
	uint64_t records = 0;

	while (!time && records < AHEAD_RECORDS && ahead->in.pos < AHEAD_BYTES && pv_trace_next_block(ahead, &b) > 0) {
		pv_time_learn(&e[b.format], b.format, b.data, b.records);
		records += b.records;
		time = pv_time_of_both(e);
	}
	return time;
}

/* In a pipe nothing can be read twice: what the first block does not tell stays unknown. */
static void settle_by_block(struct pv_trace *t, const struct pv_trace_block *b)
{
	struct pv_time_evidence e[3] = {0};

	pv_time_learn(&e[b->format], b->format, b->data, b->records);
	pv_reader_settle_time(t, pv_time_of_both(e), false);
}

/* A second reader of the same input, which does not report. */
static struct pv_trace *reader_ahead(const struct pv_trace_options *o)
{
	struct pv_trace *ahead = reader_new(&(struct pv_trace_options){.pattern = o ? o->pattern : 0});

	if (ahead)
		ahead->looks_ahead = true;
	return ahead;
}

/* The first bytes tell what it is. */
static int reader_start(struct pv_trace *t, struct pv_error *e)
{
	struct pv_reader_stream *s;
	int r = pv_source_need(&t->in, 8);

	if (r)
		return r;
	if (pv_perfdata_magic(pv_source_data(&t->in), pv_source_avail(&t->in)))
		return pv_perfdata_open(t, e);
	r = t->opt.all ? 0 : load_dump(t);
	if (!r)
		r = check_payload(t, e);
	if (r)
		return r;
	s = pv_reader_stream_new(t);
	if (!s)
		return -ENOMEM;
	if (!pv_source_avail(&t->in))
		pv_reader_problem(t, s, 0, 0, 0, "the input is empty");
	else if (t->opt.sized && t->in.bytes == UINT64_MAX)
		r = pv_source_spool(&t->in);
	if (!r)
		pv_reader_begin(t, s, t->in.bytes);
	return r;
}

static bool asks_for_time(const struct pv_trace *t)
{
	return !t->looks_ahead && !t->time_is_settled && !t->opt.all;
}

/* A file is read from its start twice. */
static void look_ahead_in_file(struct pv_trace *t, int fd)
{
	struct pv_trace *ahead = asks_for_time(t) ? reader_ahead(&t->opt) : NULL;
	struct stat st;
	int copy;

	if (!ahead || fstat(fd, &st) || !S_ISREG(st.st_mode) || lseek(fd, 0, SEEK_CUR)) {
		pv_trace_close(ahead);
		return;
	}
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (copy >= 0 && !pv_source_open(&ahead->in, copy) && !reader_start(ahead, NULL))
		pv_reader_settle_time(t, time_ahead(ahead), false);
	pv_trace_close(ahead);
	lseek(fd, 0, SEEK_SET);
}

static void look_ahead_in_memory(struct pv_trace *t, const void *data, size_t n)
{
	struct pv_trace *ahead = asks_for_time(t) ? reader_ahead(&t->opt) : NULL;

	if (ahead && !pv_source_open_memory(&ahead->in, data, n) && !reader_start(ahead, NULL))
		pv_reader_settle_time(t, time_ahead(ahead), false);
	pv_trace_close(ahead);
}

struct pv_trace *pv_trace_open_fd(int fd, const char *name, const struct pv_trace_options *o, struct pv_error *e)
{
	struct pv_trace *t = reader_new(o);
	int r;

	if (e)
		*e = (struct pv_error){0};
	if (!t) {
		close(fd);
		pv_error(e, -ENOMEM, "%s: no memory", name);
		return NULL;
	}
	look_ahead_in_file(t, fd);
	r = pv_source_open(&t->in, fd);
	if (!r)
		r = reader_start(t, e);
	if (!r)
		return t;
	if (!e || !e->code)
		pv_error(e, r, "%s: %s", name, strerror(-r));
	else
		pv_error_context(e, "%s: ", name);
	pv_trace_close(t);
	return NULL;
}

struct pv_trace *pv_trace_open(const char *path, const struct pv_trace_options *o, struct pv_error *e)
{
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		pv_error(e, -errno, "%s: %s", name, strerror(errno));
		return NULL;
	}
	fd = pv_perfdata_enter(fd, name, e);
	return fd < 0 ? NULL : pv_trace_open_fd(fd, name, o, e);
}

struct pv_trace *pv_trace_open_memory(const void *data, size_t n, const struct pv_trace_options *o)
{
	struct pv_trace *t = reader_new(o);

	if (!t)
		return NULL;
	look_ahead_in_memory(t, data, n);
	if (!pv_source_open_memory(&t->in, data, n) && !reader_start(t, NULL))
		return t;
	pv_trace_close(t);
	return NULL;
}

void pv_trace_close(struct pv_trace *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_streams; i++)
		free(t->streams[i]);
	free(t->streams);
	if (t->perf)
		pv_perfdata_close(t->perf);
	pv_source_close(&t->in);
	free(t);
}

bool pv_trace_is_perfdata(const struct pv_trace *t)
{
	return t->perf;
}

size_t pv_trace_streams(const struct pv_trace *t)
{
	return t->n_streams;
}

const struct pv_trace_stream *pv_trace_stream(const struct pv_trace *t, size_t i)
{
	return &t->streams[i]->pub;
}

void pv_trace_on_mark(struct pv_trace *t, void (*mark)(void *ctx, const struct pv_trace_mark *m), void *ctx)
{
	t->mark = mark;
	t->mark_ctx = ctx;
}

void pv_trace_set_time(struct pv_trace *t, enum pv_trace_time time)
{
	pv_reader_settle_time(t, time, time != PV_TRACE_TIME_UNKNOWN);
}

uint64_t pv_trace_problems(const struct pv_trace *t)
{
	return t->problems;
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

/* Of what comes next, in the input. */
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

/* The damage is over: says what it was. */
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

enum { RESERVED_APART = 64 * PTT_RECORD_8DW_BYTES }; /* further apart they are told one by one */

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

/* How much of the piece is in the buffer; reads on when it is little. */
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
	/* A record that begins elsewhere in the input is a separate block. */
	size_t bytes = t->piece_offset < t->back ? pv_record_bytes(step->format) : step->bytes;

	end_damage(t, s);
	if (step->changed)
		pv_reader_problem(t, s, s->pub.bytes, file_offset(t), 0, "the format changes to %s",
				  step->format == PV_RECORD_8DW ? "8DW" : "4DW");
	s->pub.format = step->format;
	if (step->reserved)
		note_reserved(t, s, bytes);
	*b = block_here(t, bytes, step->format);
	b->records = bytes / pv_record_bytes(step->format);
	b->after_hole = s->problems != t->problems;
	s->problems = t->problems;
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

/* Everything, in whole records but for the end. */
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

/* 1: a block; 0: the piece is over or more is to be done; -errno. */
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
	if (r > 0 && asks_for_time(t))
		settle_by_block(t, b);
	return r;
}

/* ---- records ---- */

uint32_t pv_trace_raw_time(enum pv_record_format f, const uint8_t *record)
{
	return f == PV_RECORD_8DW ? pv_dw(record, 7) : pv_dw(record, 0) & PTT_RECORD_4DW_TIME_MASK;
}

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
