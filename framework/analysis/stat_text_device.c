/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The findings and the figures of devices as text of 80 columns. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/stat_finding.h"
#include "framework/analysis/stat_text_internal.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"
#include "framework/util/wrap.h"

#define INDENT 2

/* ---- findings ---- */

/* Lists the rules that are not judged, by the missing input. */
static void put_unjudged(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	for (unsigned need = PV_NEED_NOTHING + 1; need < PV_NEEDS; need++) {
		_autofree_ char *words = NULL;
		size_t size = 0, n = 0;
		FILE *list = open_memstream(&words, &size);

		if (!list)
			return;
		fprintf(list, "judged %s:", pv_stat_need_texts[need]);
		for (size_t i = 0; i < PV_STAT_RULES; i++)
			if (pv_stat_rule(i)->need == need && !pv_stat_is_judged(s, r, pv_stat_rule(i)))
				fprintf(list, "%s %s", n++ ? "," : "", pv_stat_rule(i)->name);
		fclose(list);
		if (n)
			pv_put_wrapped(f, "not", words, INDENT);
	}
}

static bool is_listed(const struct pv_stat *s, uint16_t requester, unsigned top)
{
	for (unsigned i = 0; i < s->devices.n && i < top; i++)
		if (s->devices.of[i].requester == requester)
			return true;
	return false;
}

void pv_stat_text_findings(const struct pv_stat *s, const struct pv_stat_report *r, unsigned top, FILE *f)
{
	_autofree_ struct pv_stat_finding *found = calloc(PV_STAT_FINDINGS_MAX, sizeof(*found));
	size_t n = found ? pv_stat_find(s, r, found) : 0, shown = 0;

	if (s->devices.too_many)
		return;
	fputc('\n', f);
	for (; shown < n && is_listed(s, found[shown].requester, top); shown++) {
		_autofree_ char *words = NULL;

		if (asprintf(&words, "%s (%s)", found[shown].text, found[shown].rule->name) > 0)
			pv_put_wrapped(f, "*", words, INDENT);
	}
	if (n > shown)
		fprintf(f, "%zu more about other devices: see --top\n", n - shown);
	if (!n)
		fputs("nothing found by the rules of docs/trace.md\n", f);
	put_unjudged(s, r, f);
}

/* ---- figures ---- */

/* Formats a share: "72.7%", "-" if the whole is 0, "?" if it is unknown. */
static const char *share(bool known, uint64_t part, uint64_t whole, char buf[16])
{
	if (!known || !whole)
		return known ? "-" : "?";
	snprintf(buf, 16, "%.1f%%", pv_stat_percent(part, whole));
	return buf;
}

static void put_flow(const struct pv_stat *s, const struct pv_stat_device *d, unsigned kind, unsigned limit, FILE *f)
{
	const struct pv_stat_flow *w = &d->flow[kind];
	bool has_size = kind != PV_FLOW_OTHER, has_marks = kind <= PV_FLOW_READS;
	char bytes[16], mean[16] = "-", largest[16] = "-", wire[16], below[16], line[16], partial[16], relaxed[16];

	if (!w->tlps)
		return;
	if (has_size) {
		snprintf(mean, sizeof(mean), "%.1f", pv_stat_flow_mean(w));
		snprintf(largest, sizeof(largest), "%u", w->largest);
	}
	fprintf(f, " %-11s %9" PRIu64 " %8s %6s %5s %6s %6s %6s %6s %6s\n", pv_stat_flow_names[kind], w->tlps,
		pv_stat_bytes_text(w->bytes, bytes), mean, largest,
		kind == PV_FLOW_READS ? "-" : share(true, w->bytes, w->wire_bytes, wire),
		has_marks ? share(limit, limit ? pv_stat_flow_below(w, limit) : 0, w->tlps, below) : "-",
		has_marks ? share(s->has_regions, w->marks[PV_MARK_PART_LINE], w->tlps, line) : "-",
		has_marks ? share(s->has_regions, w->marks[PV_MARK_PARTIAL], w->tlps, partial) : "-",
		has_marks ? share(pv_stat_knows_relaxed(s), w->marks[PV_MARK_RELAXED], w->tlps, relaxed) : "-");
}

static void put_rate(const struct pv_stat *s, const struct pv_stat_report *r, const char *what,
		     const struct pv_stat_flow *w, double ceiling, FILE *f)
{
	double rate = pv_stat_per_second(s, r, w->bytes);
	char text[16], most[16];

	if (rate < 0 || !w->bytes)
		return;
	fprintf(f, " %s %s", what, pv_stat_rate_text(rate, text));
	if (ceiling > 0)
		fprintf(f, ", %.1f%% of the ceiling of %s", 100 * rate / ceiling, pv_stat_rate_text(ceiling, most));
	fputc('\n', f);
}

/* Prints the number of open requests of a device. */
static void put_open(const struct pv_stat *s, const struct pv_stat_device *d, FILE *f)
{
	unsigned tags = pv_stat_tags_used(s, d);
	double mean = pv_stat_mean_open(s, d);

	if (!tags)
		return;
	fprintf(f, " open requests: at most %u at once", pv_stat_most_open(s, d));
	if (mean >= 0)
		fprintf(f, ", mean %.2f", mean);
	fprintf(f, "; %u different tag%s", tags, tags == 1 ? "" : "s");
	if (d->requests > d->latency.answered)
		fprintf(f, "\n requests without their last completion: %" PRIu64, d->requests - d->latency.answered);
	fputc('\n', f);
}

