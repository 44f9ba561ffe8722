/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of the findings and their sentences: see stat_finding.h. */
#include "framework/analysis/stat_finding.h"

#include <inttypes.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/hint.h"

const char *const pv_stat_need_texts[PV_NEEDS] = {
	[PV_NEED_NOTHING] = "",
	[PV_NEED_ADDRESSES] = "with --no-ranges",
	[PV_NEED_SIZES] = "without --machine, or --mps and --mrrs",
	[PV_NEED_RELAXED] = "without --machine and 8DW records, or with --no-ranges",
	[PV_NEED_TAGS] = "without --machine and matching",
	[PV_NEED_LATENCIES] = "without --machine, times, and requests that are answered in the trace",
	[PV_NEED_SECONDS] = "without --machine and --tick-hz or --rate",
};

/* The subject of a judgement: a device, with all its known properties. */
struct subject {
	const struct pv_stat *stat;
	const struct pv_stat_report *report;
	const struct pv_stat_device *device;
	const struct pv_stat_function *function; /* NULL: the dump does not contain it */
	unsigned mps, mrrs;			 /* 0: unknown */
	char name[96];				 /* "Ethernet controller 0000:65:00.0" */
};

/* Writes the sentence of a finding, and returns the figure; UNKNOWN is below every threshold. */
typedef double rule_fn(const struct subject *s, char *text, size_t n);

#define ENOUGH_READS 4
#define UNKNOWN	     (-1.0)
#define IMPOSSIBLE   1.05 /* share of a ceiling that no link can exceed, as the ceiling has only unavoidable overhead */

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* Writes "64-byte TLPs", or "TLPs of 71.3 bytes on average". */
static const char *size_text(const struct pv_stat_flow *f, char buf[48])
{
	if (f->bytes == f->tlps * f->largest)
		snprintf(buf, 48, "%u-byte TLPs", f->largest);
	else
		snprintf(buf, 48, "TLPs of %.1f bytes on average", pv_stat_flow_mean(f));
	return buf;
}

static double overhead(const struct pv_stat_flow *f)
{
	return f->tlps ? pv_stat_percent(f->wire_bytes - f->bytes, f->wire_bytes) : UNKNOWN;
}

static double small_writes(const struct subject *s, char *text, size_t n)
{
	const struct pv_stat_flow *f = &s->device->flow[PV_FLOW_WRITES];
	char size[48];

	snprintf(text, n, "%s writes %s: %.0f %% of their wire bytes are overhead", s->name, size_text(f, size),
		 overhead(f));
	return overhead(f);
}

static double small_completions(const struct subject *s, char *text, size_t n)
{
	const struct pv_stat_flow *f = &s->device->flow[PV_FLOW_COMPLETIONS];
	char size[48];

	snprintf(text, n, "%s gets what it reads in %s: %.0f %% of their wire bytes are overhead", s->name,
		 size_text(f, size), overhead(f));
	return overhead(f);
}

static double small_reads(const struct subject *s, char *text, size_t n)
{
	const struct pv_stat_flow *f = &s->device->flow[PV_FLOW_READS];
	double value = percent((double)f->wire_bytes, (double)f->bytes);

	snprintf(text, n,
		 "%s asks for %.0f bytes at a time: its read requests take %.0f %% of the bytes that they ask for",
		 s->name, pv_stat_flow_mean(f), value);
	return f->tlps ? value : UNKNOWN;
}

static double above(const struct subject *s, const struct pv_stat_flow *f, const char *what, const char *limit_name,
		    unsigned limit, char *text, size_t n)
{
	snprintf(text, n, "%s %s up to %u bytes, above its %s of %u", s->name, what, f->largest, limit_name, limit);
	return limit ? (double)f->largest - limit : UNKNOWN;
}

static double above_mps(const struct subject *s, char *text, size_t n)
{
	return above(s, &s->device->flow[PV_FLOW_WRITES], "writes TLPs of", "MPS", s->mps, text, n);
}

