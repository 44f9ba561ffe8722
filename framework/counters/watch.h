/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters over time: sums the counts of each interval by PMU and event, and turns them into what they measure: bytes
 * per second and their share of a link's ceiling, time in a link state, the mix of CXL opcodes.
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

/* Points of a series for a plot, in measured time: if they are full, neighbours are merged. */
enum { PV_WATCH_POINTS = 1024 };
struct pv_point {
	double begin_s, end_s;
	double value; /* mean of the interval; NAN: not counted */
};

/* One event of one PMU. */
struct pv_series {
	char pmu[64], event[128], unit[16];
	const char *name; /* of the event, where it was given as a number; else `event` */
	enum pv_quantity quantity;
	unsigned intervals;    /* in which it was counted */
	double counted_s;      /* time in which it was counted; perf scales what it prints to the whole interval */
	double printed_s;      /* length of the intervals in which perf printed it, counted or not */
	double now;	       /* in the last interval that ended; NAN: not counted */
	double min, max;       /* of the intervals */
	double sum, seconds;   /* of `now` x length: the mean is sum / seconds */
	double count, running; /* of the interval that has not ended; running: the smallest share, in percent */
	bool seen, counted, supported; /* the first two: in the interval that has not ended */
	struct pv_point points[PV_WATCH_POINTS];
	unsigned n_points, merged; /* a point is the mean of 1 << merged intervals */
};

struct pv_watch {
	struct pv_series **series; /* in order of appearance: those of a PMU need not be neighbours */
	size_t n;
	double begin_s, end_s; /* of the interval that has not ended */
	double ended_s;	       /* end of the last one that has */
	uint64_t intervals;    /* that have ended */
	uint64_t foreign;      /* lines that perf stat did not write */
	double seconds;	       /* of all intervals */
	double cycle_ps;       /* of core_clk, as the caller knows it; 0: one_cycle tells it, if it was counted alone */
};

/*
 * Adds a line. 1: it begins an interval, so that the one before it has ended, and `now` of each series is its value; 0:
 * it does not; -ENOMEM; -E2BIG: more than 1,024 series.
 */
int pv_watch_add(struct pv_watch *w, const char *line);
/* Ends the last interval. Returns whether there was one. */
bool pv_watch_end(struct pv_watch *w);
void pv_watch_free(struct pv_watch *w);

/* The mean over all intervals in which it was counted; NAN: none. */
double pv_series_mean(const struct pv_series *s);
/* Whether the series is the first of its PMU. */
bool pv_watch_is_first(const struct pv_watch *w, size_t i);

/* The most that the link of a PMU can carry, in payload bytes per second each way; 0: unknown. */
typedef double (*pv_ceiling_fn)(void *ctx, const char *pmu);

/*
 * Writes what a PMU (that of series[first]) measured in the last interval, in one line of at most `columns` bytes
 * (0: any number), without a newline.
 */
void pv_watch_put_now(const struct pv_watch *w, size_t first, double ceiling, unsigned columns, FILE *f);
/* Writes for each PMU its findings, then its series with mean, least and most. */
void pv_watch_put_summary(const struct pv_watch *w, pv_ceiling_fn ceiling, void *ctx, FILE *f);
/* Writes all of it as one HTML page with a plot of each series, well-formed XML that fetches nothing. */
void pv_watch_html(const struct pv_watch *w, pv_ceiling_fn ceiling, void *ctx, FILE *f);

/* The unit of a series on an axis, and the factor from its values to that: "percent of the time". */
const char *pv_series_unit(const struct pv_watch *w, const struct pv_series *s, double *scale);

#endif
