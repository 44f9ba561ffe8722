/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums over time in a fixed number of bins. If a time lies after the last bin, neighbouring bins are merged and bins
 * become twice as long. The result does not depend on the order of additions.
 */
#ifndef PV_ANALYSIS_TIMELINE_H
#define PV_ANALYSIS_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

/* There are more bins than a plot shows, so that enough remain after a pause is cut out. */
#define PV_TIMELINE_BINS  4096
#define PV_TIMELINE_SHOWN 512

/* READ_DW: DW requested by reads, by Length. */
enum pv_timeline_sum {
	PV_TIMELINE_TLPS,
	PV_TIMELINE_POSTED_DW,
	PV_TIMELINE_CPL_DW,
	PV_TIMELINE_READ_DW,
	PV_TIMELINE_SUMS
};

struct pv_timeline {
	unsigned shift; /* the length of a bin is 1 << shift ticks */
	uint64_t used;	/* number of bins up to the last non-empty one */
	uint64_t sum[PV_TIMELINE_BINS][PV_TIMELINE_SUMS];
	/*
	 * Open intervals. spent: ticks within the bin of intervals that begin or end in it. change: their number at the
	 * end of the bin minus that at its start.
	 */
	int64_t spent[PV_TIMELINE_BINS], change[PV_TIMELINE_BINS];
	bool lost[PV_TIMELINE_BINS]; /* records are missing in the bin */
};

/* Extends the bins to include `time`, and marks its bin as used. */
void pv_timeline_reach(struct pv_timeline *t, uint64_t time);
/* Returns the bin of a time, and extends the bins if needed. */
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
/* Adds an open request in [begin, end). */
void pv_timeline_interval(struct pv_timeline *t, uint64_t begin, uint64_t end);
/* Marks [from, to] as a time of missing records. */
void pv_timeline_lost(struct pv_timeline *t, uint64_t from, uint64_t to);
/* Computes the mean number of open requests in each bin: out[PV_TIMELINE_BINS]. */
void pv_timeline_open(const struct pv_timeline *t, double *out);
/* Merges bins until at most `bins` are used. */
void pv_timeline_coarsen(struct pv_timeline *t, unsigned bins);
/* Merges bins of `t` until they match `like`. `like` must contain everything that `t` contains. */
void pv_timeline_align(struct pv_timeline *t, const struct pv_timeline *like);
/* Adds all sums of `from`; the bins of `t` or of `from` may become longer. */
void pv_timeline_merge(struct pv_timeline *t, struct pv_timeline *from);

#endif
