/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics as one HTML page: inline style and inline SVG, no script, nothing fetched. The page is also well-formed
 * XML, so that a parser can check it.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "framework/analysis/stat_plot.h"
#include "framework/analysis/stat_report.h"
#include "framework/util/cleanup.h"
#include "framework/util/html.h"

extern const char pv_stat_css[], pv_stat_css_sha256[];

/* ---- plots ---- */

/* "a", "posted", "b", "completions", NULL */
static void put_key(const char *const *names, FILE *f)
{
	fputs("<p class=\"key\">", f);
	for (; *names; names += 2)
		fprintf(f, "<span><i class=\"%s\"></i>%s</span>", names[0], names[1]);
	fputs("</p>\n", f);
}

static const char *const payload_key[] = {"a", "posted", "b", "completions", NULL};

/* The units of time axes and rates: ticks, or seconds if their number in a second is known. */
struct scale {
	const char *time, *rate;
	double ticks;	   /* of a unit of the axis */
	double per_second; /* units, or 1: rates are per tick */
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

/* The axis of the whole trace in units of the scale. */
static void make_axis(struct pv_axis *axis, struct pv_timeline *t, const struct scale *scale)
{
	pv_axis_make(axis, t);
	axis->bin_ticks /= scale->ticks;
}

/* Payload of each bin, in bytes per tick or second. */
struct payload {
	double posted[PV_TIMELINE_BINS], both[PV_TIMELINE_BINS], most;
};

static void find_payload(struct payload *p, const struct pv_timeline *t, const struct pv_axis *axis,
			 const struct scale *scale)
{
	double bin = axis->bin_ticks / scale->per_second;

	p->most = 0;
	for (unsigned b = 0; b < t->used; b++) {
		p->posted[b] = 4 * (double)t->sum[b][PV_TIMELINE_POSTED_DW] / bin;
		p->both[b] = p->posted[b] + 4 * (double)t->sum[b][PV_TIMELINE_CPL_DW] / bin;
		p->most = fmax(p->most, p->both[b]);
	}
}

static void put_payload(const struct payload *y, double most, const struct pv_axis *axis, const struct scale *scale,
			const char *title, FILE *f)
{
	struct pv_plot p = {f, axis->length, most, false};

	pv_plot_begin(&p, title, scale->rate);
	pv_axis_area(&p, axis, "a", NULL, y->posted);
	pv_axis_area(&p, axis, "b", y->posted, y->both);
	pv_axis_end(&p, axis, scale->time);
}

static void put_bandwidth(const struct pv_stat *s, const struct scale *scale, FILE *f)
{
	struct pv_timeline t = s->timeline;
	struct payload y;
	struct pv_axis axis;

	make_axis(&axis, &t, scale);
	find_payload(&y, &t, &axis, scale);
	fputs("<h2>Payload over time</h2>\n", f);
	put_key(payload_key, f);
	put_payload(&y, y.most, &axis, scale, "payload over time", f);
}

static double share_payload(struct payload *y, const struct pv_stat_share *share, const struct pv_timeline *all,
			    const struct pv_axis *axis, const struct scale *scale)
{
	struct pv_timeline t = *share->timeline;

	pv_timeline_align(&t, all);
	find_payload(y, &t, axis, scale);
	return y->most;
}

/* The axes are those of the whole trace, and one scale serves all, so that the plots can be compared. */
static void put_shares(const struct pv_stat *s, const struct pv_stat_report *r, const struct scale *scale, FILE *f)
{
	struct pv_timeline t = s->timeline;
	struct payload y;
	struct pv_axis axis;
	double most = 0;
	char title[16];

	make_axis(&axis, &t, scale);
	for (size_t i = 0; i < r->n_shares; i++)
		most = fmax(most, share_payload(&y, &r->shares[i], &t, &axis, scale));
	fputs("<h2>Payload over time, by requester</h2>\n", f);
	put_key(payload_key, f);
	for (size_t i = 0; i < r->n_shares; i++) {
		share_payload(&y, &r->shares[i], &t, &axis, scale);
		fprintf(f, "<h3>%s</h3>\n", pv_stat_bdf_text(r->shares[i].requester, title));
		put_payload(&y, most, &axis, scale, title, f);
	}
}

static void put_open(const struct pv_stat *s, const struct scale *scale, FILE *f)
{
	double open[PV_TIMELINE_BINS], most = 0;
	struct pv_timeline t = s->timeline;
	struct pv_axis axis;

	make_axis(&axis, &t, scale);
	pv_timeline_open(&t, open);
	for (unsigned b = 0; b < t.used; b++) {
		open[b] = fmax(open[b], 0);
		most = fmax(most, open[b]);
	}
	fputs("<h2>Open requests over time</h2><p class=\"dim\">of those that were answered; mean of each bin</p>\n",
	      f);
	struct pv_plot p = {f, axis.length, most, false};
	pv_plot_begin(&p, "open requests over time", "requests");
	pv_axis_line(&p, &axis, "c", open);
	pv_axis_end(&p, &axis, scale->time);
}

/* Where a latency is among the buckets, which are not equally long. */
static double bucket_position(uint64_t latency)
{
	unsigned b = pv_match_bucket(latency);
	uint64_t begin = pv_match_bucket_start(b), length = pv_match_bucket_start(b + 1) - begin;

	return b + (length ? (double)(latency - begin) / (double)length : 0);
}

enum { LABELS = 16, NARROW_LABELS = 7 };

/* Counts the labels at 1, 2, 5, 10, ... and draws them: all, those of powers of ten, or none. */
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
		pv_plot_label(p, 0, false, pv_plot_number((double)pv_match_bucket_start(first), text));
}

