/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares two traces record by record: lost, inserted, changed and moved records. Memory is constant. It bridges a
 * hole of up to PV_DIFF_WINDOW records (more than a DMA buffer holds), and a hole of any size if the traces can be
 * opened a second time.
 */
#ifndef PV_ANALYSIS_DIFF_H
#define PV_ANALYSIS_DIFF_H

#include "framework/analysis/diff_input.h"

/* Parses "time,tag" into a mask. 0, or -EINVAL with *e filled. NULL: ignore nothing. */
int pv_diff_mask(const char *text, unsigned *mask, struct pv_error *e);

struct pv_diff_record {
	const struct pv_trace_stream *stream;
	uint64_t number; /* index among the selected records, from 0 */
	uint64_t offset; /* offset in its stream's payload, in bytes */
	uint64_t time;	 /* ticks, as pv_trace_next() returns them */
	bool at_least;	 /* the real time may be later */
	enum pv_record_format format;
	const uint8_t *bytes; /* valid during the callback */
};

enum pv_diff_what {
	PV_DIFF_ONLY_A,
	PV_DIFF_ONLY_B,
	PV_DIFF_CHANGED, /* same kind, different fields */
	PV_DIFF_MOVED,	 /* in both, in a different order */
};

struct pv_diff_sums {
	uint64_t a, b; /* records */
	uint64_t same, changed, moved, only_a, only_b;
	uint64_t places; /* number of differences: maximal runs of records that do not agree */
};

struct pv_diff_options {
	const struct pv_where *where; /* selects records of both traces; NULL: all records */
	unsigned mask;		      /* enum pv_diff_mask */
	/*
	 * Called for each record that differs; a or b is NULL if only the other trace has it. `place`: number of the
	 * difference, from 1. May be NULL.
	 */
	void (*difference)(void *ctx, enum pv_diff_what what, uint64_t place, const struct pv_diff_record *a,
			   const struct pv_diff_record *b);
	/* Opens the first or the second trace again, to look ahead; the comparison closes it. NULL: unsupported. */
	struct pv_trace *(*again)(void *ctx, bool second);
	void *ctx;
};

/* Compares both traces. 0, see *sums; or -errno of a read, with *e filled. */
int pv_trace_diff(struct pv_trace *a, struct pv_trace *b, const struct pv_diff_options *o, struct pv_diff_sums *sums,
		  struct pv_error *e);

#endif
