/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One of the two traces of a comparison, as a window of its chosen records that moves on. */
#ifndef PV_ANALYSIS_DIFF_INPUT_H
#define PV_ANALYSIS_DIFF_INPUT_H

#include <string.h>

#include "framework/analysis/where.h"
#include "framework/trace/trace.h"

#define PV_DIFF_WINDOW (1u << 18) /* records at most */

/* Fields to ignore. */
enum pv_diff_mask {
	PV_DIFF_TIME = 1,
	PV_DIFF_TAG = 2,
	PV_DIFF_ADDRESS = 4, /* and a completion's lower address */
	PV_DIFF_REQUESTER = 8,
	PV_DIFF_PREFIX = 16,
};

/* Kept small: the windows are most of what the comparison takes. */
struct pv_diff_item {
	uint8_t bytes[32]; /* 4DW: the rest is 0 */
	const struct pv_trace_stream *stream;
	uint64_t offset, time;
	uint32_t hash;	/* of what is not masked; 0: not needed so far */
	uint8_t format; /* enum pv_record_format */
	bool at_least;	/* the time may be more */
};

struct pv_diff_input {
	struct pv_trace *trace;
	struct pv_trace_block block;
	struct pv_diff_item *ring; /* `size`, a power of two; it grows up to PV_DIFF_WINDOW */
	uint64_t size;
	uint64_t first, n;	      /* number of the first record in it; how many */
	struct pv_per_stream clocks;  /* struct pv_trace_clock */
	const struct pv_where *where; /* NULL: all records */
	unsigned mask;		      /* enum pv_diff_mask */
	bool end;
	int error;
};

/* 0 or -ENOMEM; close it in either case. The trace stays the caller's. */
int pv_diff_input_open(struct pv_diff_input *s, struct pv_trace *t, const struct pv_where *where, unsigned mask);
void pv_diff_input_close(struct pv_diff_input *s);

/*
 * Returns true if there is a k-th record from here. False also after an error, and beyond the window. Items may move.
 */
bool pv_diff_ahead(struct pv_diff_input *s, uint64_t k);
static inline struct pv_diff_item *pv_diff_at(const struct pv_diff_input *s, uint64_t k)
{
	return &s->ring[(s->first + k) & (s->size - 1)];
}
static inline void pv_diff_skip(struct pv_diff_input *s, uint64_t n)
{
	s->first += n;
	s->n -= n;
}
uint32_t pv_diff_hash(struct pv_diff_item *it, unsigned mask);
/* As pv_diff_same(), of two whose bytes are not equal. */
bool pv_diff_same_but_masked(struct pv_diff_item *x, struct pv_diff_item *y, unsigned mask);
static inline bool pv_diff_same(struct pv_diff_item *x, struct pv_diff_item *y, unsigned mask)
{
	if (x->format != y->format)
		return false;
	/* Most are looked at once and are the same; one that was not is looked at again and again. */
	if (!x->hash && !memcmp(x->bytes, y->bytes, sizeof(x->bytes)))
		return true;
	return pv_diff_hash(x, mask) == pv_diff_hash(y, mask) && pv_diff_same_but_masked(x, y, mask);
}

#endif
