/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plots as inline SVG: see stat_plot.h. */
#include "framework/analysis/stat_plot.h"

#include <math.h>

/* One unit is a pixel of a page that is as wide: text is of the same size in both. */
static const struct geometry {
	int width, height, left, right, top, bottom;
} geometries[] = {
	[false] = {900, 250, 76, 884, 34, 200},
	[true] = {360, 230, 46, 352, 34, 180},
};

static const struct geometry *of(const struct pv_plot *p)
{
	return &geometries[p->narrow];
}

static double x_of(const struct pv_plot *p, double x)
{
	return of(p)->left + x * (of(p)->right - of(p)->left) / (p->x_max > 0 ? p->x_max : 1);
}

static double y_of(const struct pv_plot *p, double y)
{
	return of(p)->bottom - y * (of(p)->bottom - of(p)->top) / p->y_max;
}

static const char units[][2] = {"", "k", "M", "G", "T", "P", "E"};

const char *pv_plot_number(double v, char buf[16])
{
	unsigned u = 0;

	for (; v >= 999.5 && u + 1 < sizeof(units) / sizeof(*units); u++)
		v /= 1000;
	snprintf(buf, 16, "%.3g%.1s", v, units[u]);
	return buf;
}

const char *pv_plot_axis_number(double v, double step, double max, char buf[16])
{
	unsigned u = 0;
	int decimals = 0;

	for (; max >= 1000 && u + 1 < sizeof(units) / sizeof(*units); u++) {
		max /= 1000;
		step /= 1000;
		v /= 1000;
	}
	for (double part = step; decimals < 6 && fabs(part - round(part)) > 1e-6; decimals++)
		part *= 10;
	snprintf(buf, 16, "%.*f%.1s", v > 0 ? decimals : 0, v, v > 0 ? units[u] : "");
	return buf;
}

double pv_plot_round_up(double v)
{
	double decade = pow(10, floor(log10(v)));
	double m = v / decade;

	return decade * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

void pv_plot_begin(struct pv_plot *p, const char *title, const char *unit)
{
	double step = p->y_max > 0 ? pv_plot_round_up(p->y_max / 5) : 1;
	unsigned n;
	char text[16];

	if (p->counts && step < 1)
		step = 1;
	n = p->y_max > 0 ? (unsigned)ceil(p->y_max / step) : 1;
	p->y_max = step * n;
	fprintf(p->f, "%s<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s</title>\n",
		p->narrow ? "<div class=\"s\" hidden=\"hidden\">" : "<div class=\"w\">", of(p)->width, of(p)->height,
		title);
	fprintf(p->f, "<text x=\"%d\" y=\"16\">%s</text>\n", 4, unit);
	for (unsigned i = 0; i <= n; i++) {
		double y = y_of(p, step * i);

		fprintf(p->f, "<line class=\"g\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", of(p)->left,
			of(p)->right, y, y);
		fprintf(p->f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", of(p)->left - 8, y + 5,
			pv_plot_axis_number(step * i, step, p->y_max, text));
	}
}

void pv_plot_label(struct pv_plot *p, double x, const char *text)
{
	fprintf(p->f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x_of(p, x), of(p)->bottom + 20,
		text);
}

void pv_plot_end(struct pv_plot *p, const char *unit)
{
	fprintf(p->f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text></svg></div>\n",
		(of(p)->left + of(p)->right) / 2, of(p)->height - 6, unit);
}

void pv_plot_area(struct pv_plot *p, const char *cls, double x, const double *low, const double *high, unsigned n)
{
	fprintf(p->f, "<path class=\"%s\" d=\"M%.1f,%d", cls, x_of(p, x), of(p)->bottom);
	for (unsigned i = 0; i < n; i++)
		fprintf(p->f, "V%.1fH%.1f", y_of(p, high[i]), x_of(p, x + i + 1));
	for (unsigned i = n; i-- > 0;)
		fprintf(p->f, "V%.1fH%.1f", y_of(p, low ? low[i] : 0), x_of(p, x + i));
	fputs("Z\"/>\n", p->f);
}

void pv_plot_line(struct pv_plot *p, const char *cls, double x, const double *y, unsigned n)
{
	fprintf(p->f, "<polyline class=\"l %s\" points=\"", cls);
	for (unsigned i = 0; i < n; i++)
		fprintf(p->f, "%.1f,%.1f ", x_of(p, x + i + 0.5), y_of(p, y[i]));
	fputs("\"/>\n", p->f);
}

/* A band, the two strokes of a broken axis at its foot, and what is missing. */
void pv_plot_break(struct pv_plot *p, double x, double width, const char *text)
{
	double from = x_of(p, x), to = x_of(p, x + width), middle = (from + to) / 2;
	int top = of(p)->top, bottom = of(p)->bottom;

	fprintf(p->f, "<rect class=\"i\" x=\"%.1f\" width=\"%.1f\" y=\"%d\" height=\"%d\"/>\n", from, to - from, top,
		bottom - top);
	for (int i = -1; i <= 1; i += 2)
		fprintf(p->f, "<line class=\"k\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", middle + 3 * i - 3,
			middle + 3 * i + 3, bottom + 6, bottom - 6);
	fprintf(p->f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 %.1f %d)\">%s</text>\n",
		middle + 4, (top + bottom) / 2, middle + 4, (top + bottom) / 2, text);
}

void pv_plot_bar(struct pv_plot *p, const char *cls, double x, double width, double y)
{
	double height = fmax(of(p)->bottom - y_of(p, y), 1); /* one among millions is seen, too */

	if (y > 0)
		fprintf(p->f, "<rect class=\"%s\" x=\"%.1f\" width=\"%.1f\" y=\"%.1f\" height=\"%.1f\"/>\n", cls,
			x_of(p, x), x_of(p, x + width) - x_of(p, x), of(p)->bottom - height, height);
}

void pv_plot_mark(struct pv_plot *p, double x, unsigned level, const char *text)
{
	double at = x_of(p, x);
	int is_right = at > of(p)->right - 90;

	fprintf(p->f, "<line class=\"m\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", at, at, of(p)->top - 14,
		of(p)->bottom);
	fprintf(p->f, "<text class=\"n\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", at + (is_right ? -5 : 5),
		of(p)->top - 2 + 22 * (int)level, is_right ? "end" : "start", text);
}

/* ---- time axes, pauses cut out ---- */

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
