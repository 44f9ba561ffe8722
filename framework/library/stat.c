/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libpcieval: statistics by device, and findings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/stat_finding.h"
#include "framework/library/library_internal.h"

struct pcieval_stat {
	struct pv_stat *stat;
	struct pv_stat_machine machine;
	struct pv_stat_report report;
	char how[PV_STAT_HOW_TEXT];
	struct pv_stat_finding *found; /* NULL: not looked for yet */
	size_t n_found;
	struct pv_timeline over_time; /* in few bins */
	double open[PV_TIMELINE_BINS];
};

_Static_assert((int)PV_STAT_OCTAVES == 11, "sizes of a flow");
_Static_assert(sizeof(struct pcieval_flow) == 232 && sizeof(struct pcieval_device) == 1112 &&
		       sizeof(struct pcieval_bin) == 112 && sizeof(struct pcieval_bar) == 144,
	       "the sizes of structs in libpcieval.so.0");
_Static_assert(sizeof(((struct pcieval_finding *)0)->text) >= sizeof(((struct pv_stat_finding *)0)->text),
	       "texts of findings are copied whole");

/* ---- counting ---- */

int pcieval_trace_bar(struct pcieval_trace *trace, uint16_t function, unsigned bar, uint64_t address, uint64_t size)
{
	struct pv_stat_bar *all;

	if (bar > 5 || !size || address > UINT64_MAX - (size - 1))
		return -EINVAL;
	if (trace->is_read)
		return -EBUSY;
	all = realloc(trace->bars, (trace->n_bars + 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	trace->bars = all;
	all[trace->n_bars++] = (struct pv_stat_bar){function, (uint8_t)bar, address, size};
	return 0;
}

static void fill_bins(struct pcieval_stat *s)
{
	s->over_time = s->stat->timeline;
	pv_timeline_coarsen(&s->over_time, PV_TIMELINE_SHOWN);
	pv_timeline_open(&s->over_time, s->open);
}

struct pcieval_stat *pcieval_stat_run(struct pcieval_trace *trace, unsigned threads, struct pcieval_error *error)
{
	const struct pv_stat_options o = {.where = &trace->where,
					  .jobs = threads,
					  .bars = trace->bars,
					  .n_bars = pv_stat_bars_sort(trace->bars, trace->n_bars)};
	struct pcieval_stat *s = calloc(1, sizeof(*s));
	struct pv_error e = {0};

	if (!s)
		pv_error(&e, -ENOMEM, "no memory");
	else if (trace->is_read)
		pv_error(&e, -EBUSY, "records were read before they could be counted");
	else
		s->stat = pv_stat_run(trace->reader, &o, &e);
	trace->is_read = true;
	if (s && s->stat) {
		fill_bins(s);
		return s;
	}
	pv_library_error(error, &e);
	free(s);
	return NULL;
}

void pcieval_stat_free(struct pcieval_stat *stat)
{
	if (!stat)
		return;
	pv_stat_free(stat->stat);
	free(stat->machine.functions);
	free(stat->found);
	free(stat);
}

/* ---- figures ---- */

uint64_t pcieval_stat_ticks(const struct pcieval_stat *stat)
{
	return stat->stat->time ? stat->stat->span : PCIEVAL_NOT_KNOWN;
}

int pcieval_stat_devices(const struct pcieval_stat *stat)
{
	return stat->stat->devices.too_many ? -E2BIG : (int)stat->stat->devices.n;
}

static struct pcieval_flow flow_of(const struct pv_stat *s, const struct pv_stat_device *d, enum pv_stat_flow_kind kind)
{
	const struct pv_stat_flow *f = &d->flow[kind];
	bool known = kind <= PV_FLOW_READS && s->has_regions;
	struct pcieval_flow out = {
		.tlps = f->tlps,
		.bytes = f->bytes,
		.wire_bytes = f->wire_bytes,
		.largest_bytes = f->largest,
		.partial_enables = known ? f->marks[PV_MARK_PARTIAL] : PCIEVAL_NOT_KNOWN,
		.off_64 = known ? f->marks[PV_MARK_OFF_64] : PCIEVAL_NOT_KNOWN,
		.part_of_64 = known ? f->marks[PV_MARK_PART_LINE] : PCIEVAL_NOT_KNOWN,
		.off_4096 = known ? f->marks[PV_MARK_OFF_4K] : PCIEVAL_NOT_KNOWN,
		.cross_4096 = known ? f->marks[PV_MARK_CROSS_4K] : PCIEVAL_NOT_KNOWN,
		.relaxed_ordering = known && pv_stat_knows_relaxed(s) ? f->marks[PV_MARK_RELAXED] : PCIEVAL_NOT_KNOWN,
	};

	memcpy(out.sizes, f->sizes, sizeof(out.sizes));
	return out;
}

int pcieval_stat_device(const struct pcieval_stat *stat, unsigned i, struct pcieval_device *device)
{
	const struct pv_stat *s = stat->stat;
	const struct pv_stat_device *d = &s->devices.of[i];
	bool has_latency, is_matched = pv_stat_knows_tags(s);

	if (i >= s->devices.n)
		return -EINVAL;
	has_latency = s->time && d->latency.answered;
	*device = (struct pcieval_device){
		.writes = flow_of(s, d, PV_FLOW_WRITES),
		.reads = flow_of(s, d, PV_FLOW_READS),
		.completions = flow_of(s, d, PV_FLOW_COMPLETIONS),
		.other = flow_of(s, d, PV_FLOW_OTHER),
		.tlps = d->tlps,
		.wire_bytes = pv_stat_device_wire_bytes(d),
		.answered = d->latency.answered,
		.latency_min = has_latency ? d->latency.min : PCIEVAL_NOT_KNOWN,
		.latency_max = has_latency ? d->latency.max : PCIEVAL_NOT_KNOWN,
		.latency_sum = has_latency ? d->latency.sum : PCIEVAL_NOT_KNOWN,
		.mean_open = pv_stat_mean_open(s, d),
		.requester = d->requester,
		.tags_used = (uint16_t)pv_stat_tags_used(s, d),
		.most_open = is_matched ? d->latency.most_open : PCIEVAL_NOT_KNOWN,
		.unanswered = is_matched ? d->requests - d->latency.answered : PCIEVAL_NOT_KNOWN,
	};
	return 0;
}

uint64_t pcieval_stat_latency(const struct pcieval_stat *stat, unsigned i, double quantile)
{
	const struct pv_stat *s = stat->stat;

	if (i >= s->devices.n || !s->time || !s->devices.of[i].latency.answered || !(quantile >= 0 && quantile <= 1))
		return PCIEVAL_NOT_KNOWN;
	return pv_latency_quantile(&s->devices.of[i].latency, quantile);
}

unsigned pcieval_stat_bars(const struct pcieval_stat *stat)
{
	return (unsigned)stat->stat->bars.n;
}

int pcieval_stat_bar(const struct pcieval_stat *stat, unsigned i, struct pcieval_bar *bar)
{
	const struct pv_stat_bar_use *u;

	if (i >= stat->stat->bars.n)
		return -EINVAL;
	u = &stat->stat->bars.of[i];
	*bar = (struct pcieval_bar){
		.address = u->bar.address,
		.size = u->bar.size,
		.writes = u->writes,
		.write_bytes = u->write_bytes,
		.largest_write = u->largest_write,
		.reads = u->reads,
		.asked_bytes = u->asked_bytes,
		.largest_read = u->largest_read,
		.others = u->others,
		.function = u->bar.function,
		.number = u->bar.number,
	};
	return 0;
}

unsigned pcieval_stat_bins(const struct pcieval_stat *stat, uint64_t *ticks)
{
	if (ticks)
		*ticks = stat->stat->time ? (uint64_t)1 << stat->over_time.shift : 0;
	return stat->stat->time ? (unsigned)stat->over_time.used : 0;
}

int pcieval_stat_bin(const struct pcieval_stat *stat, unsigned i, struct pcieval_bin *bin)
{
	const struct pv_timeline *t = &stat->over_time;

	if (i >= pcieval_stat_bins(stat, NULL))
		return -EINVAL;
	*bin = (struct pcieval_bin){
		.tlps = t->sum[i][PV_TIMELINE_TLPS],
		.posted_bytes = 4 * t->sum[i][PV_TIMELINE_POSTED_DW],
		.completion_bytes = 4 * t->sum[i][PV_TIMELINE_CPL_DW],
		.asked_bytes = 4 * t->sum[i][PV_TIMELINE_READ_DW],
		.open = stat->open[i],
		.records_missing = t->lost[i],
	};
	return 0;
}

/* ---- what the caller knows ---- */

/* Findings are looked for anew. */
static void forget_findings(struct pcieval_stat *s)
{
	free(s->found);
	s->found = NULL;
	s->n_found = 0;
}

/* The function of a requester, made if needed. NULL: no memory. */
static struct pv_stat_function *function_of(struct pv_stat_machine *m, uint16_t requester)
{
	struct pv_stat_function *all;

	for (size_t i = 0; i < m->n; i++)
		if (m->functions[i].requester == requester)
			return &m->functions[i];
	all = realloc(m->functions, (m->n + 1) * sizeof(*all));
	if (!all)
		return NULL;
	m->functions = all;
	all[m->n++] = (struct pv_stat_function){.requester = requester};
	pv_stat_functions_sort(all, m->n);
	return function_of(m, requester);
}

#define COPY_TEXT(to, from) memcpy(to, from, strnlen(from, sizeof(to) - 1))

int pcieval_stat_set_function(struct pcieval_stat *stat, uint16_t requester, const struct pcieval_function *f)
{
	struct pv_stat_function *to = function_of(&stat->machine, requester);

	if (!to)
		return -ENOMEM;
	*to = (struct pv_stat_function){.requester = requester,
					.is_host = f->is_host,
					.mps = f->mps,
					.mrrs = f->mrrs,
					.tags = f->tags,
					.relaxed = f->relaxed,
					.write_ceiling = f->write_ceiling,
					.read_ceiling = f->read_ceiling};
	COPY_TEXT(to->bdf, f->bdf);
	COPY_TEXT(to->name, f->name);
	COPY_TEXT(to->link, f->link);
	stat->report.machine = &stat->machine;
	forget_findings(stat);
	return 0;
}

int pcieval_stat_set_tick(struct pcieval_stat *stat, double ticks_per_second)
{
	if (!(ticks_per_second > 0))
		return -EINVAL;
	stat->report.tick_hz = ticks_per_second;
	forget_findings(stat);
	return 0;
}

double pcieval_stat_set_rate(struct pcieval_stat *stat, double bytes_per_second)
{
	if (!(bytes_per_second > 0))
		return 0;
	stat->report.tick_hz = pv_stat_hz_of_rate(stat->stat, bytes_per_second, stat->how);
	forget_findings(stat);
	return stat->report.tick_hz;
}

double pcieval_stat_per_second(const struct pcieval_stat *stat, uint64_t bytes)
{
	return pv_stat_per_second(stat->stat, &stat->report, bytes);
}

/* ---- findings ---- */

int pcieval_stat_findings(struct pcieval_stat *stat)
{
	forget_findings(stat);
	stat->found = calloc(PV_STAT_FINDINGS_MAX, sizeof(*stat->found));
	if (!stat->found)
		return -ENOMEM;
	stat->n_found = pv_stat_find(stat->stat, &stat->report, stat->found);
	return (int)stat->n_found;
}

static struct pcieval_rule rule_of(const struct pv_stat_rule *r)
{
	return (struct pcieval_rule){r->name, r->threshold, r->unit, r->figure, r->why, r->document};
}

int pcieval_stat_finding(const struct pcieval_stat *stat, unsigned i, struct pcieval_finding *finding)
{
	if (i >= stat->n_found)
		return -EINVAL;
	*finding = (struct pcieval_finding){.rule = rule_of(stat->found[i].rule),
					    .value = stat->found[i].value,
					    .requester = stat->found[i].requester};
	memcpy(finding->text, stat->found[i].text, sizeof(stat->found[i].text));
	return 0;
}

int pcieval_stat_rule(const struct pcieval_stat *stat, unsigned i, struct pcieval_rule *rule)
{
	if (i >= PV_STAT_RULES)
		return -EINVAL;
	*rule = rule_of(pv_stat_rule(i));
	return pv_stat_is_judged(stat->stat, &stat->report, pv_stat_rule(i));
}
