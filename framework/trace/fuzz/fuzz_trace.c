/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as an input of the trace reader. Input that begins as a perf.data is read as one; the target trace_perfdata
 * prepends the magic to other input. Every block must lie in the input, hold good records only, and go forward; every
 * byte of a raw payload must be either in a block or in a problem, in order; records read one by one must be those of
 * the blocks; and a file and a pipe must give the same records and as many problems.
 */
#include <ctype.h>

#include "framework/trace/dumpread.h"
#include "framework/trace/filetype.h"
#include "framework/trace/fuzz/walk.h"

struct state {
	const uint8_t *data;
	size_t size;
	struct pv_trace *t;
	uint64_t problems, end; /* end: of what was told of a raw payload */
	bool raw;
};

static void note_problem(void *ctx, const struct pv_trace_problem *p)
{
	struct state *s = ctx;

	s->problems++;
	fuzz_check(p->what && *p->what && strlen(p->what) < 256);
	for (const char *c = p->what; *c; c++)
		fuzz_check(isprint((unsigned char)*c)); /* it goes to a terminal */
	if (!s->raw || !p->bytes)
		return;
	fuzz_check(p->offset == s->end && p->bytes <= s->size - s->end);
	s->end += p->bytes;
}

static void check_block(struct state *s, const struct pv_trace_block *b)
{
	size_t step = pv_record_bytes(b->format);
	struct pv_record r;

	fuzz_check(b->bytes && b->records * step == b->bytes && b->file_offset <= s->size);
	if (!b->joined) /* otherwise the block spans several places */
		fuzz_check(b->bytes <= s->size - b->file_offset &&
			   !memcmp(b->data, s->data + b->file_offset, b->bytes));
	fuzz_check(b->offset + b->bytes <= b->stream->bytes && b->piece_offset + b->bytes <= b->piece_bytes);
	for (size_t at = 0; at < b->bytes; at += step)
		fuzz_check(!pv_record_decode(b->format, b->data + at, b->offset + at, &r));
	if (!s->raw)
		return;
	fuzz_check(b->offset == s->end && b->file_offset == b->offset);
	s->end += b->bytes;
}

/* How many records there are. */
static uint64_t walk_blocks(struct state *s)
{
	struct pv_trace_block b;
	uint64_t records = 0;

	while (pv_trace_next_block(s->t, &b) > 0) {
		check_block(s, &b);
		records += b.records;
	}
	fuzz_check(!s->raw || s->end == s->size);
	fuzz_check(pv_trace_problems(s->t) == s->problems);
	return records;
}

/* In each stream offsets rise and time does not go back. */
static void check_order(const struct walk *w)
{
	const struct pv_trace_record *r = w->records;

	for (size_t i = 1; i < w->n; i++) {
		size_t k = i;

		while (k && r[k - 1].stream != r[i].stream)
			k--;
		if (!k--)
			continue;
		fuzz_check(r[i].record.offset >= r[k].record.offset + pv_record_bytes(r[k].record.format));
		fuzz_check(r[i].time >= r[k].time && r[i].file_offset > r[k].file_offset);
	}
}

static void check_same(const struct walk *a, const struct walk *b)
{
	fuzz_check(!a->trace == !b->trace && a->n == b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct pv_trace_record *x = &a->records[i], *y = &b->records[i];

		fuzz_check(walk_same_words(&x->record, &y->record) && x->record.offset == y->record.offset);
		fuzz_check(x->file_offset == y->file_offset && x->direction == y->direction);
		/* A pipe tells what Time counts by its first block only, so that the result may differ. */
		fuzz_check(x->stream->time != y->stream->time ||
			   (x->time == y->time && x->time_at_least == y->time_at_least));
	}
	fuzz_check(!a->trace || pv_trace_problems(a->trace) == pv_trace_problems(b->trace));
}

static void check_file(const struct walk *w, const uint8_t *data, size_t size)
{
	struct walk file = walk_fd(fuzz_file(data, size));

	check_same(w, &file);
	walk_end(&file);
}

/* Raw payload only: a pipe does not give the sections of a perf.data that are behind its data. */
static void check_pipe(const struct walk *w, const uint8_t *data, size_t size)
{
	struct walk pipe_walk;
	int ends[2];

	if (size > 4096 || !w->trace || pv_trace_is_perfdata(w->trace))
		return;
	fuzz_check(!pipe(ends) && write(ends[1], data, size) == (ssize_t)size && !close(ends[1]));
	pipe_walk = walk_fd(ends[0]);
	check_same(w, &pipe_walk);
	walk_end(&pipe_walk);
}

/* Option `all`: everything, as it is. */
static void check_all(const uint8_t *data, size_t size)
{
	struct pv_trace *t = pv_trace_open_memory(data, size, &(struct pv_trace_options){.all = true});
	struct pv_trace_block b;
	uint64_t bytes = 0;

	while (pv_trace_next_block(t, &b) > 0) {
		fuzz_check(b.joined || (b.file_offset <= size && b.bytes <= size - b.file_offset &&
					!memcmp(b.data, data + b.file_offset, b.bytes)));
		bytes += b.bytes;
	}
	fuzz_check(pv_trace_is_perfdata(t) ? bytes <= size : bytes == size);
	pv_trace_close(t);
}

static void run(const uint8_t *data, size_t size)
{
	struct state s = {.data = data, .size = size};
	struct pv_trace_options o = {.problem = note_problem, .ctx = &s};
	struct walk w = walk_memory(data, size);
	uint64_t records;

	check_file(&w, data, size);
	check_pipe(&w, data, size);
	if (!w.trace)
		return;
	s.raw = !pv_trace_is_perfdata(w.trace);
	if (s.raw && pv_dumpread_is_dump(data, size < PV_FOREIGN_AHEAD ? size : PV_FOREIGN_AHEAD)) {
		check_order(&w); /* the payload is another than the text */
		walk_end(&w);
		return;
	}
	s.t = pv_trace_open_memory(data, size, &o);
	fuzz_check(s.t);
	records = walk_blocks(&s);
	fuzz_check(records == w.n);
	pv_trace_close(s.t);
	check_order(&w);
	walk_end(&w);
	check_all(data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
#ifdef FUZZ_PERFDATA
	uint8_t *copy = malloc(size + 8);

	fuzz_check(copy);
	memcpy(copy, "PERFILE2", 8);
	if (size)
		memcpy(copy + 8, data + 1, size - 1);
	if (size && data[0] & 1)
		memcpy(copy, "2ELIFREP", 8);
	run(copy, size ? size + 7 : 8);
	free(copy);
#else
	run(data, size);
#endif
	return 0;
}