static void put_latency(const struct pv_match_sums *m, FILE *f)
{
	static const struct {
		double q;
		const char *name;
	} marks[] = {{0.5, "median"}, {0.9, "90%"}, {0.99, "99%"}};
	unsigned first = pv_match_bucket(m->latency_min), last = pv_match_bucket(m->latency_max);
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
		pv_plot_mark(&p, pv_match_bucket(pv_match_quantile(m, marks[i].q)) - first + 0.5, i, marks[i].name);
	put_latency_labels(&p, first, last);
	pv_plot_end(&p, "ticks; eight steps for each power of two");
}

static const char *const size_key[] = {"a", "requests with data", "b", "completions with data",
				       "c", "memory reads",	  NULL};

static void put_sizes(const struct pv_stat *s, FILE *f)
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

/* ---- tables ---- */

static void put_kinds(const struct pv_stat *s, FILE *f)
{
	uint64_t all = s->records[1] + s->records[2];
	char payload[16], asked[16];

	fputs("<div><h2>Kinds</h2><table><tr><th>kind</th><th>TLPs</th><th>share</th><th>payload</th><th>asked for</th>"
	      "<th>largest</th></tr>\n",
	      f);
	for (unsigned k = 0; k < PV_TLP_KINDS; k++) {
		struct pv_stat_kind v = pv_stat_kind(s, (enum pv_tlp_kind)k);

		if (!v.tlps)
			continue;
		fprintf(f, "<tr><td>%s</td><td>%" PRIu64 "</td><td>%.2f%%</td><td>%s</td><td>%s</td><td>",
			pv_tlp_kinds[k].name, v.tlps, pv_stat_percent(v.tlps, all),
			v.payload_bytes ? pv_stat_bytes_text(v.payload_bytes, payload) : "",
			v.asked_bytes ? pv_stat_bytes_text(v.asked_bytes, asked) : "");
		if (v.max_bytes)
			fprintf(f, "%u B", v.max_bytes);
		fputs("</td></tr>\n", f);
	}
	fputs("</table></div>\n", f);
}

