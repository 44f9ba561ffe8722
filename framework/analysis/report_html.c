/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as an HTML page: see report.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/report.h"
#include "framework/analysis/stat_finding.h"
#include "framework/analysis/stat_html_internal.h"
#include "framework/util/cleanup.h"
#include "framework/util/html.h"

enum { FINDINGS = 12 }; /* maximum number of findings shown; the others are only counted */

/* ---- findings ---- */

static void put_finding(const struct pv_stat_finding *found, FILE *f)
{
	fputs("<li><p>", f);
	pv_html_put(found->text, f);
	fputs(".</p><p class=\"dim\">", f);
	pv_html_put(found->rule->why, f);
	fputs(" (", f);
	pv_html_put(found->rule->name, f);
	fputs("; ", f);
	pv_html_put(found->rule->document, f);
	fputs(")</p></li>\n", f);
}

/* Lists the rules whose figures are unknown, by the missing input. */
static void put_unjudged(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	for (unsigned need = PV_NEED_NOTHING + 1; need < PV_NEEDS; need++) {
		unsigned n = 0;

		for (size_t i = 0; i < PV_STAT_RULES; i++) {
			const struct pv_stat_rule *rule = pv_stat_rule(i);

			if (rule->need != need || pv_stat_is_judged(s, r, rule))
				continue;
			if (!n++)
				fprintf(f, "<p class=\"dim\">Not judged %s: %s", pv_stat_need_texts[need], rule->name);
			else
				fprintf(f, ", %s", rule->name);
		}
		if (n)
			fputs("</p>\n", f);
	}
}

static void put_findings(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	_autofree_ struct pv_stat_finding *found = calloc(PV_STAT_FINDINGS_MAX, sizeof(*found));
	size_t n = found && !s->devices.too_many ? pv_stat_find(s, r, found) : 0;

	fputs("<section id=\"findings\"><h2>Findings</h2>\n", f);
	if (s->devices.too_many)
		fprintf(f, "<p>More than %d devices: nothing is judged. Choose some by --where.</p>\n",
			PV_STAT_DEVICES);
	else if (!n)
		fputs("<p>Nothing found: no figure of a device reaches the threshold of a rule.</p>\n", f);
	else
		fputs("<ol class=\"findings\">\n", f);
	for (size_t i = 0; i < n && i < FINDINGS; i++)
		put_finding(&found[i], f);
	if (n)
		fputs("</ol>\n", f);
	if (n > FINDINGS)
		fprintf(f, "<p class=\"dim\">and %zu more: see trace stat</p>\n", n - FINDINGS);
	if (!s->devices.too_many)
		put_unjudged(s, r, f);
	fputs("</section>\n", f);
}

/* ---- devices ---- */

static void put_amount(const struct pv_stat *s, const struct pv_stat_report *r, const char *head, uint64_t bytes,
		       FILE *f)
{
	double rate = pv_stat_per_second(s, r, bytes);
	char text[16];

	pv_html_td(head, NULL, f);
	if (bytes)
		fputs(rate < 0 ? pv_stat_bytes_text(bytes, text) : pv_stat_rate_text(rate, text), f);
	fputs("</td>", f);
}

static void put_latency_cell(const struct pv_stat *s, const struct pv_stat_report *r, const struct pv_latency *l,
			     FILE *f)
{
	uint64_t median = pv_latency_quantile(l, 0.5);
	char text[32];

	pv_html_td("median latency", NULL, f);
	if (l->answered && s->time && r->tick_hz > 0)
		fputs(pv_stat_seconds_text((double)median, r->tick_hz, text), f);
	else if (l->answered && s->time)
		fprintf(f, "%" PRIu64 " ticks", median);
	fputs("</td>", f);
}

/* Writes a number in this format; an empty cell if there is none. */
static void put_number(const char *head, bool is_known, const char *format, double value, FILE *f)
{
	pv_html_td(head, NULL, f);
	if (is_known)
		fprintf(f, format, value);
	fputs("</td>", f);
}

