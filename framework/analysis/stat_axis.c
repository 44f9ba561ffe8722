/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time axes with pauses cut out: see stat_axis.h. */
#include "framework/analysis/stat_axis.h"

enum {
	PAUSE_SHARE = 8, /* of the axis: a pause of this part of it is cut */
	PAUSE_BINS = 8,	 /* and none of fewer bins */
	CUT_SHARE = 16,	 /* what a cut takes of what is left */
	WIDE_LABELS = 8,
	NARROW_LABELS = 4,
};

/* ---- spans ---- */

static bool is_busy(const struct pv_timeline *t, unsigned bin)
{
	return t->sum[bin][PV_TIMELINE_TLPS];
}

static unsigned idle_from(const struct pv_timeline *t, unsigned bin)
{
	unsigned n = 0;

	while (bin + n < t->used && !is_busy(t, bin + n))
		n++;
	return n;
}

static unsigned kept(const struct pv_axis *a)
{
	unsigned n = 0;

	for (unsigned i = 0; i < a->n; i++)
		n += a->spans[i].n;
	return n;
}

/* An empty bin stays on each side of a cut: what is before ends, what is behind begins. */
static void find_spans(struct pv_axis *a, const struct pv_timeline *t)
{
	unsigned used = (unsigned)t->used;

	*a = (struct pv_axis){.bin_ticks = (double)((uint64_t)1 << t->shift)};
	for (unsigned b = 0, begin = 0; b <= used; b++) {
		unsigned idle = idle_from(t, b);
		bool cuts = b && idle >= PAUSE_BINS && idle * PAUSE_SHARE >= used && b + idle < used &&
			    a->n + 1 < PV_AXIS_SPANS;

		if (b < used && !cuts) {
			b += idle ? idle - 1 : 0;
			continue;
		}
		a->spans[a->n++] = (struct pv_axis_span){.first = begin, .n = (cuts ? b + 1 : used) - begin};
		begin = b + idle - 1;
		b = cuts ? begin : used;
	}
}

void pv_axis_make(struct pv_axis *a, struct pv_timeline *t)
{
	find_spans(a, t);
	while (kept(a) > PV_TIMELINE_SHOWN) {
		pv_timeline_coarsen(t, (unsigned)t->used - 1);
		find_spans(a, t);
	}
	a->cut = kept(a) / (double)CUT_SHARE;
	for (unsigned i = 0; i < a->n; i++) {
		a->spans[i].x = a->length;
		a->length += a->spans[i].n + (i + 1 < a->n ? a->cut : 0);
	}
}

/* ---- what is drawn ---- */

void pv_axis_area(struct pv_plot *p, const struct pv_axis *a, const char *cls, const double *low, const double *high)
{
	for (unsigned i = 0; i < a->n; i++) {
		const struct pv_axis_span *s = &a->spans[i];

		pv_plot_area(p, cls, s->x, low ? low + s->first : NULL, high + s->first, s->n);
	}
}

void pv_axis_line(struct pv_plot *p, const struct pv_axis *a, const char *cls, const double *y)
{
	for (unsigned i = 0; i < a->n; i++)
		pv_plot_line(p, cls, a->spans[i].x, y + a->spans[i].first, a->spans[i].n);
}

/* ---- labels ---- */

static double ticks_of(const struct pv_axis *a, const struct pv_axis_span *s, double x)
{
	return (s->first + x - s->x) * a->bin_ticks;
}

/* Round times of a span that are far enough behind the last label. */
static void put_labels(struct pv_plot *p, const struct pv_axis *a, const struct pv_axis_span *s, double step,
		       double *free_from)
{
	const struct pv_axis_span *last = &a->spans[a->n - 1];
	double max = (last->first + last->n) * a->bin_ticks, begin = ticks_of(a, s, s->x);
	double gap = a->length / (p->narrow ? NARROW_LABELS + 1 : 2 * WIDE_LABELS);
	uint64_t first = (uint64_t)(begin / step);
	char text[16];

	for (uint64_t i = first; (double)i * step <= begin + s->n * a->bin_ticks; i++) {
		double x = s->x + ((double)i * step - begin) / a->bin_ticks;

		if ((double)i * step < begin || x < *free_from)
			continue;
		pv_plot_label(p, x, pv_plot_axis_number((double)i * step, step, max, text));
		*free_from = x + gap;
	}
}

static void put_cut(struct pv_plot *p, const struct pv_axis *a, unsigned i)
{
	const struct pv_axis_span *before = &a->spans[i], *after = &a->spans[i + 1];
	double ticks = (after->first - (before->first + before->n)) * a->bin_ticks;
	char number[16], text[40];

	snprintf(text, sizeof(text), "%s idle", pv_plot_number(ticks, number));
	pv_plot_break(p, before->x + before->n, a->cut, text);
}

void pv_axis_end(struct pv_plot *p, const struct pv_axis *a, const char *unit)
{
	double left = (a->length - (a->n - 1) * a->cut) * a->bin_ticks, free_from = 0;
	double step = pv_plot_round_up(left / (p->narrow ? NARROW_LABELS : WIDE_LABELS));

	for (unsigned i = 0; i < a->n; i++)
		put_labels(p, a, &a->spans[i], step, &free_from);
	for (unsigned i = 0; i + 1 < a->n; i++)
		put_cut(p, a, i);
	pv_plot_end(p, unit);
}
