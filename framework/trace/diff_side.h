/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the comparison: one of the two traces, as a window of its chosen records that moves on. */
#ifndef PV_TRACE_DIFF_SIDE_H
#define PV_TRACE_DIFF_SIDE_H

#include <string.h>

#include "framework/trace/diff.h"
#include "framework/trace/per_stream.h"

struct pv_diff_item {
	uint32_t key[8];	      /* the record without what is masked */
	struct pv_diff_record record; /* without its bytes: items move when the ring grows */
	uint8_t bytes[32];
};

struct pv_diff_side {
	struct pv_trace *trace;
	struct pv_trace_block block;
	struct pv_diff_item *ring; /* `size`, a power of two; it grows up to PV_DIFF_WINDOW */
	uint64_t size;
	uint64_t first, n;	     /* number of the first record in it; how many */
	struct pv_per_stream clocks; /* struct pv_trace_clock */
	bool end;
	int error;
};

/* 0 or -ENOMEM; close it in either case. The trace stays the caller's. */
int pv_diff_side_open(struct pv_diff_side *s, struct pv_trace *t);
void pv_diff_side_close(struct pv_diff_side *s);

/* Is there a k-th record from here? False also after an error, and beyond the window. Items may move. */
bool pv_diff_ahead(struct pv_diff_side *s, uint64_t k, const struct pv_diff_options *o);
static inline struct pv_diff_item *pv_diff_at(const struct pv_diff_side *s, uint64_t k)
{
	return &s->ring[(s->first + k) & (s->size - 1)];
}
static inline void pv_diff_skip(struct pv_diff_side *s, uint64_t n)
{
	s->first += n;
	s->n -= n;
}
static inline bool pv_diff_same(const struct pv_diff_item *x, const struct pv_diff_item *y)
{
	return x->record.format == y->record.format && !memcmp(x->key, y->key, sizeof(x->key));
}

#endif
