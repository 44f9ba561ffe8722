/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics as text of 80 columns. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "framework/analysis/stat_report.h"
#include "framework/analysis/stat_text_internal.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"
#include "framework/util/si.h"

#define BAR    24
#define SPARKS 64

const char *pv_stat_seconds_text(double ticks, double tick_hz, char buf[16])
{
	static const char *const units[] = {"s", "ms", "us", "ns"};
	double v = ticks / tick_hz;
	unsigned u = 0;

	for (; v < 1 && u + 1 < ARRAY_SIZE(units); u++)
		v *= 1000;
	snprintf(buf, 16, "%.*f %s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[u]);
	return buf;
}

const char *pv_stat_rate_text(double bytes_per_s, char buf[16])
{
	return pv_si_text(bytes_per_s, "B/s", buf, 16);
}

double pv_stat_hz_of_rate(const struct pv_stat *s, double bytes_per_s, char how[PV_STAT_HOW_TEXT])
{
	struct pv_stat_payload sum = pv_stat_payload(s);
	uint64_t payload = sum.posted + sum.completions;
	char rate[16];

	if (!s->time || !s->span || !payload) {
		snprintf(how, PV_STAT_HOW_TEXT, "unknown: --rate needs %s", payload ? "times" : "payload");
		return 0;
	}
	snprintf(how, PV_STAT_HOW_TEXT, "%sfrom --rate, %s of payload%s", s->time_at_least ? "at least, " : "",
		 pv_stat_rate_text(bytes_per_s, rate), s->problems ? "; records are missing: too high" : "");
	return bytes_per_s * (double)s->span / (double)payload;
}

double pv_stat_per_second(const struct pv_stat *s, const struct pv_stat_report *r, uint64_t bytes)
{
	return s->time && s->span && r->tick_hz > 0 ? (double)bytes * r->tick_hz / (double)s->span : -1;
}

struct pv_stat_payload pv_stat_payload(const struct pv_stat *s)
{
	struct pv_stat_payload sum = {0};

	for (unsigned b = 0; b < PV_TIMELINE_BINS; b++) {
		sum.posted += 4 * s->timeline.sum[b][PV_TIMELINE_POSTED_DW];
		sum.completions += 4 * s->timeline.sum[b][PV_TIMELINE_CPL_DW];
	}
	return sum;
}

const char *pv_stat_bytes_text(uint64_t bytes, char buf[16])
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
	double v = (double)bytes;
	unsigned u = 0;

	for (; v >= 999.95 && u + 1 < ARRAY_SIZE(units); u++)
		v /= 1000;
	snprintf(buf, 16, u ? "%.1f %s" : "%.0f %s", v, units[u]);
	return buf;
}

const char *pv_stat_range_text(unsigned shift, char buf[16])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

	snprintf(buf, 16, "%u %s", 1u << shift % 10, units[shift / 10]);
	return buf;
}

static const char *bar(uint64_t part, uint64_t largest, char buf[BAR + 1])
{
	unsigned n = largest ? (unsigned)((double)part * BAR / (double)largest + 0.5) : 0;

	n = n > BAR ? BAR : part && !n ? 1 : n;
	memset(buf, '#', n);
	buf[n] = '\0';
	return buf;
}

const char *pv_stat_time_text(const struct pv_stat *s, char *buf, size_t size)
{
	const char *how = s->time_is_given ? "as given" : "detected";

	if (!s->time)
		snprintf(buf, size, "Time is unknown: no times (see --time)");
	else if (s->time == PV_TRACE_TIME_CLOCK)
		snprintf(buf, size, "Time is a clock (%s)", how);
	else
		snprintf(buf, size, "Time is the distance to the record before (%s); %" PRIu64 " at full scale%s", how,
			 s->full_scale, s->time_at_least ? ": times are at least so much" : "");
	return buf;
}

