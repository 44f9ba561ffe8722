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
};

/* Appends at `out` (PV_FORMAT_MAX bytes for each record, and for what goes before) and returns the end. */
typedef char *pv_output_fn(const void *ctx, const struct pv_output_job *job, char *out);

/*
 * Reads the trace to its end and writes what `fn` makes of it to `fd`, with `jobs` threads (1: none but this).
 * -errno of reading or writing.
 */
int pv_trace_output(struct pv_trace *t, pv_output_fn *fn, const void *ctx, unsigned jobs, int fd);

/* ctx: const struct pv_format *. */
pv_output_fn pv_output_records;
/* The dump of good records; with ctx not NULL, that of perf 6.12, of a reader with the option `all`. */
pv_output_fn pv_output_dump;

#endif