static double above_mrrs(const struct subject *s, char *text, size_t n)
{
	return above(s, &s->device->flow[PV_FLOW_READS], "asks for", "MRRS", s->mrrs, text, n);
}

static double unused(const struct subject *s, const struct pv_stat_flow *f, const char *what, const char *limit_name,
		     unsigned limit, char *text, size_t n)
{
	snprintf(text, n, "%s never %s more than %u bytes, although its %s is %u", s->name, what, f->largest,
		 limit_name, limit);
	return limit && f->largest ? (double)limit / f->largest : UNKNOWN;
}

static double mps_unused(const struct subject *s, char *text, size_t n)
{
	return unused(s, &s->device->flow[PV_FLOW_WRITES], "writes", "MPS", s->mps, text, n);
}

static double mrrs_unused(const struct subject *s, char *text, size_t n)
{
	return unused(s, &s->device->flow[PV_FLOW_READS], "asks for", "MRRS", s->mrrs, text, n);
}

/* A device without any write of full size has the finding mps-unused instead. */
static double below_mps(const struct subject *s, char *text, size_t n)
{
	const struct pv_stat_flow *f = &s->device->flow[PV_FLOW_WRITES];
	double value = s->mps ? pv_stat_percent(pv_stat_flow_below(f, s->mps), f->tlps) : UNKNOWN;

	snprintf(text, n, "%s writes %.0f %% of its TLPs with less than its MPS of %u bytes", s->name, value, s->mps);
	return f->largest < s->mps ? UNKNOWN : value;
}

static double partial_enables(const struct subject *s, char *text, size_t n)
{
	const struct pv_stat_flow *f = &s->device->flow[PV_FLOW_WRITES];
	double value = pv_stat_percent(f->marks[PV_MARK_PARTIAL], f->tlps);

	snprintf(text, n, "%s writes %.0f %% of its TLPs with some bytes not enabled", s->name, value);
	return value;
}

static double part_lines(const struct subject *s, char *text, size_t n)
{
	const struct pv_stat_flow *f = &s->device->flow[PV_FLOW_WRITES];
	double value = pv_stat_percent(f->marks[PV_MARK_PART_LINE], f->tlps);

	snprintf(text, n, "%s begins or ends %.0f %% of its writes within a 64-byte line (%.0f %% begin there)",
		 s->name, value, pv_stat_percent(f->marks[PV_MARK_OFF_64], f->tlps));
	return value;
}

static double crosses_4k(const struct subject *s, char *text, size_t n)
{
	uint64_t value = s->device->flow[PV_FLOW_WRITES].marks[PV_MARK_CROSS_4K] +
			 s->device->flow[PV_FLOW_READS].marks[PV_MARK_CROSS_4K];

	snprintf(text, n,
		 "%s sends %" PRIu64 " request%s across a border of 4 KiB: receivers may take %s for malformed",
		 s->name, value, value == 1 ? "" : "s", value == 1 ? "it" : "them");
	return (double)value;
}

static double relaxed_unused(const struct subject *s, char *text, size_t n)
{
	const struct pv_stat_flow *w = &s->device->flow[PV_FLOW_WRITES], *r = &s->device->flow[PV_FLOW_READS];
	uint64_t all = w->tlps + r->tlps, relaxed = w->marks[PV_MARK_RELAXED] + r->marks[PV_MARK_RELAXED];

	snprintf(text, n, "%s may use relaxed ordering, and none of its memory requests does", s->name);
	return all && s->function && s->function->relaxed ? pv_stat_percent(all - relaxed, all) : UNKNOWN;
}

static double tags_in_use(const struct subject *s, char *text, size_t n)
{
	double open = pv_stat_mean_open(s->stat, s->device);

	if (!s->function || !s->function->tags || open < 0)
		return UNKNOWN;
	snprintf(text, n, "%s has %.1f of its %u tags in use on average: reads wait for tags", s->name, open,
		 s->function->tags);
	return percent(open, s->function->tags);
}

