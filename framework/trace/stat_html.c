/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics as one HTML page: inline style and inline SVG, no script, nothing fetched. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "framework/trace/stat_report.h"
#include "framework/util/cleanup.h"

#define PLOT_W 900
#define PLOT_H 220
#define LEFT   70 /* room for the labels of the axis */
#define BOTTOM 34
#define TOP    12

static const char style[] =
	"body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:960px;padding:0 1em;color:#1b1f24;"
	"background:#fff}h1{font-size:1.5em}h2{font-size:1.1em;margin:1.8em 0 .4em}"
	"table{border-collapse:collapse}td,th{padding:.15em .8em;text-align:right;border-bottom:1px solid #e3e6ea}"
	"td:first-child,th:first-child{text-align:left;font-family:ui-monospace,monospace}th{font-weight:600}"
	"svg{width:100%;height:auto;display:block}text{font:12px system-ui,sans-serif;fill:#57606a}"
	".a{fill:#2f6fb7}.b{fill:#e08a2c}.c{fill:#3d9a63}.g{stroke:#e3e6ea}.l{fill:none;stroke:#3d9a63;stroke-width:1."
	"5}"
	".key b{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 1.2em}"
	".warn{color:#b42318;font-weight:600}"
	"@media(prefers-color-scheme:dark){body{background:#15181c;color:#dfe3e8}text{fill:#9aa4af}"
	".g{stroke:#30363d}td,th{border-color:#30363d}}";

static void put_escaped(const char *s, FILE *f)
{
	for (; *s; s++) {
		if (*s == '<' || *s == '>' || *s == '&' || *s == '"')
			fprintf(f, "&#%d;", *s);
		else
			fputc(*s, f);
	}
}

/* ---- plots ---- */

struct plot {
	FILE *f;
	double max; /* of the values */
	unsigned n; /* places on the x axis */
};

static double x_of(const struct plot *p, double i)
{
	return LEFT + i * (PLOT_W - LEFT) / p->n;
}

static double y_of(const struct plot *p, double v)
{
	return TOP + (PLOT_H - BOTTOM - TOP) * (1 - (p->max > 0 ? v / p->max : 0));
}

/* A number in few characters: 950, 12.3k, 4.56M. */
static void put_short(double v, FILE *f)
{
	static const char units[] = " kMGTP";
	unsigned u = 0;

	for (; v >= 1000 && u + 2 < sizeof(units); u++)
		v /= 1000;
	fprintf(f, "%.3g", v);
	if (u)
		fputc(units[u], f);
}

static void plot_begin(struct plot *p, const char *title)
{
	fprintf(p->f, "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s</title>\n", PLOT_W, PLOT_H, title);
	for (unsigned i = 0; i <= 4; i++) {
		double y = y_of(p, p->max * i / 4);

		fprintf(p->f,
			"<line class=\"g\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\""
			" text-anchor=\"end\">",
			LEFT, PLOT_W, y, y, LEFT - 6, y + 4);
		put_short(p->max * i / 4, p->f);
		fputs("</text>\n", p->f);
	}
}

static void put_label(const struct plot *p, double i, const char *anchor, double v)
{
	fprintf(p->f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">", x_of(p, i), PLOT_H - BOTTOM + 16, anchor);
	put_short(v, p->f);
	fputs("</text>\n", p->f);
}

/* Labels of a time axis, and what it counts. */
static void plot_end_time(const struct plot *p, double ticks)
{
	for (unsigned i = 0; i <= 4; i++)
		put_label(p, p->n * i / 4.0, i == 4 ? "end" : i ? "middle" : "start", ticks * p->n * i / 4);
	fprintf(p->f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">ticks</text></svg>\n", (LEFT + PLOT_W) / 2,
		PLOT_H - 2);
}

static void put_bar(const struct plot *p, const char *cls, double i, double width, double from, double to)
{
	if (to > from)
		fprintf(p->f, "<rect class=\"%s\" x=\"%.2f\" width=\"%.2f\" y=\"%.1f\" height=\"%.1f\"/>\n", cls,
			x_of(p, i), x_of(p, i + width) - x_of(p, i), y_of(p, to), y_of(p, from) - y_of(p, to));
}

static void put_bandwidth(const struct pv_stat *s, FILE *f)
{
	const struct pv_timeline *t = &s->timeline;
	double ticks = (double)((uint64_t)1 << t->shift);
	struct plot p = {f, 0, (unsigned)t->used};

	for (unsigned b = 0; b < p.n; b++)
		p.max = fmax(p.max,
			     4 * (double)(t->sum[b][PV_TIMELINE_POSTED_DW] + t->sum[b][PV_TIMELINE_CPL_DW]) / ticks);
	fputs("<h2>Payload over time, bytes a tick</h2><p class=\"key\"><b style=\"background:#2f6fb7\"></b>posted"
	      "<b style=\"background:#e08a2c\"></b>completions</p>\n",
	      f);
	plot_begin(&p, "payload over time");
	for (unsigned b = 0; b < p.n; b++) {
		double posted = 4 * (double)t->sum[b][PV_TIMELINE_POSTED_DW] / ticks;
		double cpl = 4 * (double)t->sum[b][PV_TIMELINE_CPL_DW] / ticks;

		put_bar(&p, "a", b, 1, 0, posted);
		put_bar(&p, "b", b, 1, posted, posted + cpl);
	}
	plot_end_time(&p, ticks);
}