static void put_requesters(const struct pv_stat *s, unsigned top, FILE *f)
{
	uint16_t ids[PV_STAT_TOP_MAX];
	size_t n = pv_stat_top_requesters(s, ids, top);
	char id[16], size[16];

	fputs("<div><h2>Requesters</h2><table><tr><th>requester</th><th>TLPs</th><th>payload</th></tr>\n", f);
	for (size_t i = 0; i < n && i < top; i++)
		fprintf(f, "<tr><td>%s</td><td>%" PRIu64 "</td><td>%s</td></tr>\n", pv_stat_bdf_text(ids[i], id),
			s->requesters[ids[i]].tlps, pv_stat_bytes_text(4 * s->requesters[ids[i]].dw, size));
	fputs("</table>\n", f);
	if (n > top)
		fprintf(f, "<p class=\"dim\">and %zu more</p>\n", n - top);
	fputs("</div>\n", f);
}

static void put_regions(const struct pv_addr_histogram *g, unsigned top, FILE *f)
{
	char range[16], size[16];

	fprintf(f, "<div><h2>Address ranges of %s</h2><table><tr><th>from</th><th>TLPs</th><th>bytes</th></tr>\n",
		pv_stat_range_text(g->shift, range));
	for (unsigned i = 0; i < top && i < g->n; i++)
		fprintf(f, "<tr><td>0x%" PRIx64 "</td><td>%" PRIu64 "</td><td>%s</td></tr>\n",
			g->table[i].number << g->shift, g->table[i].tlps, pv_stat_bytes_text(4 * g->table[i].dw, size));
	fputs("</table>\n", f);
	if (g->n > top)
		fprintf(f, "<p class=\"dim\">and %u more</p>\n", g->n - top);
	fputs("</div>\n", f);
}

static void put_matching(const struct pv_match_sums *m, FILE *f)
{
	const struct {
		const char *what;
		uint64_t n;
	} rows[] = {
		{"requests", m->requests},
		{"answered", m->answered},
		{"unanswered", m->unanswered},
		{"tag used again before", m->tag_reused},
		{"completions", m->completions},
		{"without a request", m->unmatched},
		{"not successful", m->completions - m->status[0]},
		{"of a wrong size", m->wrong_size},
		{"bytes asked for", m->asked_bytes},
		{"bytes returned", m->returned_bytes},
	};

	fputs("<div><h2>Requests and completions</h2><table><tr><th>what</th><th>count</th></tr>\n", f);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		fprintf(f, "<tr><td>%s</td><td>%" PRIu64 "</td></tr>\n", rows[i].what, rows[i].n);
	fputs("</table></div>\n", f);
}

static void put_tables(const struct pv_stat *s, unsigned top, FILE *f)
{
	fputs("<div class=\"tables\">\n", f);
	put_kinds(s, f);
	put_requesters(s, top, f);
	if (s->has_match && (s->match.requests | s->match.completions))
		put_matching(&s->match, f);
	if (s->has_regions && s->regions.n)
		put_regions(&s->regions, top, f);
	fputs("</div>\n", f);
}

/* ---- the head of the page ---- */

static void put_limit(const struct pv_stat *s, enum pv_stat_what what, const char *name, unsigned limit, FILE *f)
{
	uint64_t above = limit ? pv_stat_above(s, what, limit) : 0;

	if (limit)
		fprintf(f, "<p%s>%s %u bytes: %" PRIu64 " TLPs above it, the largest has %u</p>\n",
			above ? " class=\"bad\"" : "", name, limit, above, pv_stat_largest(s, what));
}

static void put_figure(const char *what, const char *value, const char *unit, FILE *f)
{
	fprintf(f, "<li>%s<b>%s%s</b></li>\n", what, value, unit);
}

/* Of what was on the wire at least: pv_stat_wire_bytes(). */
static void put_share(const struct pv_stat *s, FILE *f)
{
	uint64_t payload = 0, wire = pv_stat_wire_bytes(s);
	char text[16];

	for (unsigned k = 0; k < PV_TLP_KINDS; k++)
		payload += pv_stat_kind(s, (enum pv_tlp_kind)k).payload_bytes;
	snprintf(text, sizeof(text), "%.1f", pv_stat_percent(payload, wire));
	if (wire)
		put_figure("payload on the wire", text, "%", f);
}