const char *pv_stat_tick_text(const struct pv_stat *s, const struct pv_stat_report *r, char buf[PV_STAT_TICK_TEXT])
{
	*buf = '\0';
	if (s->time && r->tick_hz > 0)
		snprintf(buf, PV_STAT_TICK_TEXT, "%.6g ticks a second, %s", r->tick_hz, pv_stat_tick_how(r));
	else if (r->tick_how)
		snprintf(buf, PV_STAT_TICK_TEXT, "ticks a second: %s", r->tick_how);
	return buf;
}

static void put_head(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	char size[16], time[PV_STAT_TIME_TEXT], tick[PV_STAT_TICK_TEXT];
	uint64_t all = s->records[PV_RECORD_4DW] + s->records[PV_RECORD_8DW];

	fprintf(f, "%s: %" PRIu64 " record%s (%" PRIu64 " 4DW, %" PRIu64 " 8DW), %s of trace", PV_SHOW(r->name), all,
		all == 1 ? "" : "s", s->records[PV_RECORD_4DW], s->records[PV_RECORD_8DW],
		pv_stat_bytes_text(s->bytes, size));
	if (s->time)
		fprintf(f, ", %s%" PRIu64 " ticks", s->time_at_least ? "at least " : "", s->span);
	if (s->time && r->tick_hz > 0)
		fprintf(f, " (%s)", pv_stat_seconds_text((double)s->span, r->tick_hz, size));
	fprintf(f, "\n%s\n", pv_stat_time_text(s, time, sizeof(time)));
	if (*pv_stat_tick_text(s, r, tick))
		fprintf(f, "%s\n", tick);
	if (s->streams > 1)
		fprintf(f, "%" PRIu64 " streams; times are since the first record of each\n", s->streams);
	if (r->where)
		fprintf(f, "chosen by '%s'; %" PRIu64 " left out\n", PV_SHOW(r->where), s->left_out);
	if (s->problems)
		fprintf(f, "%" PRIu64 " problem%s in the input: see standard error\n", s->problems,
			s->problems == 1 ? "" : "s");
}

static void put_kinds(const struct pv_stat *s, FILE *f)
{
	uint64_t all = s->records[1] + s->records[2], largest = 0, payload = 0, wire = pv_stat_wire_bytes(s);
	char size[16], asked[16], line[BAR + 1];

	for (unsigned k = 0; k < PV_TLP_KINDS; k++)
		if (pv_stat_kind(s, (enum pv_tlp_kind)k).tlps > largest)
			largest = pv_stat_kind(s, (enum pv_tlp_kind)k).tlps;
	fprintf(f, "\n%-10s %12s %7s %10s %10s\n", "kind", "TLPs", "share", "payload", "asked");
	for (unsigned k = 0; k < PV_TLP_KINDS; k++) {
		struct pv_stat_kind v = pv_stat_kind(s, (enum pv_tlp_kind)k);

		payload += v.payload_bytes;
		if (v.tlps)
			fprintf(f, "%-10s %12" PRIu64 " %6.2f%% %10s %10s  %s\n", pv_tlp_kinds[k].name, v.tlps,
				pv_stat_percent(v.tlps, all),
				v.payload_bytes ? pv_stat_bytes_text(v.payload_bytes, size) : "",
				v.asked_bytes ? pv_stat_bytes_text(v.asked_bytes, asked) : "",
				bar(v.tlps, largest, line));
	}
	if (wire)
		fprintf(f, "at least %s on the wire, %.1f%% of it payload\n", pv_stat_bytes_text(wire, size),
			pv_stat_percent(payload, wire));
}

