/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters over time: sums the counts of each interval by PMU and event, and converts them: bytes per second and their
 * share of a link's ceiling, time in a link state, the mix of CXL opcodes.
 */
#ifndef PV_COUNTERS_WATCH_H
#define PV_COUNTERS_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "framework/counters/perf_stat.h"
#include "framework/util/error.h"

enum pv_quantity {
	PV_QUANTITY_EVENTS,    /* events per second */
	PV_QUANTITY_BYTES,     /* payload bytes per second */
	PV_QUANTITY_RESIDENCY, /* share of time in a link state, 0 to 1 */
	PV_QUANTITY_CYCLE,     /* length of a core_clk cycle in ps (one_cycle): no rate */
};

/* Points of a series for a plot, over measured time: if there are too many, neighbours are merged. */
enum { PV_WATCH_POINTS = 1024 };
struct pv_point {
	double begin_s, end_s;
	double value; /* mean of the interval; NAN: not counted */
};

/* One event of one PMU. */
struct pv_series {
	char pmu[64], event[128], unit[16];
	const char *name; /* name of an event that was given as a number; otherwise `event` */
	enum pv_quantity quantity;
	unsigned intervals;    /* number of intervals in which it was counted */
	double counted_s;      /* time in which it was counted; perf scales printed counts to the whole interval */
	double printed_s;      /* length of the intervals in which perf printed it, counted or not */
	double now;	       /* in the last interval that ended; NAN: not counted */
	double min, max;       /* of all intervals */
	double sum, seconds;   /* sum of `now` * length, and of lengths: the mean is sum / seconds */
	double count, running; /* of the current interval; running: the smallest share, in percent */
	bool seen, counted, supported; /* seen, counted: in the current interval */
	struct pv_point points[PV_WATCH_POINTS];
	unsigned n_points, merged; /* a point is the mean of 1 << merged intervals */
};

struct pv_watch {
	struct pv_series **series; /* in order of appearance: series of a PMU need not be adjacent */
	size_t n;
	double begin_s, end_s; /* of the current interval */
	double ended_s;	       /* end of the previous interval */
	uint64_t intervals;    /* number of complete intervals */
	uint64_t foreign;      /* number of lines that are not from perf stat */
	double seconds;	       /* sum of all intervals */
	double cycle_ps; /* length of a core_clk cycle, set by the caller; 0: from one_cycle, if it was counted alone */
};

/*
 * Adds a line. 1: it begins an interval, so the previous one is complete, and `now` of each series is its value; 0: it
 * does not; -ENOMEM; -E2BIG: more than 1,024 series.
 */
int pv_watch_add(struct pv_watch *w, const char *line);
/* Ends the last interval. Returns true if there was one. */
bool pv_watch_end(struct pv_watch *w);
void pv_watch_free(struct pv_watch *w);

/* Returns the mean over all intervals in which it was counted; NAN: none. */
double pv_series_mean(const struct pv_series *s);
/* Returns true for the first series of a PMU. */
bool pv_watch_is_first(const struct pv_watch *w, size_t i);

/* Returns the ceiling of a PMU's link, in payload bytes per second each way; 0: unknown. */
typedef double (*pv_ceiling_fn)(void *ctx, const char *pmu);

/*
 * Writes the measurements of a PMU (that of series[first]) in the last interval, in one line of at most `columns` bytes
 * (0: any number), without a newline.
 */
void pv_watch_put_now(const struct pv_watch *w, size_t first, double ceiling, unsigned columns, FILE *f);
/* Writes for each PMU its findings, then its series with mean, minimum and maximum. */
void pv_watch_put_summary(const struct pv_watch *w, pv_ceiling_fn ceiling, void *ctx, FILE *f);
/* Writes an HTML page with a plot of each series: well-formed XML that needs no network. */
void pv_watch_html(const struct pv_watch *w, pv_ceiling_fn ceiling, void *ctx, FILE *f);

/* Returns the unit of a series on an axis, "percent of the time", and the factor from its values to this unit. */
const char *pv_series_unit(const struct pv_watch *w, const struct pv_series *s, double *scale);

#endif
