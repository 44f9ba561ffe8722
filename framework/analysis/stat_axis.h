/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The axis of a plot over time. A pause that would take an eighth of it or more is cut out, so that it does not flatten
 * what was before and after it: the axis is broken there, and the plot says for how long nothing happened.
 */
#ifndef PV_ANALYSIS_STAT_AXIS_H
#define PV_ANALYSIS_STAT_AXIS_H

#include "framework/analysis/stat_plot.h"
#include "framework/analysis/timeline.h"

enum { PV_AXIS_SPANS = 9 };

/* Bins from `first` on that are drawn beside each other. */
struct pv_axis_span {
	unsigned first, n;
	double x; /* of the first, in bins of the plot */
};

struct pv_axis {
	struct pv_axis_span spans[PV_AXIS_SPANS];
	unsigned n;	  /* spans: one more than pauses */
	double length;	  /* of all, pauses included: x_max of the plot */
	double cut;	  /* what a pause takes */
	double bin_ticks; /* length of a bin */
};

/*
 * The spans of a timeline in which something happens, with the pauses between them that are too short to be cut. Bins
 * of the timeline become longer until at most PV_TIMELINE_SHOWN are drawn.
 */
void pv_axis_make(struct pv_axis *a, struct pv_timeline *t);

/* The value of each bin, filled down to low[] (NULL: 0); and as a line. Nothing is drawn in a pause. */
void pv_axis_area(struct pv_plot *p, const struct pv_axis *a, const char *cls, const double *low, const double *high);
void pv_axis_line(struct pv_plot *p, const struct pv_axis *a, const char *cls, const double *y);

/* Labels at round times, breaks with their length, and `unit` below. Closes the plot. */
void pv_axis_end(struct pv_plot *p, const struct pv_axis *a, const char *unit);

#endif