static void put_time_figures(const struct pv_stat *s, double hz, FILE *f)
{
	double payload = (double)(pv_stat_payload(s).posted + pv_stat_payload(s).completions);
	double median = (double)pv_match_quantile(&s->match, 0.5);
	char text[16];

	if (s->span && hz > 0)
		put_figure("payload", pv_stat_rate_text(payload / ((double)s->span / hz), text), "", f);
	else if (s->span)
		put_figure("payload", pv_plot_number(payload / (double)s->span, text), " bytes/tick", f);
	put_share(s, f);
	if (!s->match.answered || !s->time)
		return;
	if (hz > 0)
		put_figure("median latency", pv_stat_seconds_text(median, hz, text), "", f);
	else
		put_figure("median latency", pv_plot_number(median, text), " ticks", f);
}

static void put_figures(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	struct pv_stat_payload sum = pv_stat_payload(s);
	char text[16];

	fputs("<ul>\n", f);
	put_figure("TLPs", pv_plot_number((double)(s->records[1] + s->records[2]), text), "", f);
	put_figure("posted payload", pv_stat_bytes_text(sum.posted, text), "", f);
	put_figure("completion payload", pv_stat_bytes_text(sum.completions, text), "", f);
	put_time_figures(s, r->tick_hz, f);
	fputs("</ul>\n", f);
}

static void put_head(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	uint64_t all = s->records[1] + s->records[2];
	char size[16], time[PV_STAT_TIME_TEXT];

	pv_html_begin(r->name, &PV_HTML_CODE(pv_stat_css), NULL, f);
	fputs("<h1>", f);
	pv_html_put(r->name, f);
	fprintf(f, "</h1><p class=\"dim\">%" PRIu64 " record%s, %s of trace", all, all == 1 ? "" : "s",
		pv_stat_bytes_text(s->bytes, size));
	if (s->time)
		fprintf(f, ", %s%" PRIu64 " ticks", s->time_at_least ? "at least " : "", s->span);
	if (s->time && r->tick_hz > 0)
		fprintf(f, " (%s)", pv_stat_seconds_text((double)s->span, r->tick_hz, size));
	if (r->where) {
		fputs("; chosen by <code>", f);
		pv_html_put(r->where, f);
		fprintf(f, "</code>, %" PRIu64 " left out", s->left_out);
	}
	fprintf(f, "</p>\n<p class=\"dim\">%s</p>\n", pv_stat_time_text(s, time, sizeof(time)));
	if (s->problems)
		fprintf(f, "<p class=\"bad\">%" PRIu64 " problem%s in the input</p>\n", s->problems,
			s->problems == 1 ? "" : "s");
}

static void put_plots(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	bool has_time = s->timeline.used > 1, is_answered = s->has_match && s->match.answered && s->time;
	const struct scale scale = scale_of(s, r);

	if (has_time)
		put_bandwidth(s, &scale, f);
	if (has_time && r->n_shares)
		put_shares(s, r, &scale, f);
	if (has_time && is_answered)
		put_open(s, &scale, f);
	if (is_answered)
		put_latency(&s->match, f);
	put_sizes(s, f);
	put_limit(s, PV_STAT_WRITES, "Requests with data, MPS", r->mps, f);
	put_limit(s, PV_STAT_COMPLETIONS, "Completions with data, MPS", r->mps, f);
	put_limit(s, PV_STAT_READS, "Memory reads, MRRS", r->mrrs, f);
}

void pv_stat_html(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	unsigned top = pv_stat_top(r);

	put_head(s, r, f);
	if (s->records[1] + s->records[2]) {
		put_figures(s, r, f);
		put_plots(s, r, f);
		put_tables(s, top, f);
	} else {
		fputs("<p>No records.</p>\n", f);
	}
	pv_html_end(NULL, f);
}
