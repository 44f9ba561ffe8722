/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of a watch: the line of the last interval, and the summary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "framework/counters/watch.h"
#include "framework/util/cleanup.h"
#include "framework/util/si.h"

/* ---- values ---- */

/* Formats "3.21 GB/s", "412 M/s"; below a thousand without a blank before "/s". */
static const char *rate_text(double v, const char *unit, char buf[32])
{
	if (v >= 999.5)
		return pv_si_text(v, unit, buf, 32);
	snprintf(buf, 32, "%.3g%s%s", v, *unit == '/' ? "" : " ", unit);
	return buf;
}

/* Returns the length of a core_clk cycle of this PMU in seconds; 0: unknown. */
static double cycle_of(const struct pv_watch *w, const char *pmu)
{
	if (w->cycle_ps > 0)
		return w->cycle_ps * 1e-12;
	for (size_t i = 0; i < w->n; i++)
		if (w->series[i]->quantity == PV_QUANTITY_CYCLE && !strcmp(w->series[i]->pmu, pmu))
			return w->series[i]->max * 1e-12;
	return 0;
}

const char *pv_series_unit(const struct pv_watch *w, const struct pv_series *s, double *scale)
{
	double cycle = s->quantity == PV_QUANTITY_RESIDENCY ? cycle_of(w, s->pmu) : 0;

	*scale = cycle > 0 ? 100 * cycle : 1;
	if (cycle > 0)
		return "percent of the time";
	if (s->quantity == PV_QUANTITY_RESIDENCY)
		return "cycles per second";
	return s->quantity == PV_QUANTITY_BYTES ? "bytes per second" : *s->unit ? s->unit : "events per second";
}

static const char *value_text(const struct pv_watch *w, const struct pv_series *s, double v, char buf[32])
{
	double cycle = s->quantity == PV_QUANTITY_RESIDENCY ? cycle_of(w, s->pmu) : 0;

	if (isnan(v))
		return "-";
	if (s->quantity == PV_QUANTITY_CYCLE)
		snprintf(buf, 32, v > 0 ? "%.0f ps" : "?", v);
	else if (cycle > 0)
		snprintf(buf, 32, "%.1f %%", 100 * v * cycle);
	else if (s->quantity == PV_QUANTITY_BYTES)
		rate_text(v, "B/s", buf);
	else if (*s->unit)
		snprintf(buf, 32, "%.4g %s/s", v, s->unit);
	else
		rate_text(v, "/s", buf);
	return buf;
}

/* ---- CXL ---- */

static bool is_cxl(const struct pv_series *s)
{
	return !strncmp(s->pmu, "cxl_pmu_", strlen("cxl_pmu_"));
}

/* Returns true for messages of one direction, such as "m2s_req_memrd" and "m2s_rwd_memwr". */
static bool is_same_direction(const struct pv_series *a, const struct pv_series *b)
{
	static const char *const directions[] = {"m2s_", "s2m_", "d2h_", "h2d_"};

	for (size_t i = 0; i < sizeof(directions) / sizeof(*directions); i++)
		if (!strncmp(a->event, directions[i], 4))
			return !strncmp(b->event, directions[i], 4);
	return false;
}

typedef double (*value_fn)(const struct pv_series *s);

static double now_of(const struct pv_series *s)
{
	return s->now;
}

/* Returns the share of an opcode in the counted messages of its direction; NAN: no message, or no opcode. */
static double share_of(const struct pv_watch *w, const struct pv_series *s, value_fn value)
{
	double all = 0;

	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->series[i]->pmu, s->pmu) && is_same_direction(s, w->series[i]) &&
		    !isnan(value(w->series[i])))
			all += value(w->series[i]);
	return is_cxl(s) && all > 0 ? value(s) / all : NAN;
}

/* Returns bytes per second of messages with a cache line of 64 bytes: MemWr to the device, MemData from it. */
static double cxl_data(const struct pv_watch *w, const char *pmu, const char *prefix, value_fn value)
{
	double bytes = NAN;

	for (size_t i = 0; i < w->n; i++) {
		const struct pv_series *s = w->series[i];

		if (strcmp(s->pmu, pmu) || strncmp(s->event, prefix, strlen(prefix)) || isnan(value(s)))
			continue;
		bytes = (isnan(bytes) ? 0 : bytes) + 64 * value(s);
	}
	return bytes;
}

/* ---- the line of the last interval ---- */

/* Returns "rx" for Rx_PCIe_TLP_Data_Payload; otherwise the event without its parameters. */
static const char *short_name(const struct pv_series *s, char buf[128])
{
	if (s->quantity == PV_QUANTITY_BYTES)
		snprintf(buf, 128, "%s%s", s->name[0] == 'R' ? "rx" : "tx", strstr(s->name, "CCIX") ? " ccix" : "");
	else
		snprintf(buf, 128, "%.*s", (int)strcspn(s->name, ","), s->name);
	return buf;
}

static void put_item(const struct pv_watch *w, const struct pv_series *s, double ceiling, FILE *f)
{
	char name[128], value[32];
	double share = s->quantity == PV_QUANTITY_BYTES && ceiling > 0 ? s->now / ceiling : share_of(w, s, now_of);

	fprintf(f, "  %s %s", short_name(s, name), value_text(w, s, s->now, value));
	if (!isnan(share))
		fprintf(f, " (%.0f %%)", 100 * share);
}

