/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plots of the statistics page as inline SVG: a frame with axes that are labelled at round numbers, and in it
 * areas, lines, bars and marks. Colours are classes of the page's style: a, b, c.
 */
#ifndef PV_ANALYSIS_STAT_PLOT_H
#define PV_ANALYSIS_STAT_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "framework/analysis/timeline.h"

/* Writes the pattern of bands where records are missing; once on a page, before its plots. */
void pv_plot_defs(FILE *f);

struct pv_plot {
	FILE *f;
	double x_max, y_max; /* of the axes, in the plot's own units; set y_max to the largest value before begin */
	bool counts;	     /* y is a number of things: no fractions on its axis */
};

/* Opens the plot and draws its y axis, which `unit` counts; y_max becomes a round number. */
void pv_plot_begin(struct pv_plot *p, const char *title, const char *unit);
/* Writes `unit` below the labels of the x axis, which are the caller's: pv_plot_label(). Closes the plot. */
void pv_plot_end(struct pv_plot *p, const char *unit);
/* A label below x; an extra one has no room on a page of 400 pixels. */
void pv_plot_label(struct pv_plot *p, double x, bool is_extra, const char *text);

void pv_plot_bar(struct pv_plot *p, const char *cls, double x, double width, double y);
/* A dashed vertical line with its name in line `level` from the top; at the left of it where there is no room. */
void pv_plot_mark(struct pv_plot *p, double x, unsigned level, const char *text);

/* A number in few characters: 950, 12.3k, 4.56M; returns buf. */
const char *pv_plot_number(double v, char buf[16]);
/* A number of an axis that goes up to `max` in steps: all of one axis have the same unit and decimals. */
const char *pv_plot_axis_number(double v, double step, double max, char buf[16]);

/* ---- time axes ---- */

/*
 * The axis of a plot over time. A pause that would take an eighth of it or more is cut out, so that it does not flatten
 * what was before and after it: the axis is broken there, and the plot says for how long nothing happened.
 */
enum { PV_AXIS_SPANS = 9 };

/* Bins from `first` on that are drawn beside each other. */
struct pv_axis_span {
	unsigned first, n;
	double x;  /* of the first, in bins of the plot */
	bool lost; /* records are missing in the pause behind it */
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

/* Bands over the bins in which records are missing. */
void pv_axis_lost(struct pv_plot *p, const struct pv_axis *a, const bool *lost);

/* Labels at round times, breaks with their length, and `unit` below. Closes the plot. */
void pv_axis_end(struct pv_plot *p, const struct pv_axis *a, const char *unit);

#endif