/* Requires enough reads for each tag to be used several times. */
static double few_tags(const struct subject *s, char *text, size_t n)
{
	unsigned used = pv_stat_tags_used(s->stat, s->device), tags = s->function ? s->function->tags : 0;

	if (!used || !tags || s->device->flow[PV_FLOW_READS].tlps < ENOUGH_READS * (uint64_t)tags)
		return UNKNOWN;
	snprintf(text, n, "%s uses %u of its %u tags: no more reads wait at once", s->name, used, tags);
	return (double)tags / used;
}

static double link_is_full(const struct subject *s, enum pv_stat_flow_kind kind, double ceiling, char *text, size_t n)
{
	const struct pv_stat_flow *f = &s->device->flow[kind];
	double rate = pv_stat_per_second(s->stat, s->report, f->bytes);
	char buf[16];

	if (rate < 0 || ceiling <= 0)
		return UNKNOWN;
	snprintf(text, n, "%s %s at %s, %.0f %% of the most that its link (%s) carries: %s", s->name,
		 kind == PV_FLOW_WRITES ? "writes" : "reads", pv_stat_rate_text(rate, buf), percent(rate, ceiling),
		 s->function->link,
		 rate > IMPOSSIBLE * ceiling ? "the tick, or the dump, is not that of the trace"
					     : "the link is the limit");
	return percent(rate, ceiling);
}

static double link_bound_writes(const struct subject *s, char *text, size_t n)
{
	return link_is_full(s, PV_FLOW_WRITES, s->function ? s->function->write_ceiling : 0, text, n);
}

static double link_bound_reads(const struct subject *s, char *text, size_t n)
{
	return link_is_full(s, PV_FLOW_COMPLETIONS, s->function ? s->function->read_ceiling : 0, text, n);
}

#define OVERHEAD "PCIe 5.0 2.2, 3.6, 4.2 (hardware notes F-T1)"

/*
 * A rule; the flow whose share of the wire decides whether it is judged (PV_FLOWS: all); and one or two figures, of
 * which the larger one counts.
 */