static void put_open(const struct pv_stat *s, FILE *f)
{
	double open[PV_TIMELINE_BINS];
	struct plot p = {f, 0, (unsigned)s->timeline.used};

	pv_timeline_open(&s->timeline, open);
	for (unsigned b = 0; b < p.n; b++)
		p.max = fmax(p.max, open[b]);
	fputs("<h2>Open requests over time (mean of each bin)</h2>\n", f);
	plot_begin(&p, "open requests over time");
	fputs("<polyline class=\"l\" points=\"", f);
	for (unsigned b = 0; b < p.n; b++)
		fprintf(f, "%.1f,%.1f ", x_of(&p, b + 0.5), y_of(&p, fmax(open[b], 0)));
	fputs("\"/>\n", f);
	plot_end_time(&p, (double)((uint64_t)1 << s->timeline.shift));
}

static void put_latency(const struct pv_match_sums *m, FILE *f)
{
	unsigned first = PV_MATCH_BUCKETS, last = 0;
	struct plot p = {f, 0, 1};

	for (unsigned b = 0; b < PV_MATCH_BUCKETS; b++) {
		if (!m->latency[b])
			continue;
		first = b < first ? b : first;
		last = b;
		p.max = fmax(p.max, (double)m->latency[b]);
	}
	p.n = last - first + 1;
	fprintf(f,
		"<h2>Latency, request to last completion, ticks</h2><p>min %" PRIu64 ", median %" PRIu64
		", 90%% %" PRIu64 ", 99%% %" PRIu64 ", max %" PRIu64 "; %" PRIu64 " requests</p>\n",
		m->latency_min, pv_match_quantile(m, 0.5), pv_match_quantile(m, 0.9), pv_match_quantile(m, 0.99),
		m->latency_max, m->answered);
	plot_begin(&p, "latency");
	for (unsigned b = first; b <= last; b++)
		put_bar(&p, "c", b - first + 0.05, 0.9, 0, (double)m->latency[b]);
	for (unsigned i = 0; i < 8 && i < p.n; i++)
		put_label(&p, i * p.n / 8.0, "start", (double)pv_match_bucket_start(first + i * p.n / 8));
	fputs("</svg>\n", f);
}

static void put_sizes(const struct pv_stat *s, FILE *f)
{
	static const char *const classes[] = {"a", "b", "c"};
	uint64_t n[3][PV_STAT_SIZES];
	struct plot p = {f, 0, PV_STAT_SIZES};

	for (unsigned w = 0; w < 3; w++) {
		pv_stat_sizes(s, (enum pv_stat_what)w, n[w]);
		for (unsigned i = 0; i < PV_STAT_SIZES; i++)
			p.max = fmax(p.max, (double)n[w][i]);
	}
	fputs("<h2>TLPs by size in bytes (up to)</h2><p class=\"key\"><b style=\"background:#2f6fb7\"></b>requests "
	      "with "
	      "data<b style=\"background:#e08a2c\"></b>completions with data<b style=\"background:#3d9a63\"></b>memory "
	      "reads</p>\n",
	      f);
	plot_begin(&p, "sizes");
	for (unsigned i = 0; i < PV_STAT_SIZES; i++) {
		for (unsigned w = 0; w < 3; w++)
			put_bar(&p, classes[w], i + 0.1 + 0.27 * w, 0.25, 0, (double)n[w][i]);
		fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%u</text>\n", x_of(&p, i + 0.5),
			PLOT_H - BOTTOM + 16, 4u << i);
	}
	fputs("</svg>\n", f);
}

/* ---- tables ---- */

static void put_kinds(const struct pv_stat *s, FILE *f)
{
	uint64_t all = s->records[1] + s->records[2];
	char payload[16], asked[16];

	fputs("<h2>Kinds</h2><table><tr><th>kind<th>TLPs<th>share<th>payload<th>asked for<th>largest</tr>\n", f);
	for (unsigned k = 0; k < PV_TLP_KINDS; k++) {
		struct pv_stat_kind v = pv_stat_kind(s, (enum pv_tlp_kind)k);

		if (v.tlps)
			fprintf(f, "<tr><td>%s<td>%" PRIu64 "<td>%.2f%%<td>%s<td>%s<td>%u</tr>\n", pv_tlp_kinds[k].name,
				v.tlps, pv_stat_percent(v.tlps, all),
				v.payload_bytes ? pv_stat_bytes_text(v.payload_bytes, payload) : "",
				v.asked_bytes ? pv_stat_bytes_text(v.asked_bytes, asked) : "", v.max_bytes);
	}
	fputs("</table>\n", f);
}