static void put_device(const struct pv_stat *s, const struct pv_stat_report *r, const struct pv_stat_device *d, FILE *f)
{
	const struct pv_stat_function *func = pv_stat_function_of(r->machine, d->requester);
	const struct pv_stat_flow *w = &d->flow[PV_FLOW_WRITES], *q = &d->flow[PV_FLOW_READS];
	uint64_t payload = pv_stat_device_payload(d), wire = pv_stat_device_wire_bytes(d);
	char bdf[20];

	fprintf(f, "<tr><td>%s", pv_stat_function_bdf(r->machine, d->requester, bdf));
	if (func && *func->name) {
		fputs("<span class=\"dim\">", f);
		pv_html_put(func->name, f);
		fputs("</span>", f);
	}
	fputs("</td>", f);
	put_amount(s, r, "writes", w->bytes, f);
	put_amount(s, r, "gets back", d->flow[PV_FLOW_COMPLETIONS].bytes, f);
	put_amount(s, r, "asks for", q->bytes, f);
	put_number("mean write", w->tlps, "%.0f B", pv_stat_flow_mean(w), f);
	put_number("mean read", q->tlps, "%.0f B", pv_stat_flow_mean(q), f);
	put_number("on the wire", payload, "%.1f%%", pv_stat_percent(payload, wire), f);
	put_latency_cell(s, r, &d->latency, f);
	put_number("most open", pv_stat_most_open(s, d), "%.0f", pv_stat_most_open(s, d), f);
	fputs("</tr>\n", f);
}

static void put_devices(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	static const char *const heads[] = {"device",	 "writes",	"gets back",	  "asks for",  "mean write",
					    "mean read", "on the wire", "median latency", "most open", NULL};
	unsigned top = pv_stat_top(r);

	if (s->devices.too_many || !s->devices.n)
		return;
	fputs("<section id=\"devices\"><h2>Devices</h2><div class=\"tables\"><div>", f);
	pv_html_table(heads, f);
	for (unsigned i = 0; i < s->devices.n && i < top; i++)
		put_device(s, r, &s->devices.of[i], f);
	fputs("</table></div></div>\n", f);
	if (s->devices.n > top)
		fprintf(f, "<p class=\"dim\">and %u more</p>\n", s->devices.n - top);
	fputs("</section>\n", f);
}

/* ---- plots ---- */

/* Shows payload over time, sizes and latency, each as a plot or with the reason why there is none. */
static void put_plots(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	fputs("<section id=\"plots\">\n", f);
	if (s->timeline.used > 1)
		pv_stat_put_payload(s, r, f);
	else
		fputs("<h2>Payload over time</h2><p class=\"dim\">It is unknown what Time counts, or no time "
		      "passes.</p>\n",
		      f);
	pv_stat_put_sizes(s, f);
	if (s->has_match && s->match.answered && s->time)
		pv_stat_put_latency(&s->match, f);
	else
		fputs("<h2>Latency</h2><p class=\"dim\">Unknown: no request has its completion in this trace. Only "
		      "requests "
		      "from port to port have both in one trace.</p>\n",
		      f);
	fputs("</section>\n", f);
}

void pv_report_html(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	pv_stat_put_head(s, r, f);
	if (s->records[1] + s->records[2]) {
		put_findings(s, r, f);
		pv_stat_put_figures(s, r, f);
		put_plots(s, r, f);
		put_devices(s, r, f);
		if (s->timeline.used > 1 && r->n_shares > 1)
			pv_stat_put_shares(s, r, f);
		fputs("<section id=\"tables\">\n", f);
		pv_stat_put_tables(s, r, f);
		fputs("</section>\n", f);
	} else {
		fputs("<p>No records.</p>\n", f);
	}
	pv_html_end(NULL, f);
}