static void put_requesters(const struct pv_stat *s, unsigned top, FILE *f)
{
	uint64_t all = s->records[1] + s->records[2], tlps = 0, dw = 0, shown = 0, shown_dw = 0;
	uint16_t ids[PV_STAT_TOP_MAX];
	size_t n = pv_stat_top_requesters(s, ids, top);
	char id[16], size[16];

	for (unsigned i = 0; i < 1 << 16; i++) {
		tlps += s->requesters[i].tlps;
		dw += s->requesters[i].dw;
	}
	fprintf(f, "\n%-10s %12s %7s %10s   (%zu in all)\n", "requester", "TLPs", "share", "payload", n);
	for (size_t i = 0; i < n && i < top; i++) {
		const struct pv_stat_requester *q = &s->requesters[ids[i]];

		fprintf(f, "%-10s %12" PRIu64 " %6.2f%% %10s\n", pv_stat_bdf_text(ids[i], id), q->tlps,
			pv_stat_percent(q->tlps, all), pv_stat_bytes_text(4 * q->dw, size));
		shown += q->tlps;
		shown_dw += q->dw;
	}
	if (n > top)
		fprintf(f, "%-10s %12" PRIu64 " %6.2f%% %10s\n", "others", tlps - shown,
			pv_stat_percent(tlps - shown, all), pv_stat_bytes_text(4 * (dw - shown_dw), size));
}

static void put_regions(const struct pv_stat *s, unsigned top, FILE *f)
{
	const struct pv_addr_histogram *g = &s->regions;
	char range[16], size[16];

	if (!s->has_regions || !g->table[0].tlps)
		return;
	fprintf(f, "\nby %-16s %12s %10s   (%u touched)\n", pv_stat_range_text(g->shift, range), "TLPs", "bytes", g->n);
	for (unsigned i = 0; i < top && i < g->n; i++)
		fprintf(f, "0x%016" PRIx64 "  %12" PRIu64 " %10s\n", g->table[i].number << g->shift, g->table[i].tlps,
			pv_stat_bytes_text(4 * g->table[i].dw, size));
}

/* Prints the number of TLPs above a limit. `what_then`: the consequence. */
static void put_limit(const struct pv_stat *s, enum pv_stat_what what, const char *name, unsigned limit,
		      const char *what_then, FILE *f)
{
	uint64_t above = pv_stat_above(s, what, limit);

	if (limit)
		fprintf(f, "%s %u: %" PRIu64 " above it%s%s\n", name, limit, above, above ? "  <-- " : "",
			above ? what_then : "");
}

static void put_sizes(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	uint64_t n[3][PV_STAT_SIZES];

	for (unsigned w = 0; w < 3; w++)
		pv_stat_sizes(s, (enum pv_stat_what)w, n[w]);
	fprintf(f, "\n%-10s %12s %12s %12s\n", "size up to", "with data", "completions", "memory reads");
	for (unsigned i = 0; i < PV_STAT_SIZES; i++)
		if (n[0][i] | n[1][i] | n[2][i])
			fprintf(f, "%-10u %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n", 4u << i, n[0][i], n[1][i],
				n[2][i]);
	fprintf(f, "%-10s %12u %12u %12u\n", "largest", pv_stat_largest(s, PV_STAT_WRITES),
		pv_stat_largest(s, PV_STAT_COMPLETIONS), pv_stat_largest(s, PV_STAT_READS));
	put_limit(s, PV_STAT_WRITES, "requests with data, MPS", r->mps, "malformed for that receiver", f);
	put_limit(s, PV_STAT_COMPLETIONS, "completions, MPS", r->mps, "malformed for that receiver", f);
	put_limit(s, PV_STAT_READS, "memory reads, MRRS", r->mrrs, "more than a requester may ask for", f);
}

