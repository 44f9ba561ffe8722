/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares two traces record by record: what is lost, what was put in, changed or moved. Memory is constant; a hole of
 * up to PV_DIFF_WINDOW records (more than a DMA buffer holds) is bridged, and one of any size where the traces can be
 * opened a second time.
 */
#ifndef PV_ANALYSIS_DIFF_H
#define PV_ANALYSIS_DIFF_H

#include "framework/analysis/where.h"
#include "framework/trace/trace.h"

#define PV_DIFF_WINDOW (1u << 18)

/* What is left out of the comparison. */
enum pv_diff_mask {
	PV_DIFF_TIME = 1,
	PV_DIFF_TAG = 2,
	PV_DIFF_ADDRESS = 4, /* with a completion's lower address */
	PV_DIFF_REQUESTER = 8,
	PV_DIFF_PREFIX = 16,
};
/* "time,tag" to a mask. 0, or -EINVAL with *e filled. NULL: nothing is left out. */
int pv_diff_mask(const char *text, unsigned *mask, struct pv_error *e);

struct pv_diff_record {
	const struct pv_trace_stream *stream;
	uint64_t number; /* of the chosen records, from 0 */
	uint64_t offset; /* in its stream's payload */
	uint64_t time;	 /* unwrapped, as pv_trace_next() tells it */
	enum pv_record_format format;
	const uint8_t *bytes; /* until the callback returns */
};

enum pv_diff_what {
	PV_DIFF_ONLY_A,
	PV_DIFF_ONLY_B,
	PV_DIFF_CHANGED, /* of the same kind, and not equal */
	PV_DIFF_MOVED,	 /* in both, but others passed it */
};

struct pv_diff_sums {
	uint64_t a, b; /* records */
	uint64_t same, changed, moved, only_a, only_b;
	uint64_t places; /* differences: stretches between records that agree */
};

struct pv_diff_options {
	const struct pv_where *where; /* of both; NULL: all records */
	unsigned mask;		      /* enum pv_diff_mask */
	/*
	 * Called for each record that is not the same in both; a or b is NULL where it is in the other only. `place` is the
	 * number of the difference that it belongs to, from 1. May be NULL.
	 */
	void (*difference)(void *ctx, enum pv_diff_what what, uint64_t place, const struct pv_diff_record *a,
			   const struct pv_diff_record *b);
	/* Opens the first or the second trace anew, to look ahead; closed by the comparison. NULL: cannot be done. */
	struct pv_trace *(*again)(void *ctx, bool second);
	void *ctx;
};

/* Reads both to their ends. 0 (see *sums) or -errno of reading, with *e filled. */
int pv_trace_diff(struct pv_trace *a, struct pv_trace *b, const struct pv_diff_options *o, struct pv_diff_sums *sums,
		  struct pv_error *e);

#endif
