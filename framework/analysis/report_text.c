/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as text: see report.h. */
#include <inttypes.h>
#include <string.h>

#include "framework/analysis/report.h"
#include "framework/analysis/stat_plot.h"
#include "framework/analysis/stat_text_internal.h"
#include "framework/util/hint.h"

static const char *amount(const struct pv_stat *s, const struct pv_stat_report *r, uint64_t bytes, char buf[16])
{
	double rate = pv_stat_per_second(s, r, bytes);

	if (!bytes)
		return "-";
	return rate < 0 ? pv_stat_bytes_text(bytes, buf) : pv_stat_rate_text(rate, buf);
}

static const char *latency(const struct pv_stat *s, const struct pv_stat_report *r, const struct pv_latency *l,
			   char buf[24])
{
	uint64_t median = pv_latency_quantile(l, 0.5);
	char number[16];

	if (!l->answered || !s->time)
		return "-";
	if (r->tick_hz > 0)
		return pv_stat_seconds_text((double)median, r->tick_hz, buf);
	if (median < 100000)
		snprintf(buf, 24, "%" PRIu64 " ticks", median);
	else
		snprintf(buf, 24, "%s ticks", pv_plot_number((double)median, number));
	return buf;
}

static void put_device(const struct pv_stat *s, const struct pv_stat_report *r, const struct pv_stat_device *d, FILE *f)
{
	const struct pv_stat_function *func = pv_stat_function_of(r->machine, d->requester);
	uint64_t payload = pv_stat_device_payload(d);
	char bdf[20], writes[16], gets[16], asks[16], wire[16] = "-", mean[16] = "-", ticks[24];

	if (d->flow[PV_FLOW_WRITES].tlps)
		snprintf(mean, sizeof(mean), "%.0f", pv_stat_flow_mean(&d->flow[PV_FLOW_WRITES]));
	if (payload)
		snprintf(wire, sizeof(wire), "%.1f%%", pv_stat_percent(payload, pv_stat_device_wire_bytes(d)));
	fprintf(f, "%-12s %10s %10s %10s %7s %6s %11s\n", pv_stat_function_bdf(r->machine, d->requester, bdf),
		amount(s, r, d->flow[PV_FLOW_WRITES].bytes, writes),
		amount(s, r, d->flow[PV_FLOW_COMPLETIONS].bytes, gets),
		amount(s, r, d->flow[PV_FLOW_READS].bytes, asks), mean, wire, latency(s, r, &d->latency, ticks));
	if (func && *func->name)
		fprintf(f, "  %.78s\n", PV_SHOW(func->name));
}

static void put_devices(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	unsigned top = pv_stat_top(r);

	if (s->devices.too_many || !s->devices.n)
		return;
	fprintf(f, "\n%-12s %10s %10s %10s %7s %6s %11s\n", "device", "writes", "gets back", "asks for", "B/write",
		"wire", "latency");
	for (unsigned i = 0; i < s->devices.n && i < top; i++)
		put_device(s, r, &s->devices.of[i], f);
	if (s->devices.n > top)
		fprintf(f, "and %u more\n", s->devices.n - top);
	fputs("B/write: mean; wire: payload, of header, payload and framing; latency: median\n", f);
}

static void put_head(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	uint64_t all = s->records[1] + s->records[2];
	char text[PV_STAT_TIME_TEXT], tick[PV_STAT_TICK_TEXT];

	fprintf(f, "%s: %" PRIu64 " record%s", PV_SHOW(r->name), all, all == 1 ? "" : "s");
	if (s->time && r->tick_hz > 0)
		fprintf(f, " in %s%s", s->time_at_least ? "at least " : "",
			pv_stat_seconds_text((double)s->span, r->tick_hz, text));
	else if (s->time)
		fprintf(f, " in %s%" PRIu64 " ticks", s->time_at_least ? "at least " : "", s->span);
	fprintf(f, "\n%s\n", pv_stat_time_text(s, text, sizeof(text)));
	if (*pv_stat_tick_text(s, r, tick))
		fprintf(f, "%s\n", tick);
	if (s->problems)
		fprintf(f, "%" PRIu64 " problem%s in the input: records are missing\n", s->problems,
			s->problems == 1 ? "" : "s");
}

void pv_report_text(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	put_head(s, r, f);
	if (!(s->records[1] + s->records[2]))
		return;
	pv_stat_text_findings(s, r, pv_stat_top(r), f);
	put_devices(s, r, f);
}