static const struct entry {
	struct pv_stat_rule rule;
	enum pv_stat_flow_kind flow;
	bool not_of_host; /* does not apply to writes by the host, which go to devices */
	rule_fn *fn[2];
} entries[PV_STAT_RULES] = {
	{{"small-writes", 25, "%", 1, PV_NEED_NOTHING, "headers and framing of writes, of their wire bytes",
	  "20 to 24 bytes go with every TLP. A quarter is reached at a mean of 72 bytes; 256 bytes have 9 %.",
	  OVERHEAD},
	 PV_FLOW_WRITES,
	 false,
	 {small_writes}},
	{{"small-completions", 20, "%", 1, PV_NEED_NOTHING, "headers and framing of completions, of their wire bytes",
	  "20 bytes go with every completion. A fifth is reached at 80 bytes: completions cut at each RCB of 64 bytes "
	  "have 24 %, those of 256 bytes 7 %.",
	  "PCIe 5.0 2.3.1.1 (hardware notes F-T1)"},
	 PV_FLOW_COMPLETIONS,
	 true,
	 {small_completions}},
	{{"small-reads", 20, "%", 1, PV_NEED_NOTHING, "wire bytes of read requests, of the bytes that they ask for",
	  "A request of 20 or 24 bytes goes with every read, and a tag. A fifth is reached at 120 bytes; 512 bytes "
	  "have "
	  "5 %.",
	  OVERHEAD},
	 PV_FLOW_READS,
	 true,
	 {small_reads}},
	{{"above-mps", 4, "bytes", 0, PV_NEED_SIZES, "the largest write above MPS",
	  "One DW above it is too much: a receiver with this MPS drops the TLP as malformed.", "PCIe 5.0 2.2.2"},
	 PV_FLOW_WRITES,
	 false,
	 {above_mps}},
	{{"above-mrrs", 4, "bytes", 0, PV_NEED_SIZES, "the largest read request above MRRS",
	  "One DW above it is more than the device may ask for.", "PCIe 5.0 2.2.7, 7.5.3.4"},
	 PV_FLOW_READS,
	 false,
	 {above_mrrs}},
	{{"mps-unused", 2, "times", 1, PV_NEED_SIZES, "MPS, of the largest write",
	  "Half of what is configured is never used: the device, or its driver, cuts its writes smaller.",
	  "PCIe 5.0 7.5.3.4"},
	 PV_FLOW_WRITES,
	 true,
	 {mps_unused}},
	{{"mrrs-unused", 2, "times", 1, PV_NEED_SIZES, "MRRS, of the largest read request",
	  "Half of what is configured is never used: reads take twice the requests and tags.", "PCIe 5.0 7.5.3.4"},
	 PV_FLOW_READS,
	 true,
	 {mrrs_unused}},
	{{"below-mps", 50, "%", 1, PV_NEED_SIZES, "writes with less than MPS, of all writes",
	  "Most writes do not use what the link allows. Writes of less than a page have a last TLP that is short: of "
	  "4096 bytes with MPS 256 none, of 1500 bytes every sixth.",
	  "PCIe 5.0 2.2.2"},
	 PV_FLOW_WRITES,
	 true,
	 {below_mps}},
	{{"partial-enables", 5, "%", 1, PV_NEED_ADDRESSES, "writes with bytes that are not enabled, of all writes",
	  "The host merges such a write with the line in memory. One of twenty is more than first and last TLPs of "
	  "buffers explain.",
	  "PCIe 5.0 2.2.5"},
	 PV_FLOW_WRITES,
	 true,
	 {partial_enables}},
	{{"part-lines", 25, "%", 1, PV_NEED_ADDRESSES, "writes that begin or end within 64 bytes, of all writes",
	  "The host merges such a write with the line in memory, as a rule of 64 bytes. Align buffers and pad "
	  "descriptors to 64 bytes.",
	  "PCIe 5.0 2.2.7 (the size of a line is the host's)"},
	 PV_FLOW_WRITES,
	 true,
	 {part_lines}},
	{{"crosses-4k", 1, "TLP", 0, PV_NEED_ADDRESSES, "requests across a border of 4 KiB",
	  "One is too much: no request may cross such a border.", "PCIe 5.0 2.2.7"},
	 PV_FLOW_WRITES,
	 false,
	 {crosses_4k}},
	{{"relaxed-unused", 100, "%", 1, PV_NEED_RELAXED, "memory requests without relaxed ordering, of all",
	  "Enable Relaxed Ordering is set. Where the host orders writes of different devices, strict ones wait.",
	  "PCIe 5.0 2.4.1, 7.5.3.4"},
	 PV_FLOWS,
	 true,
	 {relaxed_unused}},
	{{"tags-in-use", 80, "%", 0, PV_NEED_LATENCIES, "mean of open requests, of the tags that the device may use",
	  "Above four fifths on average, no tag is free much of the time: bytes in flight over latency is the most "
	  "that "
	  "it reads. Extended or 10-bit tags, or a larger MRRS, help.",
	  "PCIe 5.0 2.2.6.2"},
	 PV_FLOWS,
	 true,
	 {tags_in_use}},
	{{"few-tags", 2, "times", 1, PV_NEED_TAGS, "tags that the device may use, of the different ones that it used",
	  "At most as many reads are open as tags are used, and bytes in flight over latency is the most that it "
	  "reads. "
	  "Not judged below four reads for each tag that it may use.",
	  "PCIe 5.0 2.2.6.2"},
	 PV_FLOW_READS,
	 true,
	 {few_tags}},
	{{"link-bound", 80, "%", 1, PV_NEED_SECONDS, "payload per second, of the ceiling of the slowest link",
	  "Measured machines reach 82 to 95 % of the ceiling: nothing but a faster link helps.", "hardware notes F-T3"},
	 PV_FLOWS,
	 true,
	 {link_bound_writes, link_bound_reads}},
};

