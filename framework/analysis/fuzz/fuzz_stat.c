/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes statistics of any bytes as a trace. They must equal a count over the records, on one thread and on two.
 * Records selected by an expression plus those left out must be all records. The reports must be valid text, JSON and
 * HTML.
 */
#include <json-c/json.h>

#include "framework/analysis/report.h"
#include "framework/trace/fuzz/walk.h"

#define STREAMS_MATCHED 16 /* further streams are not matched */

static struct pv_stat *stat_of(const uint8_t *data, size_t size, const struct pv_stat_options *o)
{
	struct pv_trace *t = pv_trace_open_memory(data, size, NULL);
	struct pv_stat *s = pv_stat_run(t, o, NULL);

	fuzz_check(s);
	pv_trace_close(t);
	return s;
}

/* Compares members one by one: unused places may differ with the number of threads. */
static void check_same(const struct pv_stat *a, const struct pv_stat *b)
{
	fuzz_check(!memcmp(a->records, b->records, sizeof(a->records)) && a->bytes == b->bytes);
	fuzz_check(a->left_out == b->left_out && a->span == b->span && a->problems == b->problems);
	fuzz_check(a->streams == b->streams && !memcmp(a->sizes, b->sizes, sizeof(a->sizes)));
	fuzz_check(!memcmp(a->requesters, b->requesters, sizeof(a->requesters)));
	fuzz_check(!memcmp(&a->timeline, &b->timeline, sizeof(a->timeline)));
	fuzz_check(!memcmp(&a->match, &b->match, sizeof(a->match)));
	fuzz_check(a->devices.too_many == b->devices.too_many && a->devices.n == b->devices.n);
	fuzz_check(!memcmp(a->devices.of, b->devices.of, a->devices.n * sizeof(*a->devices.of)));
	fuzz_check(a->regions.n == b->regions.n && a->regions.shift == b->regions.shift);
	fuzz_check(!memcmp(a->regions.table, b->regions.table, a->regions.n * sizeof(*a->regions.table)));
}

/* ---- against a count ---- */

struct counted {
	uint64_t records[3], bytes, kinds[PV_TLP_KINDS], payload[PV_TLP_KINDS], asked[PV_TLP_KINDS];
	uint64_t requesters, regions, nonposted, completions, status[8];
	uint64_t requester_tlps, requester_dw, region_dw, span;
};

static bool is_read(enum pv_tlp_kind k)
{
	return (k >= PV_TLP_MRD32 && k <= PV_TLP_MRDLK64) || k == PV_TLP_IORD || k == PV_TLP_CFGRD0 ||
	       k == PV_TLP_CFGRD1;
}

static void count_record(struct counted *c, const struct pv_trace_record *r)
{
	const struct pv_tlp *p = &r->record.tlp;
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[p->kind];

	c->records[r->record.format]++;
	c->bytes += pv_record_bytes(r->record.format);
	c->kinds[p->kind]++;
	c->payload[p->kind] += k->has_data ? 4ull * p->length_dw : 0;
	c->asked[p->kind] += is_read(p->kind) ? 4ull * p->length_dw : 0;
	c->nonposted += k->cls == PV_CLASS_NONPOSTED;
	c->completions += k->cls == PV_CLASS_COMPLETION;
	if (k->cls == PV_CLASS_COMPLETION)
		c->status[p->status]++;
	c->regions += k->has_address;
	c->requesters += p->kind != PV_TLP_UNDEFINED;
}

/* Returns the ticks from first to last record of the longest stream. */
static uint64_t span_of(const struct walk *w)
{
	uint64_t span = 0;

	for (size_t i = 0; i < w->n; i++) {
		size_t first = 0;

		while (w->records[first].stream != w->records[i].stream)
			first++;
		if (w->records[i].time - w->records[first].time > span)
			span = w->records[i].time - w->records[first].time;
	}
	return span;
}

static void check_requesters(const struct pv_stat *s, const struct counted *c)
{
	uint64_t tlps = 0, dw = 0, payload = 0;

	for (size_t i = 0; i < 1 << 16; i++) {
		tlps += s->requesters[i].tlps;
		dw += s->requesters[i].dw;
	}
	for (unsigned k = 0; k < PV_TLP_KINDS; k++)
		payload += c->payload[k];
	fuzz_check(tlps == c->requesters && 4 * dw == payload);
}

/* Checks that the figures of devices equal those of their requesters, and their sums those of the kinds. */
static void check_devices(const struct pv_stat *s)
{
	uint64_t answered = 0, wire = 0;

	for (unsigned i = 0; i < s->devices.n; i++) {
		const struct pv_stat_device *d = &s->devices.of[i];
		uint64_t tlps = 0;

		for (unsigned kind = 0; kind < PV_FLOWS; kind++) {
			tlps += d->flow[kind].tlps;
			for (unsigned m = 0; m < PV_MARKS; m++)
				fuzz_check(d->flow[kind].marks[m] <= d->flow[kind].tlps);
		}
		fuzz_check(tlps == d->tlps && tlps == s->requesters[d->requester].tlps);
		fuzz_check(pv_stat_device_payload(d) == 4 * s->requesters[d->requester].dw);
		answered += d->latency.answered;
		wire += pv_stat_device_wire_bytes(d);
	}
	fuzz_check(s->devices.too_many || (answered == s->match.answered && wire == pv_stat_wire_bytes(s)));
}

