/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One of the two traces of a comparison, as a sliding window over its selected records. */
#ifndef PV_ANALYSIS_DIFF_INPUT_H
#define PV_ANALYSIS_DIFF_INPUT_H

#include <string.h>

#include "framework/analysis/where.h"
#include "framework/trace/trace.h"

#define PV_DIFF_WINDOW (1u << 18) /* maximum number of records in a window */

/* Fields to ignore. */
enum pv_diff_mask {
	PV_DIFF_TIME = 1,
	PV_DIFF_TAG = 2,
	PV_DIFF_ADDRESS = 4, /* also Lower Address of completions */
	PV_DIFF_REQUESTER = 8,
	PV_DIFF_PREFIX = 16,
};

/* A record. The items of the windows take most of the memory, so this struct is small. */
struct pv_diff_item {
	uint8_t bytes[32]; /* 4DW: the upper half is 0 */
	const struct pv_trace_stream *stream;
	uint64_t offset, time;
	uint32_t hash;	/* of the unmasked fields; 0: not computed yet */
	uint8_t format; /* enum pv_record_format */
	bool at_least;	/* the real time may be later */
};

struct pv_diff_input {
	struct pv_trace *trace;
	struct pv_trace_block block;
	struct pv_diff_item *ring; /* `size` items, a power of two up to PV_DIFF_WINDOW */
	uint64_t size;
	uint64_t first, n;	      /* number of its first record; number of records in it */
	struct pv_per_stream clocks;  /* struct pv_trace_clock */
	const struct pv_where *where; /* NULL: all records */
	unsigned mask;		      /* enum pv_diff_mask */
	bool end;
	int error;
};

/* Opens one side of a comparison. 0 or -ENOMEM; close it in either case. The caller keeps the trace. */
int pv_diff_input_open(struct pv_diff_input *s, struct pv_trace *t, const struct pv_where *where, unsigned mask);
void pv_diff_input_close(struct pv_diff_input *s);

/*
 * Reads ahead until the window contains its k-th record from here. False at the end of the trace, after an error, and
 * beyond the maximum window. Items may move.
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
/* Compares like pv_diff_same(), for records whose bytes differ. */
bool pv_diff_same_but_masked(struct pv_diff_item *x, struct pv_diff_item *y, unsigned mask);
static inline bool pv_diff_same(struct pv_diff_item *x, struct pv_diff_item *y, unsigned mask)
{
	if (x->format != y->format)
		return false;
	/*
	 * A record without a hash is compared for the first time, mostly with an equal one: bytes suffice. Records that
	 * differed once are compared many times: the hash is cheaper.
	 */
	if (!x->hash && !memcmp(x->bytes, y->bytes, sizeof(x->bytes)))
		return true;
	return pv_diff_hash(x, mask) == pv_diff_hash(y, mask) && pv_diff_same_but_masked(x, y, mask);
}

#endif