const struct pv_stat_rule *pv_stat_rule(size_t i)
{
	return &entries[i].rule;
}

/* Makes "Ethernet controller 0000:65:00.0": the class is the part of the name before its colon. */
static void fill_name(struct subject *s)
{
	const char *name = s->function ? s->function->name : "", *end = strstr(name, ": ");
	char class[48] = "", bdf[20];

	if (end && (size_t)(end - name) < sizeof(class))
		snprintf(class, sizeof(class), "%.*s ", (int)(end - name), name);
	snprintf(s->name, sizeof(s->name), "%s%s", *class ? PV_SHOW(class) : "",
		 pv_stat_function_bdf(s->report->machine, s->device->requester, bdf));
}

static struct subject subject_of(const struct pv_stat *stat, const struct pv_stat_report *r,
				 const struct pv_stat_device *d)
{
	struct subject s = {.stat = stat, .report = r, .device = d};

	s.function = pv_stat_function_of(r->machine, d->requester);
	s.mps = r->mps ? r->mps : s.function ? s.function->mps : 0;
	s.mrrs = r->mrrs ? r->mrrs : s.function ? s.function->mrrs : 0;
	fill_name(&s);
	return s;
}

bool pv_stat_is_judged(const struct pv_stat *s, const struct pv_stat_report *r, const struct pv_stat_rule *rule)
{
	if (s->devices.too_many)
		return false;
	switch (rule->need) {
	case PV_NEED_ADDRESSES:
		return s->has_regions;
	case PV_NEED_SIZES:
		return r->machine || (r->mps && r->mrrs);
	case PV_NEED_RELAXED:
		return r->machine && pv_stat_knows_relaxed(s);
	case PV_NEED_TAGS:
		return r->machine && pv_stat_knows_tags(s);
	case PV_NEED_LATENCIES:
		return r->machine && pv_stat_knows_tags(s) && s->time && s->match.answered;
	case PV_NEED_SECONDS:
		return r->machine && s->time && s->span && r->tick_hz > 0;
	default:
		return true;
	}
}

static bool is_worth_it(const struct subject *s, const struct entry *e, uint64_t wire)
{
	uint64_t part = e->flow < PV_FLOWS ? s->device->flow[e->flow].wire_bytes : pv_stat_device_wire_bytes(s->device);

	if (e->not_of_host && s->function && s->function->is_host)
		return false;
	return pv_stat_percent(part, wire) >= e->rule.least;
}

/* Judges a rule. Returns true, and fills *out, if there is a finding. */
static bool judge(const struct subject *s, const struct entry *e, struct pv_stat_finding *out)
{
	char text[sizeof(out->text)];
	bool found = false;

	*out = (struct pv_stat_finding){.rule = &e->rule, .requester = s->device->requester};
	for (size_t i = 0; i < ARRAY_SIZE(e->fn) && e->fn[i]; i++) {
		double value = e->fn[i](s, text, sizeof(text));

		if (value < e->rule.threshold || (found && value <= out->value))
			continue;
		found = true;
		out->value = value;
		memcpy(out->text, text, sizeof(text));
	}
	return found;
}

size_t pv_stat_find(const struct pv_stat *s, const struct pv_stat_report *r, struct pv_stat_finding *out)
{
	uint64_t wire = pv_stat_wire_bytes(s);
	size_t n = 0;

	for (unsigned i = 0; i < s->devices.n; i++) {
		struct subject subject = subject_of(s, r, &s->devices.of[i]);

		for (size_t rule = 0; rule < PV_STAT_RULES; rule++)
			if (pv_stat_is_judged(s, r, &entries[rule].rule) && is_worth_it(&subject, &entries[rule], wire))
				n += judge(&subject, &entries[rule], &out[n]);
	}
	return n;
}