static void put_requesters(const struct pv_stat *s, unsigned top, FILE *f)
{
	uint16_t ids[64];
	size_t n = pv_stat_top_requesters(s, ids, top);
	char id[16], size[16];

	fprintf(f, "<h2>Requesters (%zu)</h2><table><tr><th>requester<th>TLPs<th>payload</tr>\n", n);
	for (size_t i = 0; i < n && i < top; i++)
		fprintf(f, "<tr><td>%s<td>%" PRIu64 "<td>%s</tr>\n", pv_stat_bdf_text(ids[i], id),
			s->requesters[ids[i]].tlps, pv_stat_bytes_text(4 * s->requesters[ids[i]].dw, size));
	fputs("</table>\n", f);
}

static void put_regions(const struct pv_regions *g, unsigned top, FILE *f)
{
	char range[16], size[16];

	fprintf(f, "<h2>Address ranges of %s (%u touched)</h2><table><tr><th>from<th>TLPs<th>bytes</tr>\n",
		pv_stat_range_text(g->shift, range), g->n);
	for (unsigned i = 0; i < top && i < g->n; i++)
		fprintf(f, "<tr><td>0x%" PRIx64 "<td>%" PRIu64 "<td>%s</tr>\n", g->table[i].number << g->shift,
			g->table[i].tlps, pv_stat_bytes_text(4 * g->table[i].dw, size));
	fputs("</table>\n", f);
}

static void put_matching(const struct pv_match_sums *m, FILE *f)
{
	char asked[16], returned[16];

	fprintf(f,
		"<h2>Requests and completions</h2><table><tr><th>what<th>count</tr><tr><td>requests<td>%" PRIu64
		"</tr><tr><td>answered<td>%" PRIu64 "</tr><tr><td>unanswered at the end<td>%" PRIu64
		"</tr><tr><td>tag used again before the answer<td>%" PRIu64 "</tr><tr><td>completions<td>%" PRIu64
		"</tr><tr><td>completions without a request<td>%" PRIu64 "</tr><tr><td>not successful<td>%" PRIu64
		"</tr><tr><td>bytes asked for<td>%s</tr><tr><td>bytes returned<td>%s</tr></table>\n",
		m->requests, m->answered, m->unanswered, m->tag_reused, m->completions, m->unmatched,
		m->completions - m->status[0], pv_stat_bytes_text(m->asked_bytes, asked),
		pv_stat_bytes_text(m->returned_bytes, returned));
}

static void put_limit(const struct pv_stat *s, enum pv_stat_what what, const char *name, unsigned limit, FILE *f)
{
	uint64_t above = limit ? pv_stat_above(s, what, limit) : 0;

	if (limit)
		fprintf(f, "<p%s>%s %u bytes: %" PRIu64 " TLPs above it, the largest has %u</p>\n",
			above ? " class=\"warn\"" : "", name, limit, above, pv_stat_largest(s, what));
}

static void put_head(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	char size[16];

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
	      "content=\"width=device-width\"><title>",
	      f);
	put_escaped(r->name, f);
	fprintf(f, "</title><style>%s</style></head><body>\n<h1>", style);
	put_escaped(r->name, f);
	fprintf(f, "</h1><p>%" PRIu64 " records, %s of trace, %" PRIu64 " ticks", s->records[1] + s->records[2],
		pv_stat_bytes_text(s->bytes, size), s->span);
	if (r->where) {
		fputs("; chosen by <code>", f);
		put_escaped(r->where, f);
		fprintf(f, "</code>, %" PRIu64 " left out", s->left_out);
	}
	fputs("</p>\n", f);
	if (s->problems)
		fprintf(f, "<p class=\"warn\">%" PRIu64 " problems in the input</p>\n", s->problems);
}

void pv_stat_html(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	unsigned top = !r->top ? 10 : r->top > 64 ? 64 : r->top;

	put_head(s, r, f);
	if (s->timeline.used > 1)
		put_bandwidth(s, f);
	if (s->has_match && s->match.answered && s->timeline.used > 1)
		put_open(s, f);
	if (s->has_match && s->match.answered)
		put_latency(&s->match, f);
	put_sizes(s, f);
	put_limit(s, PV_STAT_WRITES, "Requests with data, MPS", r->mps, f);
	put_limit(s, PV_STAT_COMPLETIONS, "Completions with data, MPS", r->mps, f);
	put_limit(s, PV_STAT_READS, "Memory reads, MRRS", r->mrrs, f);
	put_kinds(s, f);
	put_requesters(s, top, f);
	if (s->has_match)
		put_matching(&s->match, f);
	if (s->has_regions)
		put_regions(&s->regions, top, f);
	fputs("</body></html>\n", f);
}