static void check_regions(const struct pv_stat *s, const struct counted *c)
{
	uint64_t tlps = 0;

	for (unsigned i = 0; i < s->regions.n; i++)
		tlps += s->regions.table[i].tlps;
	fuzz_check(tlps == c->regions);
}

/* With `long_tags`, pieces with tags of more than 10 bits were not matched. */
static void check_match(const struct pv_match_sums *m, const struct counted *c, bool long_tags)
{
	uint64_t latencies = 0, pieces = 0;

	for (unsigned i = 0; i < PV_LATENCY_BUCKETS; i++)
		latencies += m->latency[i];
	for (unsigned i = 0; i < 5; i++)
		pieces += m->pieces[i];
	if (!long_tags) {
		fuzz_check(m->requests == c->nonposted && m->completions == c->completions);
		fuzz_check(!memcmp(m->status, c->status, sizeof(c->status)));
	}
	fuzz_check(m->requests == m->answered + m->tag_reused + m->unanswered + m->not_followed);
	fuzz_check(latencies == m->answered && pieces == m->answered && m->wrong_size <= m->answered);
	fuzz_check(m->latency_min <= m->latency_max && m->unmatched <= m->completions);
}

static void check_timeline(const struct pv_stat *s, uint64_t records)
{
	uint64_t tlps = 0;

	for (unsigned i = 0; i < PV_TIMELINE_BINS; i++)
		tlps += s->timeline.sum[i][PV_TIMELINE_TLPS];
	fuzz_check(tlps == records && s->timeline.used <= PV_TIMELINE_BINS);
}

static void check_counts(const struct pv_stat *s, const struct walk *w)
{
	struct counted c = {.span = span_of(w)};

	for (size_t i = 0; i < w->n; i++)
		count_record(&c, &w->records[i]);
	fuzz_check(!memcmp(s->records, c.records, sizeof(c.records)) && s->bytes == c.bytes && s->span == c.span);
	fuzz_check(s->problems == pv_trace_problems(w->trace) && s->streams == pv_trace_streams(w->trace));
	for (unsigned k = 0; k < PV_TLP_KINDS; k++) {
		struct pv_stat_kind v = pv_stat_kind(s, (enum pv_tlp_kind)k);

		fuzz_check(v.tlps == c.kinds[k] && v.payload_bytes == c.payload[k] && v.asked_bytes == c.asked[k]);
	}
	check_requesters(s, &c);
	check_devices(s);
	check_regions(s, &c);
	if (s->streams <= STREAMS_MATCHED)
		check_match(&s->match, &c, s->long_tags);
	check_timeline(s, w->n);
}

/* ---- the reports ---- */

static void check_reports(const struct pv_stat *s)
{
	static void (*const writers[])(const struct pv_stat *, const struct pv_stat_report *, FILE *) = {
		pv_stat_json, pv_stat_text, pv_stat_html, pv_report_text, pv_report_html};
	struct pv_stat_report r = {.name = "fuzz & <co>", .where = "tag < 1", .top = 3, .mps = 128, .mrrs = 512};

	for (unsigned i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
		char *text;
		size_t n;
		FILE *f = open_memstream(&text, &n);

		fuzz_check(f);
		writers[i](s, &r, f);
		fuzz_check(!fclose(f) && n);
		if (!i) {
			struct json_object *o = json_tokener_parse(text);

			fuzz_check(json_object_is_type(o, json_type_object));
			json_object_put(o);
		}
		free(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct walk w = walk_memory(data, size);
	struct pv_stat *one, *two, *some;
	struct pv_where where;

	if (!w.trace)
		return 0;
	one = stat_of(data, size, &(struct pv_stat_options){.jobs = 1});
	/* A second run needs tables of some MiB, so not every input has one. */
	if (size % 4 == 0) {
		two = stat_of(data, size, &(struct pv_stat_options){.jobs = 2});
		check_same(one, two);
		pv_stat_free(two);
	}
	check_counts(one, &w);
	check_reports(one);
	fuzz_check(!pv_where_compile(&where, "class == np || tag < 0x20", NULL));
	some = stat_of(data, size, &(struct pv_stat_options){.where = &where, .no_match = true, .no_regions = true});
	fuzz_check(some->left_out + some->records[1] + some->records[2] == w.n);
	pv_stat_free(one);
	pv_stat_free(some);
	walk_end(&w);
	return 0;
}
