/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters over time as an HTML page: the summary, and a plot of each series. */
#include <math.h>
#include <string.h>

#include "framework/analysis/stat_plot.h"
#include "framework/counters/watch.h"
#include "framework/util/html.h"

extern const char pv_stat_css[], pv_stat_css_sha256[];

enum { BINS = 512, PLOTS = 24 };

/* A series in bins of equal length. Bins without a count are gaps, and 0 here. */
struct bins {
	double value[BINS];
	bool gap[BINS];
	unsigned n;
};

/* Adds to each bin the part of the point that lies in it. */
static void add_point(double *sum, double *covered, const struct pv_point *p, double width, unsigned n)
{
	unsigned first = (unsigned)(p->begin_s / width), last = (unsigned)(p->end_s / width);

	for (unsigned b = first; b <= last && b < n && !isnan(p->value); b++) {
		double part = fmin(p->end_s, (b + 1) * width) - fmax(p->begin_s, b * width);

		sum[b] += fmax(part, 0) * p->value;
		covered[b] += fmax(part, 0);
	}
}

static void fill_bins(struct bins *out, const struct pv_series *s, double seconds)
{
	double covered[BINS] = {0}, width = seconds / out->n;

	memset(out->value, 0, sizeof(out->value));
	for (unsigned i = 0; i < s->n_points; i++)
		add_point(out->value, covered, &s->points[i], width, out->n);
	for (unsigned b = 0; b < out->n; b++) {
		out->gap[b] = covered[b] < width / 2;
		out->value[b] = out->gap[b] ? 0 : out->value[b] / covered[b];
	}
}

/* Draws each gap as a band over the whole height. */
static void put_gaps(struct pv_plot *p, const struct bins *y)
{
	for (unsigned b = 0; b < y->n; b++) {
		unsigned begin = b;

		while (b < y->n && y->gap[b])
			b++;
		if (b > begin)
			pv_plot_bar(p, "i", begin, b - begin, p->y_max);
	}
}

static void put_plot(const struct pv_watch *w, const struct pv_series *s, FILE *f)
{
	struct bins y = {.n = s->n_points < BINS ? s->n_points : BINS};
	struct pv_axis axis = {.spans = {{0, y.n, 0}}, .n = 1, .length = y.n, .bin_ticks = w->seconds / y.n};
	double scale = 1, most = 0;
	const char *unit = pv_series_unit(w, s, &scale);

	fill_bins(&y, s, w->seconds);
	for (unsigned b = 0; b < y.n; b++)
		most = fmax(most, y.value[b] *= scale);
	struct pv_plot p = {f, axis.length, most, s->quantity == PV_QUANTITY_EVENTS && !*s->unit};
	fputs("<h2>", f);
	pv_html_put(s->pmu, f);
	fputs(*s->pmu ? " " : "", f);
	pv_html_put(s->name, f);
	fputs("</h2>\n", f);
	pv_plot_begin(&p, "over time", unit);
	pv_axis_area(&p, &axis, "a", NULL, y.value);
	put_gaps(&p, &y);
	pv_axis_end(&p, &axis, "seconds");
}

/* Returns the number of series that have no plot, since there are too many. */
static unsigned put_plots(const struct pv_watch *w, FILE *f)
{
	unsigned n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->series[i]->intervals && w->series[i]->quantity != PV_QUANTITY_CYCLE && n++ < PLOTS)
			put_plot(w, w->series[i], f);
	return n > PLOTS ? n - PLOTS : 0;
}

struct summary {
	const struct pv_watch *watch;
	pv_ceiling_fn ceiling;
	void *ctx;
};

static void print_summary(const void *ctx, FILE *f)
{
	const struct summary *s = ctx;

	pv_watch_put_summary(s->watch, s->ceiling, s->ctx, f);
}

void pv_watch_html(const struct pv_watch *w, pv_ceiling_fn ceiling, void *ctx, FILE *f)
{
	pv_html_begin("Counters over time", &PV_HTML_CODE(pv_stat_css), NULL, f);
	fputs("<h1>Counters over time</h1>\n", f);
	/* The text of the summary has figures that plots lack: shares, and the counted time. */
	pv_html_pre(print_summary, &(struct summary){w, ceiling, ctx}, f);
	fputs("<p class=\"dim\">A grey band is time in which the event was not counted.</p>\n", f);
	unsigned left = put_plots(w, f);
	if (left)
		fprintf(f, "<p>%u more event%s no plot: watch fewer at once.</p>\n", left,
			left == 1 ? " has" : "s have");
	pv_html_end(NULL, f);
}
