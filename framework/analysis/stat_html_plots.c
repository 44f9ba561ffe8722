/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plots of the statistics page, each with its heading and key. */
#include <inttypes.h>
#include <math.h>

#include "framework/analysis/stat_html_internal.h"
#include "framework/analysis/stat_plot.h"
#include "framework/util/cleanup.h"
#include "framework/util/html.h"

/* Writes the key of a plot. `names`: "a", "posted", "b", "completions", NULL */
static void put_key(const char *const *names, FILE *f)
{
	fputs("<p class=\"key\">", f);
	for (; *names; names += 2)
		fprintf(f, "<span><i class=\"%s\"></i>%s</span>", names[0], names[1]);
	fputs("</p>\n", f);
}

/* Units of time axes and rates: ticks, or seconds if the length of a tick is known. */
struct scale {
	const char *time, *rate;
	double ticks;	   /* ticks per unit of the axis */
	double per_second; /* units per second; 1: rates are per tick */
};

static struct scale scale_of(const struct pv_stat *s, const struct pv_stat_report *r)
{
	static const struct {
		const char *name;
		double per_second;
	} units[] = {{"seconds", 1}, {"milliseconds", 1e3}, {"microseconds", 1e6}, {"nanoseconds", 1e9}};
	double seconds = r->tick_hz > 0 ? (double)s->span / r->tick_hz : 0;
	size_t u = 0;

	if (r->tick_hz <= 0)
		return (struct scale){"ticks", "bytes per tick", 1, 1};
	while (u + 1 < ARRAY_SIZE(units) && seconds * units[u].per_second < 10)
		u++;
	return (struct scale){units[u].name, "bytes per second", r->tick_hz / units[u].per_second, units[u].per_second};
}

/* The timeline of a whole trace, and its axis in units of the scale. */
struct over_time {
	struct pv_timeline t;
	struct pv_axis axis;
	struct scale scale;
	bool has_lost;
};

static void make_over_time(struct over_time *o, const struct pv_stat *s, const struct pv_stat_report *r)
{
	*o = (struct over_time){.t = s->timeline, .scale = scale_of(s, r)};
	pv_axis_make(&o->axis, &o->t);
	o->axis.bin_ticks /= o->scale.ticks;
	for (unsigned b = 0; b < o->t.used; b++)
		o->has_lost |= o->t.lost[b];
}

static bool has_reads(const struct pv_timeline *t)
{
	for (unsigned b = 0; b < t->used; b++)
		if (t->sum[b][PV_TIMELINE_READ_DW])
			return true;
	return false;
}

static void put_payload_key(const struct over_time *o, FILE *f)
{
	const char *names[9] = {"a", "posted", "b", "completions"};
	unsigned n = 4;

	if (has_reads(&o->t)) {
		names[n++] = "l";
		names[n++] = "asked for by reads";
	}
	if (o->has_lost) {
		names[n++] = "h";
		names[n++] = "records missing";
	}
	put_key(names, f);
}

/* Bytes of each bin, in bytes per tick or second: payload, and bytes requested by reads. */
struct payload {
	double posted[PV_TIMELINE_BINS], both[PV_TIMELINE_BINS], reads[PV_TIMELINE_BINS], most;
	bool has_reads;
};

static void find_payload(struct payload *p, const struct pv_timeline *t, const struct over_time *o)
{
	double bin = o->axis.bin_ticks / o->scale.per_second;

	p->most = 0;
	p->has_reads = has_reads(t);
	for (unsigned b = 0; b < t->used; b++) {
		p->posted[b] = 4 * (double)t->sum[b][PV_TIMELINE_POSTED_DW] / bin;
		p->both[b] = p->posted[b] + 4 * (double)t->sum[b][PV_TIMELINE_CPL_DW] / bin;
		p->reads[b] = 4 * (double)t->sum[b][PV_TIMELINE_READ_DW] / bin;
		p->most = fmax(p->most, fmax(p->both[b], p->reads[b]));
	}
}

