/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as an input of the trace reader. What begins as a perf.data is one; the target fuzz_perfdata puts the
 * magic in front of what does not. Every block must lie in the input, hold good records only, and go forward;
 * every byte of a raw payload must be either in a block or in a problem.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "framework/trace/format.h"
#include "framework/trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct count {
	uint64_t bad, problems;
	bool raw;
};

static void note_problem(void *ctx, const struct pv_trace_problem *p)
{
	struct count *c = ctx;

	c->problems++;
	if (!p->what || !*p->what || strlen(p->what) > 255)
		abort();
	if (c->raw)
		c->bad += p->bytes;
}

static void check_block(const struct pv_trace_block *b, const uint8_t *data, size_t size)
{
	size_t step = pv_record_bytes(b->format);
	struct pv_record r;

	if (!b->bytes || b->records * step != b->bytes || b->file_offset > size)
		abort();
	if (!b->joined && (b->bytes > size - b->file_offset || memcmp(b->data, data + b->file_offset, b->bytes)))
		abort();
	for (size_t at = 0; at < b->bytes; at += step)
		if (pv_record_decode(b->format, b->data + at, b->offset + at, &r))
			abort();
}

static uint64_t walk_blocks(struct pv_trace *t, const uint8_t *data, size_t size)
{
	struct pv_trace_block b;
	uint64_t good = 0;

	while (pv_trace_next_block(t, &b) > 0) {
		check_block(&b, data, size);
		good += b.bytes;
	}
	return good;
}

static void walk_records(struct pv_trace *t)
{
	struct pv_trace_record r;
	char line[PV_FORMAT_MAX];

	while (pv_trace_next(t, &r) > 0)
		for (const struct pv_format *f = pv_formats; f->name; f++) {
			char *end = f->record(line, &r);

			if (end <= line || end > line + sizeof(line) || end[-1] != '\n')
				abort();
		}
}

static void run(const uint8_t *data, size_t size)
{
	struct count c = {0};
	struct pv_trace_options o = {.problem = note_problem, .ctx = &c}, all = {.all = true};
	struct pv_trace_block b;
	struct pv_trace *t = pv_trace_open_memory(data, size, &o);

	if (!t)
		return;
	c.raw = !pv_trace_is_perfdata(t);
	uint64_t good = walk_blocks(t, data, size);

	if (c.raw && good + c.bad != size)
		abort();
	if (pv_trace_problems(t) != c.problems)
		abort();
	pv_trace_close(t);
	t = pv_trace_open_memory(data, size, NULL);
	walk_records(t);
	pv_trace_close(t);
	t = pv_trace_open_memory(data, size, &all);
	while (pv_trace_next_block(t, &b) > 0)
		;
	pv_trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
#ifdef FUZZ_PERFDATA
	uint8_t *copy = malloc(size + 8);

	if (!copy)
		return 0;
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