static void put_match(const struct pv_stat *s, FILE *f)
{
	const struct pv_match_sums *m = &s->match;
	char asked[16], returned[16];

	if (!s->has_match || !(m->requests | m->completions))
		return;
	fprintf(f,
		"\nrequests   %12" PRIu64 "   answered %" PRIu64 ", unanswered %" PRIu64 ", tag used again %" PRIu64
		"\n",
		m->requests, m->answered, m->unanswered, m->tag_reused);
	fprintf(f,
		"completions%12" PRIu64 "   without a request %" PRIu64 ", UR %" PRIu64 ", CRS %" PRIu64 ", CA %" PRIu64
		"\n",
		m->completions, m->unmatched, m->status[1], m->status[2], m->status[4]);
	fprintf(f, "reads asked for %s, %s came back; %" PRIu64 " answers of a wrong size\n",
		pv_stat_bytes_text(m->asked_bytes, asked), pv_stat_bytes_text(m->returned_bytes, returned),
		m->wrong_size);
	if (s->long_tags)
		fputs("tags of more than 10 bits are not matched\n", f);
	if (m->not_followed)
		fprintf(f,
			"%" PRIu64 " requests not followed: more than %d requesters; completions are matched in part\n",
			m->not_followed, PV_MATCH_REQUESTERS);
	if (!m->answered) {
		fputs("none answered: only requests from port to port have both in one trace\n", f);
		return;
	}
	fprintf(f, "completions for a request: 1 %.1f%%, 2 %.1f%%, 3-4 %.1f%%, 5-8 %.1f%%, more %.1f%%\n",
		pv_stat_percent(m->pieces[0], m->answered), pv_stat_percent(m->pieces[1], m->answered),
		pv_stat_percent(m->pieces[2], m->answered), pv_stat_percent(m->pieces[3], m->answered),
		pv_stat_percent(m->pieces[4], m->answered));
}

static void put_latency_seconds(const struct pv_match_sums *m, double hz, FILE *f)
{
	char min[16], mean[16], max[16], median[16], most[16], nearly_all[16];

	fprintf(f, "min %s, mean %s, max %s, median %s, 90%% %s, 99%% %s\n",
		pv_stat_seconds_text((double)m->latency_min, hz, min),
		pv_stat_seconds_text((double)m->latency_sum / (double)m->answered, hz, mean),
		pv_stat_seconds_text((double)m->latency_max, hz, max),
		pv_stat_seconds_text((double)pv_match_quantile(m, 0.5), hz, median),
		pv_stat_seconds_text((double)pv_match_quantile(m, 0.9), hz, most),
		pv_stat_seconds_text((double)pv_match_quantile(m, 0.99), hz, nearly_all));
}

static void put_latency(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	const struct pv_match_sums *m = &s->match;
	uint64_t octaves[65] = {0}, largest = 0;
	char line[BAR + 1];

	if (!s->has_match || !m->answered || !s->time)
		return;
	fprintf(f, "latency in ticks: min %" PRIu64 ", mean %.1f, max %" PRIu64 "\n", m->latency_min,
		(double)m->latency_sum / (double)m->answered, m->latency_max);
	fprintf(f, "median %" PRIu64 ", 90%% %" PRIu64 ", 99%% %" PRIu64 " (the first value of their eighth)\n",
		pv_match_quantile(m, 0.5), pv_match_quantile(m, 0.9), pv_match_quantile(m, 0.99));
	if (r->tick_hz > 0)
		put_latency_seconds(m, r->tick_hz, f);
	for (unsigned b = 0; b < PV_LATENCY_BUCKETS; b++) {
		uint64_t v = pv_latency_bucket_start(b);
		uint64_t *o = &octaves[v ? 64 - __builtin_clzll(v) : 0];

		*o += m->latency[b];
		largest = *o > largest ? *o : largest;
	}
	for (unsigned i = 0; i < 65; i++)
		if (octaves[i])
			fprintf(f, "  from %10" PRIu64 " %12" PRIu64 " %6.2f%%  %s\n", i ? (uint64_t)1 << (i - 1) : 0,
				octaves[i], pv_stat_percent(octaves[i], m->answered), bar(octaves[i], largest, line));
}