static void put_latency(const struct pv_stat *s, const struct pv_stat_report *r, const struct pv_stat_device *d,
			FILE *f)
{
	const struct pv_latency *l = &d->latency;
	double mean = l->answered ? (double)l->sum / (double)l->answered : 0;
	_autofree_ char *words = NULL;
	char text[4][16];

	if (!l->answered || !s->time)
		return;
	if (asprintf(&words,
		     "of %" PRIu64 ": min %" PRIu64 ", mean %.1f, median %" PRIu64 ", 90%% %" PRIu64 ", 99%% %" PRIu64
		     ", max %" PRIu64 " ticks",
		     l->answered, l->min, mean, pv_latency_quantile(l, 0.5), pv_latency_quantile(l, 0.9),
		     pv_latency_quantile(l, 0.99), l->max) > 0)
		pv_put_wrapped(f, " latency", words, INDENT);
	if (r->tick_hz > 0)
		fprintf(f, " that is min %s, mean %s, 99%% %s, max %s\n",
			pv_stat_seconds_text((double)l->min, r->tick_hz, text[0]),
			pv_stat_seconds_text(mean, r->tick_hz, text[1]),
			pv_stat_seconds_text((double)pv_latency_quantile(l, 0.99), r->tick_hz, text[2]),
			pv_stat_seconds_text((double)l->max, r->tick_hz, text[3]));
}

/* Prints "0000:65:00.0 Ethernet controller: ..., 16GT/s x8, MPS 256, MRRS 512, 256 tags" */
static void put_device_head(const struct pv_stat_machine *m, uint16_t requester, FILE *f)
{
	const struct pv_stat_function *func = pv_stat_function_of(m, requester);
	_autofree_ char *words = NULL;
	size_t size = 0;
	FILE *list = open_memstream(&words, &size);
	char bdf[20];

	if (!list)
		return;
	if (m && (!func || func->ambiguous))
		fputs(func ? "(in several domains of the dump)" : "(not in the dump)", list);
	if (func && *func->name)
		fprintf(list, "%s", PV_SHOW(func->name));
	if (func && *func->link)
		fprintf(list, ", %s", func->link);
	if (func && func->mps)
		fprintf(list, ", MPS %u, MRRS %u, %u tags", func->mps, func->mrrs, func->tags);
	fclose(list);
	pv_put_wrapped(f, pv_stat_function_bdf(m, requester, bdf), words, INDENT);
}

void pv_stat_text_devices(const struct pv_stat *s, const struct pv_stat_report *r, unsigned top, FILE *f)
{
	if (s->devices.too_many) {
		fprintf(f, "\nfigures of single devices: more than %d requesters; choose some by --where\n",
			PV_STAT_DEVICES);
		return;
	}
	if (!s->devices.n)
		return;
	fprintf(f, "\n%-12s %9s %8s %6s %5s %6s %6s %6s %6s %6s\n", "device", "TLPs", "bytes", "mean", "most", "wire",
		"<limit", "part64", "BE off", "RO");
	for (unsigned i = 0; i < s->devices.n && i < top; i++) {
		const struct pv_stat_device *d = &s->devices.of[i];
		const struct pv_stat_function *func = pv_stat_function_of(r->machine, d->requester);
		unsigned mps = r->mps ? r->mps : func ? func->mps : 0, mrrs = r->mrrs ? r->mrrs : func ? func->mrrs : 0;

		put_device_head(r->machine, d->requester, f);
		for (unsigned kind = 0; kind < PV_FLOWS; kind++)
			put_flow(s, d, kind, kind == PV_FLOW_READS ? mrrs : mps, f);
		put_rate(s, r, "writes", &d->flow[PV_FLOW_WRITES], func ? func->write_ceiling : 0, f);
		put_rate(s, r, "reads", &d->flow[PV_FLOW_COMPLETIONS], func ? func->read_ceiling : 0, f);
		put_latency(s, r, d, f);
		put_open(s, d, f);
	}
	fputs("wire: payload, of header, payload and framing; <limit: below MPS or MRRS;\n"
	      "part64: begins or ends within 64 bytes; BE off: bytes not enabled; ?: unknown\n",
	      f);
}

/* ---- BARs ---- */

void pv_stat_text_bars(const struct pv_stat *s, const struct pv_stat_report *r, unsigned top, FILE *f)
{
	char bdf[20], written[16], asked[16], rate[16] = "";

	if (!s->has_bars)
		return;
	fprintf(f, "\n%-18s %10s %8s %6s %5s %9s %8s %9s\n", "to a device's BAR", "writes", "bytes", "mean", "most",
		r->tick_hz > 0 && s->span ? "rate" : "", "reads", "ask for");
	for (size_t i = 0; i < s->bars.n && i < top; i++) {
		const struct pv_stat_bar_use *u = &s->bars.of[i];
		double mean = u->writes ? (double)u->write_bytes / (double)u->writes : 0;
		double per_second = pv_stat_per_second(s, r, u->write_bytes);

		if (per_second >= 0)
			pv_stat_rate_text(per_second, rate);
		fprintf(f, "%-12s BAR %u %11" PRIu64 " %8s %6.1f %5u %9s %8" PRIu64 " %9s\n",
			pv_stat_function_bdf(r->machine, u->bar.function, bdf), u->bar.number, u->writes,
			pv_stat_bytes_text(u->write_bytes, written), mean, u->largest_write, rate, u->reads,
			pv_stat_bytes_text(u->asked_bytes, asked));
	}
	if (s->bars.n > top)
		fprintf(f, "and %zu more\n", s->bars.n - top);
	if (!s->bars.n)
		fputs("no memory request is to a BAR of the dump\n", f);
}
