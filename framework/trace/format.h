/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records to text at the speed of memory: a line for people, JSON Lines, CSV, and the dump of perf. Each writer
 * appends at a pointer and returns the end; PV_FORMAT_MAX bytes must be there for each record.
 */
#ifndef PV_TRACE_FORMAT_H
#define PV_TRACE_FORMAT_H

#include "framework/trace/trace.h"

enum { PV_FORMAT_MAX = 1024 };

typedef char *pv_format_fn(char *at, const struct pv_trace_record *r);

struct pv_format {
	const char *name; /* "jsonl" */
	const char *help;
	const char *head;					   /* the first line of the output; NULL: none */
	pv_format_fn *record;					   /* one line, with its end */
	char *(*first)(char *at, const struct pv_trace_stream *s); /* before the first record; NULL: nothing */
};

extern const struct pv_format pv_formats[]; /* text, jsonl, csv; ended by name NULL */
/* NULL: there is none of this name. */
const struct pv_format *pv_format_by_name(const char *name);

/*
 * The dump of perf. `compat`: as perf 6.12 prints records on little-endian machines, with the bytes of each word as
 * they lie in memory and the fields of a 4DW record's DW0 taken from the wrong end. `offset` is what stands before the
 * text: the place in its AUXTRACE record.
 */
char *pv_dump_record(char *at, enum pv_record_format f, const uint8_t *record, uint32_t offset, bool compat);
/* ". ... HISI PTT data: size 64 bytes" */
char *pv_dump_head(char *at, uint64_t bytes, unsigned pattern);

#endif
