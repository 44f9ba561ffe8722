/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums over time in a fixed number of bins: see timeline.h. */
#include "framework/analysis/timeline.h"

#include <string.h>

/*
 * Merges the interval sums of two bins. Intervals open at the end of the first bin count for all of the second; `spent`
 * of the second subtracts the rest of intervals that end in it.
 */
static void fold_intervals(struct pv_timeline *t, unsigned bin)
{
	int64_t length = (int64_t)((uint64_t)1 << t->shift);

	t->spent[bin] = t->spent[2 * bin] + t->change[2 * bin] * length + t->spent[2 * bin + 1];
	t->change[bin] = t->change[2 * bin] + t->change[2 * bin + 1];
}

static void fold(struct pv_timeline *t)
{
	uint64_t half = (t->used + 1) / 2, rest = t->used - half;

	for (unsigned b = 0; b < half; b++) {
		for (unsigned s = 0; s < PV_TIMELINE_SUMS; s++)
			t->sum[b][s] = t->sum[2 * b][s] + t->sum[2 * b + 1][s];
		fold_intervals(t, b);
		t->lost[b] = t->lost[2 * b] || t->lost[2 * b + 1];
	}
	memset(&t->sum[half], 0, rest * sizeof(t->sum[0]));
	memset(&t->spent[half], 0, rest * sizeof(t->spent[0]));
	memset(&t->change[half], 0, rest * sizeof(t->change[0]));
	memset(&t->lost[half], 0, rest * sizeof(t->lost[0]));
	t->used = half;
	t->shift++;
}

void pv_timeline_reach(struct pv_timeline *t, uint64_t time)
{
	while (time >> t->shift >= PV_TIMELINE_BINS)
		fold(t);
	if (t->used <= time >> t->shift)
		t->used = (time >> t->shift) + 1;
}

void pv_timeline_coarsen(struct pv_timeline *t, unsigned bins)
{
	while (t->used > bins)
		fold(t);
}

void pv_timeline_align(struct pv_timeline *t, const struct pv_timeline *like)
{
	while (t->shift < like->shift)
		fold(t);
	t->used = like->used;
}

static void edge(struct pv_timeline *t, uint64_t time, int sign)
{
	unsigned bin = pv_timeline_bin(t, time);

	t->spent[bin] += sign * (int64_t)(pv_timeline_bin_end(t, bin) - time);
	t->change[bin] += sign;
}

void pv_timeline_interval(struct pv_timeline *t, uint64_t begin, uint64_t end)
{
	pv_timeline_reach(t, end);
	edge(t, begin, 1);
	edge(t, end, -1);
}

void pv_timeline_lost(struct pv_timeline *t, uint64_t from, uint64_t to)
{
	unsigned last = pv_timeline_bin(t, to);

	for (unsigned b = (unsigned)(from >> t->shift); b <= last; b++)
		t->lost[b] = true;
}

void pv_timeline_open(const struct pv_timeline *t, double *out)
{
	double length = (double)((uint64_t)1 << t->shift);
	int64_t open = 0;

	for (unsigned b = 0; b < PV_TIMELINE_BINS; b++) {
		out[b] = (double)open + (double)t->spent[b] / length;
		open += t->change[b];
	}
}

void pv_timeline_merge(struct pv_timeline *t, struct pv_timeline *from)
{
	while (t->shift < from->shift)
		fold(t);
	while (from->shift < t->shift)
		fold(from);
	for (unsigned b = 0; b < from->used; b++) {
		for (unsigned s = 0; s < PV_TIMELINE_SUMS; s++)
			t->sum[b][s] += from->sum[b][s];
		t->spent[b] += from->spent[b];
		t->change[b] += from->change[b];
		t->lost[b] |= from->lost[b];
	}
	if (t->used < from->used)
		t->used = from->used;
}
