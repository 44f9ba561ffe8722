/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares two traces record by record: what is lost, what was put in, what was changed. Memory is constant;
 * a hole of up to PV_DIFF_WINDOW records (more than a DMA buffer holds) is bridged.
 */
#ifndef PV_TRACE_DIFF_H
#define PV_TRACE_DIFF_H

#include "framework/trace/trace.h"
#include "framework/trace/where.h"

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
	uint64_t offset; /* in its stream's payload */
	uint64_t number; /* of the chosen records, from 0 */
	enum pv_record_format format;
	const uint8_t *bytes;
};

struct pv_diff_sums {
	uint64_t a, b; /* records */
	uint64_t same, changed, only_a, only_b;
	uint64_t places; /* differences: stretches between records that agree */
};

struct pv_diff_options {
	const struct pv_where *where; /* of both; NULL: all records */
	unsigned mask;		      /* enum pv_diff_mask */
	/*
	 * Called for each record that is not the same in both: only a, only b, or both (changed). `place` is the number
	 * of the difference that it belongs to, from 1. May be NULL.
	 */
	void (*difference)(void *ctx, uint64_t place, const struct pv_diff_record *a, const struct pv_diff_record *b);
	void *ctx;
};

/* Reads both to their ends. 0 (see *sums) or -errno of reading, with *e filled. */
int pv_trace_diff(struct pv_trace *a, struct pv_trace *b, const struct pv_diff_options *o, struct pv_diff_sums *sums,
		  struct pv_error *e);

#endif