static void put_payload(const struct payload *y, double most, const struct over_time *o, const char *title, FILE *f)
{
	struct pv_plot p = {f, o->axis.length, most, false};

	pv_plot_begin(&p, title, o->scale.rate);
	pv_axis_area(&p, &o->axis, "a", NULL, y->posted);
	pv_axis_area(&p, &o->axis, "b", y->posted, y->both);
	if (y->has_reads)
		pv_axis_line(&p, &o->axis, "c", y->reads);
	pv_axis_lost(&p, &o->axis, o->t.lost);
	pv_axis_end(&p, &o->axis, o->scale.time);
}

void pv_stat_put_payload(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	struct over_time o;
	struct payload y;

	make_over_time(&o, s, r);
	find_payload(&y, &o.t, &o);
	fputs("<h2>Payload over time</h2>\n", f);
	put_payload_key(&o, f);
	put_payload(&y, y.most, &o, "payload over time", f);
}

static double share_payload(struct payload *y, const struct pv_stat_share *share, const struct over_time *o)
{
	struct pv_timeline t = *share->timeline;

	pv_timeline_align(&t, &o->t);
	find_payload(y, &t, o);
	return y->most;
}

/* Writes the heading of a device's plot: its BDF, also returned in `title`, and its name if the dump has it. */
static void put_device_name(const struct pv_stat_report *r, uint16_t requester, char title[20], FILE *f)
{
	const struct pv_stat_function *func = pv_stat_function_of(r->machine, requester);

	fprintf(f, "<h3>%s", pv_stat_function_bdf(r->machine, requester, title));
	if (func && *func->name) {
		fputs(" <span class=\"dim\">", f);
		pv_html_put(func->name, f);
		fputs("</span>", f);
	}
	fputs("</h3>\n", f);
}

void pv_stat_put_shares(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	struct over_time o;
	struct payload y;
	double most = 0;
	char title[20];

	make_over_time(&o, s, r);
	for (size_t i = 0; i < r->n_shares && !r->own_scale; i++)
		most = fmax(most, share_payload(&y, &r->shares[i], &o));
	fprintf(f, "<h2>Payload over time, by requester</h2><p class=\"dim\">%s</p>\n",
		r->own_scale ? "each to its own scale" : "all to one scale");
	put_payload_key(&o, f);
	for (size_t i = 0; i < r->n_shares; i++) {
		double own = share_payload(&y, &r->shares[i], &o);

		put_device_name(r, r->shares[i].requester, title, f);
		put_payload(&y, r->own_scale ? own : most, &o, title, f);
	}
}

void pv_stat_put_open(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	double open[PV_TIMELINE_BINS], most = 0;
	struct over_time o;

	make_over_time(&o, s, r);
	pv_timeline_open(&o.t, open);
	for (unsigned b = 0; b < o.t.used; b++) {
		open[b] = fmax(open[b], 0);
		most = fmax(most, open[b]);
	}
	fputs("<h2>Open requests over time</h2><p class=\"dim\">of those that were answered; mean of each bin</p>\n",
	      f);
	struct pv_plot p = {f, o.axis.length, most, false};
	pv_plot_begin(&p, "open requests over time", "requests");
	pv_axis_line(&p, &o.axis, "c", open);
	pv_axis_lost(&p, &o.axis, o.t.lost);
	pv_axis_end(&p, &o.axis, o.scale.time);
}

/* Returns the position of a latency on the axis of buckets, interpolated within its bucket. */
static double bucket_position(uint64_t latency)
{
	unsigned b = pv_latency_bucket(latency);
	uint64_t begin = pv_latency_bucket_start(b), length = pv_latency_bucket_start(b + 1) - begin;

	return b + (length ? (double)(latency - begin) / (double)length : 0);
}

enum { LABELS = 16, NARROW_LABELS = 7 };

