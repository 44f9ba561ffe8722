/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plots of the statistics page as inline SVG: a frame with labelled axes, and areas, lines, bars and marks in it.
 * Colours are classes of the page's style: a, b, c.
 */
#ifndef PV_ANALYSIS_STAT_PLOT_H
#define PV_ANALYSIS_STAT_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "framework/analysis/timeline.h"

/* Writes the fill pattern of bands for missing records. Call it once per page, before the first plot. */
void pv_plot_defs(FILE *f);

struct pv_plot {
	FILE *f;
	double x_max, y_max; /* ends of the axes; before pv_plot_begin(), y_max is the largest value */
	bool counts;	     /* y is a number of things: its axis shows no fractions */
};

/* Opens the plot and draws its y axis, with `unit` above; rounds y_max up. */
void pv_plot_begin(struct pv_plot *p, const char *title, const char *unit);
/* Writes `unit` below the x axis, whose labels come from pv_plot_label(). Closes the plot. */
void pv_plot_end(struct pv_plot *p, const char *unit);
/* Writes a label below x. An extra label is hidden on a page of 400 pixels. */
void pv_plot_label(struct pv_plot *p, double x, bool is_extra, const char *text);

void pv_plot_bar(struct pv_plot *p, const char *cls, double x, double width, double y);
/* Draws a dashed vertical line, with its name in text line `level` from the top, on the side that has room. */
void pv_plot_mark(struct pv_plot *p, double x, unsigned level, const char *text);

/* Formats a number briefly: 950, 12.3k, 4.56M. Returns buf. */
const char *pv_plot_number(double v, char buf[16]);
/*
 * Formats a number of an axis from 0 to `max` in steps. All numbers of an axis have the same unit and decimals. Returns
 * buf.
 */
const char *pv_plot_axis_number(double v, double step, double max, char buf[16]);

/* ---- time axes ---- */

/*
 * The axis of a plot over time. A pause that would take an eighth of it or more is cut out, so that it does not
 * compress the rest: the axis is broken there, and the plot shows the length of the pause.
 */
enum { PV_AXIS_SPANS = 9 };

/* Consecutive bins: n of them, from `first` on. */
struct pv_axis_span {
	unsigned first, n;
	double x;  /* position of the first bin, in bins of the plot */
	bool lost; /* records are missing in the pause after the span */
};

struct pv_axis {
	struct pv_axis_span spans[PV_AXIS_SPANS];
	unsigned n;	  /* number of spans: one more than cuts */
	double length;	  /* sum of all spans and cuts: x_max of the plot */
	double cut;	  /* width of a cut */
	double bin_ticks; /* length of a bin in ticks, or in units of the axis */
	bool counts;	  /* x is a number of things: its labels have no fractions */
};

/*
 * Finds the spans of a timeline that contain TLPs. Pauses too short to be cut belong to a span. Merges bins of the
 * timeline until at most PV_TIMELINE_SHOWN are drawn.
 */
void pv_axis_make(struct pv_axis *a, struct pv_timeline *t);

/* Draw the value of each bin: as an area above low[] (NULL: 0), and as a line. Cuts stay empty. */
void pv_axis_area(struct pv_plot *p, const struct pv_axis *a, const char *cls, const double *low, const double *high);
void pv_axis_line(struct pv_plot *p, const struct pv_axis *a, const char *cls, const double *y);

/* Draws bands over the bins in which records are missing. */
void pv_axis_lost(struct pv_plot *p, const struct pv_axis *a, const bool *lost);

/* Writes labels at round times, cuts with their length, and `unit` below the axis. Closes the plot. */
void pv_axis_end(struct pv_plot *p, const struct pv_axis *a, const char *unit);

#endif
