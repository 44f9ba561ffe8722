/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole trace as text to a file: pieces of work that threads may share, written in the order of the trace. */
#ifndef PV_TRACE_OUTPUT_H
#define PV_TRACE_OUTPUT_H

#include "framework/trace/format.h"

enum { PV_OUTPUT_JOBS_MAX = 32 };

/* A stretch of records of one block, to be made into text by some thread. */
struct pv_output_job {
	struct pv_trace_block block;
	struct pv_trace_clock clock; /* before its first record */
	bool first;		     /* of the output */
};

/* Appends at `out` (PV_FORMAT_MAX bytes for each record, and for what goes before) and returns the end. */
typedef char *pv_output_fn(const void *ctx, const struct pv_output_job *job, char *out);

/*
 * Reads the trace to its end and writes what `fn` makes of it to `fd`, with `jobs` threads (1: none but this).
 * -errno of reading or writing.
 */
int pv_trace_output(struct pv_trace *t, pv_output_fn *fn, const void *ctx, unsigned jobs, int fd);

/* Makes text of one record, at `at` in the job's block; returns the end. */
typedef char *pv_output_one_fn(const void *ctx, const struct pv_output_job *job, const struct pv_trace_record *r,
			       size_t at, char *out);
/* Decodes the records of a job, one after another. To be inlined with `one`. */
static inline __attribute__((always_inline)) char *pv_output_each(const void *ctx, const struct pv_output_job *job,
								  char *out, pv_output_one_fn *one)
{
	const struct pv_trace_block *b = &job->block;
	const enum pv_trace_time is = b->stream->time;
	const enum pv_record_format format = b->format;
	struct pv_trace_clock clock = job->clock;
	struct pv_trace_record r = {.stream = b->stream, .direction = pv_trace_stream_direction(b->stream, b->format)};

	for (size_t at = 0; at < b->bytes; at += pv_record_bytes(format)) {
		pv_trace_decode_record(b->stream, format, b->data + at, b->offset + at, &r.record);
		r.time = pv_trace_clock_at(&clock, is, format, r.record.time);
		r.time_at_least = clock.at_least;
		r.file_offset = b->file_offset + at;
		out = one(ctx, job, &r, at, out);
	}
	return out;
}

/* Appends what stands before the first record of an output. */
char *pv_output_first(const struct pv_format *f, const struct pv_output_job *job, char *out);

/* ctx: const struct pv_format *. */
pv_output_fn pv_output_records;
/* The dump of good records; with ctx not NULL, that of perf 6.12, of a reader with the option `all`. */
pv_output_fn pv_output_dump;

#endif
