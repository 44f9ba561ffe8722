/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics as one JSON object; docs/trace.md describes its members. */
#include <inttypes.h>
#include <json-c/json.h>

#include "framework/analysis/stat_json_internal.h"
#include "framework/analysis/stat_report.h"
#include "framework/util/json.h"

static struct json_object *kinds(const struct pv_stat *s)
{
	struct json_object *list = json_object_new_array(), *o;

	for (unsigned k = 0; k < PV_TLP_KINDS; k++) {
		struct pv_stat_kind v = pv_stat_kind(s, (enum pv_tlp_kind)k);

		if (!v.tlps)
			continue;
		o = json_object_new_object();
		pv_json_string(o, "kind", pv_tlp_kinds[k].name);
		pv_json_uint(o, "tlps", v.tlps);
		pv_json_uint(o, "payload_bytes", v.payload_bytes);
		pv_json_uint(o, "asked_bytes", v.asked_bytes);
		pv_json_uint(o, "max_bytes", v.max_bytes);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *requesters(const struct pv_stat *s, unsigned top)
{
	struct json_object *list = json_object_new_array(), *o;
	uint16_t ids[PV_STAT_TOP_MAX];
	size_t n = pv_stat_top_requesters(s, ids, top);
	char id[16];

	for (size_t i = 0; i < n && i < top; i++) {
		o = json_object_new_object();
		pv_json_string(o, "requester", pv_stat_bdf_text(ids[i], id));
		pv_json_uint(o, "tlps", s->requesters[ids[i]].tlps);
		pv_json_uint(o, "payload_bytes", 4 * s->requesters[ids[i]].dw);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *regions(const struct pv_stat *s, unsigned top)
{
	struct json_object *list = json_object_new_array(), *o;
	char address[24];

	for (unsigned i = 0; i < top && i < s->regions.n; i++) {
		o = json_object_new_object();
		snprintf(address, sizeof(address), "0x%" PRIx64, s->regions.table[i].number << s->regions.shift);
		pv_json_string(o, "address", address);
		pv_json_uint(o, "tlps", s->regions.table[i].tlps);
		pv_json_uint(o, "bytes", 4 * s->regions.table[i].dw);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *sizes(const struct pv_stat *s, enum pv_stat_what what, const char *limit_name,
				 unsigned limit)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array(), *b;
	uint64_t n[PV_STAT_SIZES];

	pv_stat_sizes(s, what, n);
	pv_json_uint(o, "largest_bytes", pv_stat_largest(s, what));
	if (limit) {
		pv_json_uint(o, limit_name, limit);
		pv_json_uint(o, "above", pv_stat_above(s, what, limit));
	}
	for (unsigned i = 0; i < PV_STAT_SIZES; i++) {
		if (!n[i])
			continue;
		b = json_object_new_object();
		pv_json_uint(b, "up_to_bytes", 4u << i);
		pv_json_uint(b, "tlps", n[i]);
		json_object_array_add(list, b);
	}
	json_object_object_add(o, "histogram", list);
	return o;
}

static struct json_object *latency(const struct pv_match_sums *m)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array(), *b;

	pv_json_uint(o, "min", m->latency_min);
	pv_json_uint(o, "p50", pv_match_quantile(m, 0.5));
	pv_json_uint(o, "p90", pv_match_quantile(m, 0.9));
	pv_json_uint(o, "p99", pv_match_quantile(m, 0.99));
	pv_json_uint(o, "max", m->latency_max);
	pv_json_uint(o, "sum", m->latency_sum);
	for (unsigned i = 0; i < PV_LATENCY_BUCKETS; i++) {
		if (!m->latency[i])
			continue;
		b = json_object_new_object();
		pv_json_uint(b, "from", pv_latency_bucket_start(i));
		pv_json_uint(b, "requests", m->latency[i]);
		json_object_array_add(list, b);
	}
	json_object_object_add(o, "histogram", list);
	return o;
}

static struct json_object *time_object(const struct pv_stat *s)
{
	struct json_object *o = json_object_new_object();

	pv_json_string(o, "is", pv_trace_time_name(s->time));
	if (s->time)
		pv_json_string(o, "how", s->time_is_given ? "given" : "detected");
	if (s->time == PV_TRACE_TIME_DISTANCE) {
		pv_json_uint(o, "full_scale", s->full_scale);
		pv_json_bool(o, "at_least", s->time_at_least);
	}
	return o;
}

static struct json_object *matching(const struct pv_stat *s)
{
	const struct pv_match_sums *m = &s->match;
	struct json_object *o = json_object_new_object(), *status = json_object_new_object();

	pv_json_uint(o, "requests", m->requests);
	pv_json_uint(o, "answered", m->answered);
	pv_json_uint(o, "unanswered", m->unanswered);
	pv_json_uint(o, "tag_reused", m->tag_reused);
	pv_json_uint(o, "not_followed", m->not_followed);
	pv_json_uint(o, "completions", m->completions);
	pv_json_uint(o, "unmatched", m->unmatched);
	pv_json_uint(o, "asked_bytes", m->asked_bytes);
	pv_json_uint(o, "returned_bytes", m->returned_bytes);
	pv_json_uint(o, "wrong_size", m->wrong_size);
	pv_json_uint(status, "SC", m->status[0]);
	pv_json_uint(status, "UR", m->status[1]);
	pv_json_uint(status, "CRS", m->status[2]);
	pv_json_uint(status, "CA", m->status[4]);
	json_object_object_add(o, "status", status);
	if (s->long_tags)
		pv_json_bool(o, "long_tags", true);
	if (m->answered && s->time)
		json_object_object_add(o, "latency_ticks", latency(m));
	return o;
}

static struct json_object *over_time(const struct pv_stat *s)
{
	struct json_object *o = json_object_new_object();
	struct json_object *tlps = json_object_new_array(), *posted = json_object_new_array();
	struct json_object *cpl = json_object_new_array(), *asked = json_object_new_array();
	struct json_object *open = json_object_new_array(), *missing = json_object_new_array();
	struct pv_timeline shown = s->timeline;
	double mean_open[PV_TIMELINE_BINS];

	pv_timeline_coarsen(&shown, PV_TIMELINE_SHOWN);
	pv_timeline_open(&shown, mean_open);
	pv_json_uint(o, "bin_ticks", (uint64_t)1 << shown.shift);
	for (unsigned b = 0; b < shown.used; b++) {
		const uint64_t *v = shown.sum[b];

		json_object_array_add(tlps, json_object_new_uint64(v[PV_TIMELINE_TLPS]));
		json_object_array_add(posted, json_object_new_uint64(4 * v[PV_TIMELINE_POSTED_DW]));
		json_object_array_add(cpl, json_object_new_uint64(4 * v[PV_TIMELINE_CPL_DW]));
		json_object_array_add(asked, json_object_new_uint64(4 * v[PV_TIMELINE_READ_DW]));
		json_object_array_add(open, json_object_new_double(mean_open[b]));
		json_object_array_add(missing, json_object_new_boolean(shown.lost[b]));
	}
	json_object_object_add(o, "tlps", tlps);
	json_object_object_add(o, "posted_bytes", posted);
	json_object_object_add(o, "completion_bytes", cpl);
	json_object_object_add(o, "asked_bytes", asked);
	json_object_object_add(o, "open_requests", open);
	json_object_object_add(o, "records_missing", missing);
	return o;
}

static struct json_object *in_seconds(const struct pv_stat *s, const struct pv_stat_report *r)
{
	double hz = r->tick_hz;
	struct json_object *o = json_object_new_object();
	struct pv_stat_payload sum = pv_stat_payload(s);
	double seconds = (double)s->span / hz;

	json_object_object_add(o, "tick_hz", json_object_new_double(hz));
	pv_json_string(o, "how", pv_stat_tick_how(r));
	json_object_object_add(o, "seconds", json_object_new_double(seconds));
	if (s->span) {
		json_object_object_add(o, "posted_bytes_per_s", json_object_new_double((double)sum.posted / seconds));
		json_object_object_add(o, "completion_bytes_per_s",
				       json_object_new_double((double)sum.completions / seconds));
	}
	return o;
}

void pv_stat_json(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	unsigned top = pv_stat_top(r);
	struct json_object *o = json_object_new_object(), *records = json_object_new_object();

	pv_json_string(o, "trace", r->name);
	if (r->where)
		pv_json_string(o, "where", r->where);
	pv_json_uint(records, "4dw", s->records[PV_RECORD_4DW]);
	pv_json_uint(records, "8dw", s->records[PV_RECORD_8DW]);
	json_object_object_add(o, "records", records);
	pv_json_uint(o, "streams", s->streams);
	pv_json_uint(o, "left_out", s->left_out);
	pv_json_uint(o, "trace_bytes", s->bytes);
	pv_json_uint(o, "wire_bytes", pv_stat_wire_bytes(s));
	json_object_object_add(o, "time", time_object(s));
	if (s->time)
		pv_json_uint(o, "ticks", s->span);
	if (s->time && r->tick_hz > 0)
		json_object_object_add(o, "in_seconds", in_seconds(s, r));
	pv_json_uint(o, "problems", s->problems);
	json_object_object_add(o, "findings", pv_stat_json_findings(s, r));
	json_object_object_add(o, "not_judged", pv_stat_json_unjudged(s, r));
	json_object_object_add(o, "kinds", kinds(s));
	json_object_object_add(o, "requesters", requesters(s, top));
	json_object_object_add(o, "devices", s->devices.too_many ? NULL : pv_stat_json_devices(s, r, top));
	if (s->has_regions) {
		pv_json_uint(o, "range_bytes", (uint64_t)1 << s->regions.shift);
		json_object_object_add(o, "ranges", regions(s, top));
	}
	if (s->has_bars)
		json_object_object_add(o, "bars", pv_stat_json_bars(s, r, top));
	json_object_object_add(o, "requests_with_data", sizes(s, PV_STAT_WRITES, "mps", r->mps));
	json_object_object_add(o, "completions_with_data", sizes(s, PV_STAT_COMPLETIONS, "mps", r->mps));
	json_object_object_add(o, "memory_reads", sizes(s, PV_STAT_READS, "mrrs", r->mrrs));
	if (s->has_match)
		json_object_object_add(o, "matching", matching(s));
	if (s->time)
		json_object_object_add(o, "over_time", over_time(s));
	fprintf(f, "%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}