/* Counts the labels at 1, 2, 5, 10, ..., and draws the first n_drawn of each decade: all 3, 1, or none. */
static unsigned put_decades(struct pv_plot *p, unsigned first, unsigned last, unsigned n_drawn, bool has_extras)
{
	static const unsigned factors[] = {1, 2, 5};
	unsigned n = 0;
	char text[16];

	for (uint64_t decade = 1; decade < UINT64_MAX / 100; decade *= 10) {
		for (unsigned i = 0; i < ARRAY_SIZE(factors); i++) {
			double x = bucket_position(factors[i] * decade) - first;

			if (x < 0 || x > last + 1 - first)
				continue;
			n++;
			if (i < n_drawn)
				pv_plot_label(p, x, i && has_extras,
					      pv_plot_number((double)(factors[i] * decade), text));
		}
	}
	return n;
}

static void put_latency_labels(struct pv_plot *p, unsigned first, unsigned last)
{
	unsigned n = put_decades(p, first, last, 0, false);
	char text[16];

	put_decades(p, first, last, n > LABELS ? 1 : 3, n > NARROW_LABELS);
	if (!n)
		pv_plot_label(p, 0, false, pv_plot_number((double)pv_latency_bucket_start(first), text));
}

void pv_stat_put_latency(const struct pv_match_sums *m, FILE *f)
{
	static const struct {
		double q;
		const char *name;
	} marks[] = {{0.5, "median"}, {0.9, "90%"}, {0.99, "99%"}};
	unsigned first = pv_latency_bucket(m->latency_min), last = pv_latency_bucket(m->latency_max);
	struct pv_plot p = {f, last - first + 1, 0, true};

	fprintf(f,
		"<h2>Latency, request to last completion</h2><p class=\"dim\">%" PRIu64 " requests: min %" PRIu64
		", mean %.1f, max %" PRIu64 " ticks</p>\n",
		m->answered, m->latency_min, (double)m->latency_sum / (double)m->answered, m->latency_max);
	for (unsigned b = first; b <= last; b++)
		p.y_max = fmax(p.y_max, (double)m->latency[b]);
	pv_plot_begin(&p, "latency", "requests");
	for (unsigned b = first; b <= last; b++)
		pv_plot_bar(&p, "c", b - first + 0.05, 0.9, (double)m->latency[b]);
	for (unsigned i = 0; i < ARRAY_SIZE(marks); i++)
		pv_plot_mark(&p, pv_latency_bucket(pv_match_quantile(m, marks[i].q)) - first + 0.5, i, marks[i].name);
	put_latency_labels(&p, first, last);
	pv_plot_end(&p, "ticks; eight steps for each power of two");
}

static const char *const size_key[] = {"a", "requests with data", "b", "completions with data",
				       "c", "memory reads",	  NULL};

void pv_stat_put_sizes(const struct pv_stat *s, FILE *f)
{
	struct pv_plot p = {f, PV_STAT_SIZES, 0, true};
	uint64_t n[3][PV_STAT_SIZES];
	char text[16];

	for (unsigned w = 0; w < 3; w++)
		pv_stat_sizes(s, (enum pv_stat_what)w, n[w]);
	for (unsigned i = 0; i < 3 * PV_STAT_SIZES; i++)
		p.y_max = fmax(p.y_max, (double)n[i / PV_STAT_SIZES][i % PV_STAT_SIZES]);
	fputs("<h2>TLPs by size</h2>\n", f);
	put_key(size_key, f);
	pv_plot_begin(&p, "sizes", "TLPs");
	for (unsigned i = 0; i < PV_STAT_SIZES; i++) {
		for (unsigned w = 0; w < 3; w++)
			pv_plot_bar(&p, size_key[2 * w], i + 0.1 + 0.27 * w, 0.25, (double)n[w][i]);
		snprintf(text, sizeof(text), "%u", 4u << i);
		pv_plot_label(&p, i + 0.5, i % 2, text);
	}
	pv_plot_end(&p, "up to bytes");
}