static void put_items(const struct pv_watch *w, const char *pmu, double ceiling, FILE *f)
{
	static const enum pv_quantity order[] = {PV_QUANTITY_BYTES, PV_QUANTITY_RESIDENCY, PV_QUANTITY_EVENTS};
	double read = cxl_data(w, pmu, "s2m_drs_memdata", now_of), written = cxl_data(w, pmu, "m2s_rwd_memwr", now_of);
	char text[32];

	if (!isnan(read))
		fprintf(f, "  read %s", rate_text(read, "B/s", text));
	if (!isnan(written))
		fprintf(f, "  written %s", rate_text(written, "B/s", text));
	for (size_t q = 0; q < sizeof(order) / sizeof(*order); q++)
		for (size_t i = 0; i < w->n; i++)
			if (w->series[i]->quantity == order[q] && !strcmp(w->series[i]->pmu, pmu))
				put_item(w, w->series[i], ceiling, f);
}

void pv_watch_put_now(const struct pv_watch *w, size_t first, double ceiling, unsigned columns, FILE *f)
{
	_autofree_ char *text = NULL;
	size_t n = 0;
	FILE *line = open_memstream(&text, &n);

	if (!line)
		return;
	fprintf(line, "%8.1f s  %s", w->ended_s, *w->series[first]->pmu ? w->series[first]->pmu : "events");
	put_items(w, w->series[first]->pmu, ceiling, line);
	if (fclose(line))
		return;
	if (columns > 3 && n > columns)
		fprintf(f, "%.*s...", (int)columns - 3, text);
	else
		fputs(text, f);
}

/* ---- the summary ---- */

static void put_payload_finding(const struct pv_watch *w, const struct pv_series *s, double ceiling, FILE *f)
{
	char mean[32], most[32], carries[32];

	fprintf(f, "  %s %s on average, %s at most", s->name[0] == 'R' ? "receives" : "sends",
		value_text(w, s, pv_series_mean(s), mean), value_text(w, s, s->max, most));
	if (ceiling > 0)
		fprintf(f, ": %.0f and %.0f %% of the %s that its link can carry", 100 * pv_series_mean(s) / ceiling,
			100 * s->max / ceiling, rate_text(ceiling, "B/s", carries));
	fputc('\n', f);
}

static void put_findings(const struct pv_watch *w, const char *pmu, double ceiling, FILE *f)
{
	double read = cxl_data(w, pmu, "s2m_drs_memdata", pv_series_mean);
	double written = cxl_data(w, pmu, "m2s_rwd_memwr", pv_series_mean);
	char text[32];

	for (size_t i = 0; i < w->n; i++)
		if (w->series[i]->quantity == PV_QUANTITY_BYTES && !strcmp(w->series[i]->pmu, pmu) &&
		    w->series[i]->intervals)
			put_payload_finding(w, w->series[i], ceiling, f);
	if (!isnan(read))
		fprintf(f, "  %s of cache lines read\n", rate_text(read, "B/s", text));
	if (!isnan(written))
		fprintf(f, "  %s of cache lines written\n", rate_text(written, "B/s", text));
}

/* Prints a name in its column, or on a line of its own. */
static void put_name(const char *name, FILE *f)
{
	enum { COLUMN = 28 };

	if (strlen(name) > COLUMN)
		fprintf(f, "  %s\n  %-*s", name, COLUMN, "");
	else
		fprintf(f, "  %-*s", COLUMN, name);
}

static const char *percent_text(double share, char buf[16])
{
	if (isnan(share))
		return "";
	snprintf(buf, 16, "%.0f %%", 100 * share);
	return buf;
}

static void put_series(const struct pv_watch *w, const struct pv_series *s, FILE *f)
{
	char mean[32], min[32], max[32], share[16], counted[16];

	put_name(s->name, f);
	if (!s->supported) {
		fputs(" not supported\n", f);
		return;
	}
	fprintf(f, " %11s %11s %11s %6s %8s\n", value_text(w, s, pv_series_mean(s), mean),
		value_text(w, s, s->intervals ? s->min : NAN, min), value_text(w, s, s->intervals ? s->max : NAN, max),
		percent_text(share_of(w, s, pv_series_mean), share),
		percent_text(s->counted_s / s->printed_s, counted));
}

/* Explains figures that can mislead. */
static void put_notes(const struct pv_watch *w, const char *pmu, FILE *f)
{
	bool scaled = false, cycles = false;

	for (size_t i = 0; i < w->n; i++) {
		const struct pv_series *s = w->series[i];

		if (strcmp(s->pmu, pmu))
			continue;
		scaled |= s->intervals && s->counted_s < 0.995 * s->printed_s;
		cycles |= s->quantity == PV_QUANTITY_RESIDENCY && cycle_of(w, pmu) <= 0;
	}
	if (scaled)
		fputs("  counted: share of the time; perf scales each count to its whole interval\n", f);
	if (cycles)
		fputs("  link states are in cycles: --cycle PS, which one_cycle counts alone, makes them\n"
		      "  shares of the time\n",
		      f);
}

void pv_watch_put_summary(const struct pv_watch *w, pv_ceiling_fn ceiling, void *ctx, FILE *f)
{
	for (size_t i = 0; i < w->n; i++) {
		const char *pmu = w->series[i]->pmu;

		if (!pv_watch_is_first(w, i))
			continue;
		fprintf(f, "%s: %llu intervals, %.1f s\n", *pmu ? pmu : "events without a PMU",
			(unsigned long long)w->intervals, w->seconds);
		put_findings(w, pmu, ceiling(ctx, pmu), f);
		fprintf(f, "  %-28s %11s %11s %11s %6s %8s\n", "event", "mean", "least", "most", "share", "counted");
		for (size_t k = i; k < w->n; k++)
			if (!strcmp(w->series[k]->pmu, pmu))
				put_series(w, w->series[k], f);
		put_notes(w, pmu, f);
	}
}
