/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conversion: the loop over the trace, and the simplest writer, that of raw payload. */
#include "framework/trace/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/trace/words.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define RUN_MAX 8192 /* records */

const struct pv_converter *const pv_converters[] = {&pv_convert_perfdata, &pv_convert_raw, &pv_convert_pcap, NULL};

const struct pv_converter *pv_converter_by_name(const char *name)
{
	for (const struct pv_converter *const *c = pv_converters; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

/* ---- the loop ---- */

struct convert {
	const struct pv_converter *to;
	void *state;
	const struct pv_convert_options *opt;
	struct pv_trace_clock *clocks;
	size_t n_clocks;
	uint64_t records;
	uint64_t time[RUN_MAX];
};

static struct pv_trace_clock *clock_of(struct convert *c, unsigned index)
{
	if (index >= c->n_clocks) {
		struct pv_trace_clock *more = realloc(c->clocks, (index + 1) * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + c->n_clocks, 0, (index + 1 - c->n_clocks) * sizeof(*more));
		c->clocks = more;
		c->n_clocks = index + 1;
	}
	return &c->clocks[index];
}

static int write_run(struct convert *c, const struct pv_trace_block *b, size_t first, size_t n, size_t time)
{
	size_t size = pv_record_bytes(b->format);
	struct pv_convert_run r = {b->stream,	  b->format, b->data + first * size, n, b->offset + first * size,
				   c->time + time};

	c->records += n;
	return n ? c->to->run(c->state, &r) : 0;
}

/* The chosen records of n, in stretches. */
static int write_chosen(struct convert *c, const struct pv_trace_block *b, size_t from, size_t n)
{
	struct pv_trace_record r = {.stream = b->stream, .direction = pv_trace_stream_direction(b->stream, b->format)};
	size_t size = pv_record_bytes(b->format), first = 0;
	int err = 0;

	if (pv_where_is_all(c->opt->where))
		return write_run(c, b, from, n, 0);
	for (size_t i = 0; !err && i < n; i++) {
		pv_record_decode(b->format, b->data + (from + i) * size, b->offset + (from + i) * size, &r.record);
		r.time = c->time[i];
		if (pv_where_match(c->opt->where, &r))
			continue;
		err = write_run(c, b, from + first, i - first, first);
		first = i + 1;
	}
	return err ? err : write_run(c, b, from + first, n - first, first);
}

static int convert_block(struct convert *c, const struct pv_trace_block *b)
{
	struct pv_trace_clock *clock = clock_of(c, b->stream->index);
	size_t size = pv_record_bytes(b->format);
	int err = clock ? 0 : -ENOMEM;

	for (size_t from = 0; !err && from < b->records; from += RUN_MAX) {
		size_t n = b->records - from < RUN_MAX ? b->records - from : RUN_MAX;

		for (size_t i = 0; i < n; i++)
			c->time[i] = pv_trace_clock_at(clock, b->format,
						       pv_trace_raw_time(b->format, b->data + (from + i) * size));
		err = write_chosen(c, b, from, n);
	}
	return err;
}

static int convert_all(struct convert *c, struct pv_trace *t)
{
	struct pv_trace_block b;
	int r = c->to->begin(c->state), more = 0;

	while (!r && (more = pv_trace_next_block(t, &b)) > 0)
		r = convert_block(c, &b);
	if (!r && more < 0)
		r = more;
	return r ? r : c->to->end(c->state);
}

int pv_trace_convert(struct pv_trace *t, const struct pv_converter *to, int fd, const struct pv_convert_options *o,
		     uint64_t *records, struct pv_error *e)
{
	_autofree_ struct convert *c = calloc(1, sizeof(*c));
	int r = -ENOMEM;

	pv_words_init();
	*records = 0;
	if (c) {
		c->to = to;
		c->opt = o;
		c->state = to->open(fd, o);
		r = c->state ? convert_all(c, t) : -ENOMEM;
		if (c->state)
			to->close(c->state);
		*records = c->records;
		free(c->clocks);
	}
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
