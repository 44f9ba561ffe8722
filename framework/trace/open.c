/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a trace: finds the kind of the input, and what Time counts in it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/trace/dumpread.h"
#include "framework/trace/filetype.h"
#include "framework/trace/reader.h"
#include "framework/trace/time_kind.h"
#include "framework/util/file.h"

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

/* Bytes at the start of the input, enough to tell what it is. */
static size_t look_at_start(struct pv_trace *t, const uint8_t **data)
{
	(void)pv_source_need(&t->in, PV_FOREIGN_AHEAD); /* the error is reported again after the records before it */
	size_t n = pv_source_avail(&t->in);

	*data = pv_source_data(&t->in);
	return n < PV_FOREIGN_AHEAD ? n : PV_FOREIGN_AHEAD;
}

/* Replaces the text of a dump by its payload, and refuses anything that is clearly no payload. */
static int check_payload(struct pv_trace *t, struct pv_error *e)
{
	const uint8_t *data;
	size_t n = look_at_start(t, &data);

	if (n && pv_dumpread_is_dump(data, n)) {
		int err = pv_dumpread_load(t);

		if (err)
			return err;
		n = look_at_start(t, &data);
	}
	const char *what = pv_filetype(data, n);
	return what ? pv_error(e, -EBADMSG,
			       "not a PTT trace: expected a perf.data or raw payload of PTT records, got %s", what)
		    : 0;
}

/* Finds the kind of the input by its first bytes. */
static int reader_start(struct pv_trace *t, struct pv_error *e)
{
	struct pv_reader_stream *s;
	int r = pv_source_need(&t->in, 8);

	if (r)
		return r;
	if (pv_perfdata_magic(pv_source_data(&t->in), pv_source_avail(&t->in)))
		return pv_perfdata_open(t, e);
	s = pv_reader_stream_new(t);
	if (!s)
		return -ENOMEM;
	r = t->opt.all ? 0 : check_payload(t, e); /* unless the caller wants all bytes unchanged */
	if (r)
		return r;
	s->pub.pattern = t->opt.pattern == 2;
	if (!pv_source_avail(&t->in))
		pv_reader_problem(t, s, 0, 0, 0, "the input is empty");
	else if (t->opt.sized && t->in.bytes == UINT64_MAX)
		r = pv_source_spool(&t->in);
	if (!r)
		pv_reader_begin(t, s, t->in.bytes);
	return r;
}

/* ---- what Time counts ---- */

enum { AHEAD_RECORDS = 1 << 16, AHEAD_BYTES = 64 << 20 }; /* maximum of blocks that are examined */

/* Reads blocks until the answer is known. */
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

/* A second reader of the same input, which does not report. */
static struct pv_trace *reader_ahead(const struct pv_trace_options *o)
{
	struct pv_trace *ahead = reader_new(&(struct pv_trace_options){.pattern = o ? o->pattern : 0});

	if (ahead)
		ahead->looks_ahead = true;
	return ahead;
}

/* A file is read from its start twice. */
static void look_ahead_in_file(struct pv_trace *t, int fd)
{
	struct pv_trace *ahead = pv_reader_asks_for_time(t) ? reader_ahead(&t->opt) : NULL;
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
	struct pv_trace *ahead = pv_reader_asks_for_time(t) ? reader_ahead(&t->opt) : NULL;

	if (ahead && !pv_source_open_memory(&ahead->in, data, n) && !reader_start(ahead, NULL))
		pv_reader_settle_time(t, time_ahead(ahead), false);
	pv_trace_close(ahead);
}

/* ---- open and close ---- */

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
	const char *name = pv_file_name(path);
	int fd = pv_file_open(path);

	if (fd < 0) {
		pv_error(e, fd, "%s: %s", name, strerror(-fd));
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
