/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums over time in a fixed number of bins: when a time lies past the last bin, neighbours are added up and
 * a bin becomes twice as long. What comes out depends on what was added, not on the order.
 */
#ifndef PV_ANALYSIS_TIMELINE_H
#define PV_ANALYSIS_TIMELINE_H

#include <stdint.h>

/* More than are shown: when a plot leaves out a pause, there is something left to be drawn. */
#define PV_TIMELINE_BINS  4096
#define PV_TIMELINE_SHOWN 512

enum pv_timeline_sum { PV_TIMELINE_TLPS, PV_TIMELINE_POSTED_DW, PV_TIMELINE_CPL_DW, PV_TIMELINE_SUMS };

struct pv_timeline {
	unsigned shift; /* a bin is 1 << shift ticks */
	uint64_t used;	/* bins with something in them, from the first */
	uint64_t sum[PV_TIMELINE_BINS][PV_TIMELINE_SUMS];
	/* Intervals: time spent in a bin by those that begin or end in it, and how many more there are after it. */
	int64_t spent[PV_TIMELINE_BINS], change[PV_TIMELINE_BINS];
};

/* Makes a bin for this time: makes the bins long enough, and counts it as used. */
void pv_timeline_reach(struct pv_timeline *t, uint64_t time);
/* The bin of a time. */
static inline unsigned pv_timeline_bin(struct pv_timeline *t, uint64_t time)
{
	if (time >> t->shift >= t->used)
		pv_timeline_reach(t, time);
	return (unsigned)(time >> t->shift);
}
static inline uint64_t pv_timeline_bin_end(const struct pv_timeline *t, unsigned bin)
{
	return (uint64_t)(bin + 1) << t->shift;
}
/* One request is open in [begin, end). */
void pv_timeline_interval(struct pv_timeline *t, uint64_t begin, uint64_t end);
/* How many intervals were open on average in each bin; out[PV_TIMELINE_BINS]. */
void pv_timeline_open(const struct pv_timeline *t, double *out);
/* Makes bins longer until at most so many are used. */
void pv_timeline_coarsen(struct pv_timeline *t, unsigned bins);
/* Adds all of `from`, which may get longer bins. */
void pv_timeline_merge(struct pv_timeline *t, struct pv_timeline *from);

#endif
