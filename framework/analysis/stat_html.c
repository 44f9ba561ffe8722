/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics as one HTML page: inline style and inline SVG, no script, no network. The page is also well-formed XML, so
 * that a parser can check it.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "framework/analysis/stat_html_internal.h"
#include "framework/analysis/stat_plot.h"
#include "framework/util/cleanup.h"
#include "framework/util/html.h"

extern const char pv_stat_css[], pv_stat_css_sha256[];

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

static void put_bar(const struct pv_stat *s, const struct pv_stat_report *r, const struct pv_stat_bar_use *u, FILE *f)
{
	double per_second = pv_stat_per_second(s, r, u->write_bytes);
	char bdf[20], text[32];

	fprintf(f, "<tr><td>%s BAR %u</td>", pv_stat_function_bdf(r->machine, u->bar.function, bdf), u->bar.number);
	snprintf(text, sizeof(text), "%" PRIu64, u->writes);
	pv_html_cell("writes", text, f);
	pv_html_cell("payload", pv_stat_bytes_text(u->write_bytes, text), f);
	snprintf(text, sizeof(text), "%.0f B", u->writes ? (double)u->write_bytes / (double)u->writes : 0);
	pv_html_cell("mean", text, f);
	pv_html_cell("rate", per_second < 0 ? "" : pv_stat_rate_text(per_second, text), f);
	snprintf(text, sizeof(text), "%" PRIu64, u->reads);
	pv_html_cell("reads", text, f);
	pv_html_cell("asked for", u->reads ? pv_stat_bytes_text(u->asked_bytes, text) : "", f);
	fputs("</tr>\n", f);
}

static void put_bars(const struct pv_stat *s, const struct pv_stat_report *r, unsigned top, FILE *f)
{
	static const char *const heads[] = {"BAR", "writes", "payload", "mean", "rate", "reads", "asked for", NULL};

	fputs("<div><h2>To the BARs of devices</h2>", f);
	pv_html_table(heads, f);
	for (size_t i = 0; i < s->bars.n && i < top; i++)
		put_bar(s, r, &s->bars.of[i], f);
	fputs("</table>\n", f);
	if (s->bars.n > top)
		fprintf(f, "<p class=\"dim\">and %zu more</p>\n", s->bars.n - top);
	fputs("</div>\n", f);
}

void pv_stat_put_tables(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	unsigned top = pv_stat_top(r);

	fputs("<div class=\"tables\">\n", f);
	put_kinds(s, f);
	put_requesters(s, top, f);
	if (s->has_match && (s->match.requests | s->match.completions))
		put_matching(&s->match, f);
	if (s->has_regions && s->regions.n)
		put_regions(&s->regions, top, f);
	if (s->bars.n)
		put_bars(s, r, top, f);
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

/* Shows payload as a share of the wire bytes. */
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

void pv_stat_put_figures(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	struct pv_stat_payload sum = pv_stat_payload(s);
	char text[16];

	fputs("<ul class=\"figures\">\n", f);
	put_figure("TLPs", pv_plot_number((double)(s->records[1] + s->records[2]), text), "", f);
	put_figure("posted payload", pv_stat_bytes_text(sum.posted, text), "", f);
	put_figure("completion payload", pv_stat_bytes_text(sum.completions, text), "", f);
	put_time_figures(s, r->tick_hz, f);
	fputs("</ul>\n", f);
}

void pv_stat_put_head(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	uint64_t all = s->records[1] + s->records[2];
	char size[16], time[PV_STAT_TIME_TEXT], tick[PV_STAT_TICK_TEXT];

	pv_html_begin(r->name, &PV_HTML_CODE(pv_stat_css), NULL, f);
	pv_plot_defs(f);
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
	fprintf(f, "</p>\n<p class=\"dim\">%s", pv_stat_time_text(s, time, sizeof(time)));
	if (*pv_stat_tick_text(s, r, tick)) {
		fputs("; ", f);
		pv_html_put(tick, f);
	}
	fputs("</p>\n", f);
	if (s->problems)
		fprintf(f, "<p class=\"bad\">%" PRIu64 " problem%s in the input</p>\n", s->problems,
			s->problems == 1 ? "" : "s");
}

static void put_plots(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	bool has_time = s->timeline.used > 1, is_answered = s->has_match && s->match.answered && s->time;

	if (has_time)
		pv_stat_put_payload(s, r, f);
	if (has_time && r->n_shares)
		pv_stat_put_shares(s, r, f);
	if (has_time && is_answered)
		pv_stat_put_open(s, r, f);
	if (is_answered)
		pv_stat_put_latency(&s->match, f);
	pv_stat_put_sizes(s, f);
	put_limit(s, PV_STAT_WRITES, "Requests with data, MPS", r->mps, f);
	put_limit(s, PV_STAT_COMPLETIONS, "Completions with data, MPS", r->mps, f);
	put_limit(s, PV_STAT_READS, "Memory reads, MRRS", r->mrrs, f);
}

void pv_stat_html(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	pv_stat_put_head(s, r, f);
	if (s->records[1] + s->records[2]) {
		pv_stat_put_figures(s, r, f);
		put_plots(s, r, f);
		pv_stat_put_tables(s, r, f);
	} else {
		fputs("<p>No records.</p>\n", f);
	}
	pv_html_end(NULL, f);
}