/* Prints bins as one line of block characters with eight heights. */
static void put_spark(const char *what, const double *v, unsigned n, FILE *f)
{
	static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	double largest = 0, sum[SPARKS] = {0};
	unsigned cells = n < SPARKS ? n : SPARKS;

	for (unsigned i = 0; i < cells; i++) {
		unsigned first = i * n / cells, end = (i + 1) * n / cells;

		for (unsigned b = first; b < end; b++)
			sum[i] += v[b] / (end - first);
		largest = fmax(largest, sum[i]);
	}
	fprintf(f, "%-11s |", what);
	for (unsigned i = 0; i < cells; i++)
		fputs(blocks[largest > 0 ? (unsigned)ceil(sum[i] * 8 / largest) : 0], f);
	fprintf(f, "|\n");
}

static void put_rates(const struct pv_stat *s, double hz, double most, FILE *f)
{
	struct pv_stat_payload sum = pv_stat_payload(s);
	double seconds = (double)s->span / hz;
	char posted[16], completions[16], largest[16];

	if (s->span)
		fprintf(f, "posted %s, completions %s on average; most payload %s\n",
			pv_stat_rate_text((double)sum.posted / seconds, posted),
			pv_stat_rate_text((double)sum.completions / seconds, completions),
			pv_stat_rate_text(most * hz, largest));
}

/* Bins in bytes per tick, and the largest of each kind. `missing`: 1 where records are missing. */
struct bins {
	unsigned n;
	double ticks; /* length of a bin */
	double posted[PV_TIMELINE_BINS], cpl[PV_TIMELINE_BINS], reads[PV_TIMELINE_BINS];
	double open[PV_TIMELINE_BINS], missing[PV_TIMELINE_BINS];
	double most, most_reads, most_open, any_missing;
};

static void fill_bins(struct bins *v, const struct pv_stat *s)
{
	struct pv_timeline t = s->timeline;

	pv_timeline_coarsen(&t, PV_TIMELINE_SHOWN);
	pv_timeline_open(&t, v->open);
	v->n = (unsigned)t.used;
	v->ticks = (double)((uint64_t)1 << t.shift);
	for (unsigned b = 0; b < v->n; b++) {
		v->posted[b] = 4 * (double)t.sum[b][PV_TIMELINE_POSTED_DW] / v->ticks;
		v->cpl[b] = 4 * (double)t.sum[b][PV_TIMELINE_CPL_DW] / v->ticks;
		v->reads[b] = 4 * (double)t.sum[b][PV_TIMELINE_READ_DW] / v->ticks;
		v->missing[b] = t.lost[b];
		v->most = fmax(v->most, v->posted[b] + v->cpl[b]);
		v->most_reads = fmax(v->most_reads, v->reads[b]);
		v->most_open = fmax(v->most_open, v->open[b]);
		v->any_missing = fmax(v->any_missing, v->missing[b]);
	}
}

static void put_time(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	struct bins v = {0};

	fill_bins(&v, s);
	if (v.n < 2)
		return;
	fprintf(f, "\nover time, %u bins of %.0f ticks; most payload %.3g bytes a tick\n", v.n, v.ticks, v.most);
	if (r->tick_hz > 0)
		put_rates(s, r->tick_hz, v.most, f);
	if (v.most_reads > 0)
		fprintf(f, "reads ask for at most %.3g bytes a tick\n", v.most_reads);
	if (s->has_match)
		fprintf(f, "most open requests %.1f (mean of a bin)\n", v.most_open);
	put_spark("posted", v.posted, v.n, f);
	put_spark("completions", v.cpl, v.n, f);
	if (v.most_reads > 0)
		put_spark("reads", v.reads, v.n, f);
	if (s->has_match)
		put_spark("open", v.open, v.n, f);
	if (v.any_missing > 0)
		put_spark("missing", v.missing, v.n, f);
}

void pv_stat_text(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	unsigned top = pv_stat_top(r);

	put_head(s, r, f);
	pv_stat_text_findings(s, r, top, f);
	put_kinds(s, f);
	put_requesters(s, top, f);
	pv_stat_text_devices(s, r, top, f);
	put_regions(s, top, f);
	pv_stat_text_bars(s, r, top, f);
	put_sizes(s, r, f);
	put_match(s, f);
	put_latency(s, r, f);
	put_time(s, r, f);
}
