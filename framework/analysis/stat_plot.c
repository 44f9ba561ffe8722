/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plots as inline SVG: see stat_plot.h. */
#include "framework/analysis/stat_plot.h"

#include <math.h>

/*
 * The height is in pixels and x in percent of the width, so one drawing fits pages of any width without scaling its
 * text. SVG paths have no percentages; so each path is in a nested drawing, which is stretched.
 */
enum { TOP = 34, BOTTOM = 200, HEIGHT = 250 };

void pv_plot_defs(FILE *f)
{
	fputs("<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs><pattern id=\"hatch\" "
	      "width=\"6\" "
	      "height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
	      "<path class=\"t\" d=\"M1,0V6\"/></pattern></defs></svg>\n",
	      f);
}

static double x_of(const struct pv_plot *p, double x)
{
	return 100 * x / (p->x_max > 0 ? p->x_max : 1);
}

static double y_of(const struct pv_plot *p, double y)
{
	return BOTTOM - y * (BOTTOM - TOP) / p->y_max;
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

/* Rounds v > 0 up to 1, 2, 5, 10, ... */
static double round_up(double v)
{
	double decade = pow(10, floor(log10(v)));
	double m = v / decade;

	return decade * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

void pv_plot_begin(struct pv_plot *p, const char *title, const char *unit)
{
	double step = p->y_max > 0 ? round_up(p->y_max / 5) : 1;
	unsigned n;
	char text[16];

	if (p->counts && step < 1)
		step = 1;
	n = p->y_max > 0 ? (unsigned)ceil(p->y_max / step) : 1;
	p->y_max = step * n;
	fprintf(p->f, "<div class=\"plot\"><svg height=\"%d\" role=\"img\"><title>%s</title>\n", HEIGHT, title);
	fprintf(p->f, "<text x=\"0\" y=\"16\">%s</text>\n", unit);
	for (unsigned i = 0; i <= n; i++) {
		double y = y_of(p, step * i);

		fprintf(p->f, "<line class=\"g\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", y, y);
		fprintf(p->f, "<text x=\"-8\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", y + 5,
			pv_plot_axis_number(step * i, step, p->y_max, text));
	}
}

void pv_plot_label(struct pv_plot *p, double x, bool is_extra, const char *text)
{
	fprintf(p->f, "<text%s x=\"%.2f%%\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
		is_extra ? " class=\"x\"" : "", x_of(p, x), BOTTOM + 20, text);
}

void pv_plot_end(struct pv_plot *p, const char *unit)
{
	fprintf(p->f, "<text x=\"50%%\" y=\"%d\" text-anchor=\"middle\">%s</text></svg></div>\n", HEIGHT - 6, unit);
}

/* Begins a nested drawing: x counts n steps from x on, y counts pixels from the top of the plot. */
static void begin_steps(struct pv_plot *p, double x, unsigned n)
{
	fprintf(p->f,
		"<svg x=\"%.2f%%\" width=\"%.2f%%\" y=\"%d\" height=\"%d\" viewBox=\"0 0 %u %d\" "
		"preserveAspectRatio=\"none\" overflow=\"visible\">",
		x_of(p, x), x_of(p, n), TOP, BOTTOM - TOP, n, BOTTOM - TOP);
}

/* Fills the area between low[i] (NULL: 0) and high[i], in steps of width 1 from x on. */
static void put_area(struct pv_plot *p, const char *cls, double x, const double *low, const double *high, unsigned n)
{
	begin_steps(p, x, n);
	fprintf(p->f, "<path class=\"%s\" d=\"M0,%d", cls, BOTTOM - TOP);
	for (unsigned i = 0; i < n; i++)
		fprintf(p->f, "V%.1fH%u", y_of(p, high[i]) - TOP, i + 1);
	for (unsigned i = n; i-- > 0;)
		fprintf(p->f, "V%.1fH%u", y_of(p, low ? low[i] : 0) - TOP, i);
	fputs("Z\"/></svg>\n", p->f);
}

/* Draws a line through the middles of these steps. */
static void put_line(struct pv_plot *p, const char *cls, double x, const double *y, unsigned n)
{
	begin_steps(p, x, n);
	fprintf(p->f, "<polyline class=\"l %s\" points=\"", cls);
	for (unsigned i = 0; i < n; i++)
		fprintf(p->f, "%u.5,%.1f ", i, y_of(p, y[i]) - TOP);
	fputs("\"/></svg>\n", p->f);
}

/* Draws a cut: a band, two strokes across the axis, and `text`. */
static void put_break(struct pv_plot *p, double x, double width, const char *text)
{
	fprintf(p->f, "<rect class=\"i\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"%d\" height=\"%d\"/>\n", x_of(p, x),
		x_of(p, width), TOP, BOTTOM - TOP);
	fprintf(p->f,
		"<svg x=\"%.2f%%\" y=\"%d\" overflow=\"visible\"><path class=\"k\" d=\"M-6,6l6,-12M0,6l6,-12\"/>"
		"<text text-anchor=\"middle\" transform=\"translate(4 %d) rotate(-90)\">%s</text></svg>\n",
		x_of(p, x + width / 2), BOTTOM, (TOP - BOTTOM) / 2, text);
}

void pv_plot_bar(struct pv_plot *p, const char *cls, double x, double width, double y)
{
	double height = fmax(BOTTOM - y_of(p, y), 1); /* one request among millions stays visible */

	if (y > 0)
		fprintf(p->f, "<rect class=\"%s\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"%.1f\" height=\"%.1f\"/>\n", cls,
			x_of(p, x), x_of(p, width), BOTTOM - height, height);
}

void pv_plot_mark(struct pv_plot *p, double x, unsigned level, const char *text)
{
	double at = x_of(p, x);
	bool is_right = at > 70;

	fprintf(p->f, "<line class=\"m\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"/>", at, at, TOP - 14, BOTTOM);
	fprintf(p->f, "<text class=\"n\" x=\"%.2f%%\" dx=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", at,
		is_right ? -5 : 5, TOP - 2 + 22 * (int)level, is_right ? "end" : "start", text);
}

/* ---- time axes without long pauses ---- */

enum {
	PAUSE_SHARE = 8, /* a pause of at least 1/8 of the axis is cut */
	PAUSE_BINS = 8,	 /* a pause of fewer bins is never cut */
	CUT_SHARE = 16,	 /* width of a cut: 1/16 of the remaining bins */
	LABELS = 8,
	NARROW_LABELS = 5, /* maximum number of labels on a narrow page */
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

static bool is_lost(const struct pv_timeline *t, unsigned first, unsigned n)
{
	for (unsigned b = first; b < first + n; b++)
		if (t->lost[b])
			return true;
	return false;
}

/* An empty bin stays on each side of a cut, so that areas and lines return to 0 there. */
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
		a->spans[a->n++] = (struct pv_axis_span){
			.first = begin, .n = (cuts ? b + 1 : used) - begin, .lost = cuts && is_lost(t, b, idle)};
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

/* ---- areas, lines and bands ---- */

void pv_axis_area(struct pv_plot *p, const struct pv_axis *a, const char *cls, const double *low, const double *high)
{
	for (unsigned i = 0; i < a->n; i++) {
		const struct pv_axis_span *s = &a->spans[i];

		put_area(p, cls, s->x, low ? low + s->first : NULL, high + s->first, s->n);
	}
}

void pv_axis_line(struct pv_plot *p, const struct pv_axis *a, const char *cls, const double *y)
{
	for (unsigned i = 0; i < a->n; i++)
		put_line(p, cls, a->spans[i].x, y + a->spans[i].first, a->spans[i].n);
}

/*
 * Draws a band of n bins from x on, at least 0.4 % wide to stay visible. It covers other drawings there, as they are
 * incomplete.
 */
static void put_lost(struct pv_plot *p, double x, unsigned n)
{
	const double least = 0.4;

	for (const char *cls = "wh"; *cls; cls++)
		fprintf(p->f, "<rect class=\"%c\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"%d\" height=\"%d\"/>\n", *cls,
			x_of(p, x), fmax(x_of(p, n), least), TOP, BOTTOM - TOP + 1);
}

void pv_axis_lost(struct pv_plot *p, const struct pv_axis *a, const bool *lost)
{
	for (unsigned i = 0; i < a->n; i++) {
		const struct pv_axis_span *s = &a->spans[i];

		for (unsigned b = 0, n; b < s->n; b += n) {
			for (n = 0; b + n < s->n && lost[s->first + b + n]; n++)
				continue;
			if (n)
				put_lost(p, s->x + b, n);
			n += !n;
		}
	}
}

/* ---- labels ---- */

static double ticks_of(const struct pv_axis *a, const struct pv_axis_span *s, double x)
{
	return (s->first + x - s->x) * a->bin_ticks;
}

/* The first x with room for the next label: on any page, and on a narrow page. */
struct room {
	double any, narrow;
};

/* Writes labels at round times of a span, with enough distance to the last label. */
static void put_labels(struct pv_plot *p, const struct pv_axis *a, const struct pv_axis_span *s, double step,
		       struct room *from)
{
	const struct pv_axis_span *last = &a->spans[a->n - 1];
	double max = (last->first + last->n) * a->bin_ticks, begin = ticks_of(a, s, s->x);
	uint64_t first = (uint64_t)(begin / step);
	char text[16];

	for (uint64_t i = first; (double)i * step <= begin + s->n * a->bin_ticks; i++) {
		double x = s->x + ((double)i * step - begin) / a->bin_ticks;

		if ((double)i * step < begin || x < from->any)
			continue;
		pv_plot_label(p, x, x < from->narrow, pv_plot_axis_number((double)i * step, step, max, text));
		from->any = x + a->length / (2 * LABELS);
		if (x >= from->narrow)
			from->narrow = x + a->length / NARROW_LABELS;
	}
}

static void put_cut(struct pv_plot *p, const struct pv_axis *a, unsigned i)
{
	const struct pv_axis_span *before = &a->spans[i], *after = &a->spans[i + 1];
	double ticks = (after->first - (before->first + before->n)) * a->bin_ticks;
	char number[16], text[40];

	snprintf(text, sizeof(text), "%s %s", pv_plot_number(ticks, number), before->lost ? "missing" : "idle");
	put_break(p, before->x + before->n, a->cut, text);
}

void pv_axis_end(struct pv_plot *p, const struct pv_axis *a, const char *unit)
{
	double left = (a->length - (a->n - 1) * a->cut) * a->bin_ticks, step = round_up(left / LABELS);
	struct room from = {0, 0};

	if (a->counts)
		step = fmax(step, 1);
	for (unsigned i = 0; i < a->n; i++)
		put_labels(p, a, &a->spans[i], step, &from);
	for (unsigned i = 0; i + 1 < a->n; i++)
		put_cut(p, a, i);
	pv_plot_end(p, unit);
}
