/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics as one JSON object; docs/trace.md names its members. */
#include <inttypes.h>
#include <json-c/json.h>

#include "framework/analysis/stat_report.h"

static void put(struct json_object *o, const char *name, uint64_t v)
{
	json_object_object_add(o, name, json_object_new_uint64(v));
}

static void put_text(struct json_object *o, const char *name, const char *v)
{
	json_object_object_add(o, name, json_object_new_string(v));
}

static struct json_object *kinds(const struct pv_stat *s)
{
	struct json_object *list = json_object_new_array(), *o;

	for (unsigned k = 0; k < PV_TLP_KINDS; k++) {
		struct pv_stat_kind v = pv_stat_kind(s, (enum pv_tlp_kind)k);

		if (!v.tlps)
			continue;
		o = json_object_new_object();
		put_text(o, "kind", pv_tlp_kinds[k].name);
		put(o, "tlps", v.tlps);
		put(o, "payload_bytes", v.payload_bytes);
		put(o, "asked_bytes", v.asked_bytes);
		put(o, "max_bytes", v.max_bytes);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *requesters(const struct pv_stat *s, unsigned top)
{
	struct json_object *list = json_object_new_array(), *o;
	uint16_t ids[64];
	size_t n = pv_stat_top_requesters(s, ids, top);
	char id[16];

	for (size_t i = 0; i < n && i < top; i++) {
		o = json_object_new_object();
		put_text(o, "requester", pv_stat_bdf_text(ids[i], id));
		put(o, "tlps", s->requesters[ids[i]].tlps);
		put(o, "payload_bytes", 4 * s->requesters[ids[i]].dw);
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
		put_text(o, "address", address);
		put(o, "tlps", s->regions.table[i].tlps);
		put(o, "bytes", 4 * s->regions.table[i].dw);
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
	put(o, "largest_bytes", pv_stat_largest(s, what));
	if (limit) {
		put(o, limit_name, limit);
		put(o, "above", pv_stat_above(s, what, limit));
	}
	for (unsigned i = 0; i < PV_STAT_SIZES; i++) {
		if (!n[i])
			continue;
		b = json_object_new_object();
		put(b, "up_to_bytes", 4u << i);
		put(b, "tlps", n[i]);
		json_object_array_add(list, b);
	}
	json_object_object_add(o, "histogram", list);
	return o;
}

static struct json_object *latency(const struct pv_match_sums *m)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array(), *b;

	put(o, "min", m->latency_min);
	put(o, "p50", pv_match_quantile(m, 0.5));
	put(o, "p90", pv_match_quantile(m, 0.9));
	put(o, "p99", pv_match_quantile(m, 0.99));
	put(o, "max", m->latency_max);
	put(o, "sum", m->latency_sum);
	for (unsigned i = 0; i < PV_MATCH_BUCKETS; i++) {
		if (!m->latency[i])
			continue;
		b = json_object_new_object();
		put(b, "from", pv_match_bucket_start(i));
		put(b, "requests", m->latency[i]);
		json_object_array_add(list, b);
	}
	json_object_object_add(o, "histogram", list);
	return o;
}

static struct json_object *time_object(const struct pv_stat *s)
{
	struct json_object *o = json_object_new_object();

	put_text(o, "is", pv_trace_time_name(s->time));
	if (s->time)
		put_text(o, "how", s->time_is_given ? "given" : "detected");
	if (s->time == PV_TRACE_TIME_DISTANCE) {
		put(o, "full_scale", s->full_scale);
		json_object_object_add(o, "at_least", json_object_new_boolean(s->time_at_least));
	}
	return o;
}

static struct json_object *matching(const struct pv_stat *s)
{
	const struct pv_match_sums *m = &s->match;
	struct json_object *o = json_object_new_object(), *status = json_object_new_object();

	put(o, "requests", m->requests);
	put(o, "answered", m->answered);
	put(o, "unanswered", m->unanswered);
	put(o, "tag_reused", m->tag_reused);
	put(o, "not_followed", m->not_followed);
	put(o, "completions", m->completions);
	put(o, "unmatched", m->unmatched);
	put(o, "asked_bytes", m->asked_bytes);
	put(o, "returned_bytes", m->returned_bytes);
	put(o, "wrong_size", m->wrong_size);
	put(status, "SC", m->status[0]);
	put(status, "UR", m->status[1]);
	put(status, "CRS", m->status[2]);
	put(status, "CA", m->status[4]);
	json_object_object_add(o, "status", status);
	if (s->long_tags)
		json_object_object_add(o, "long_tags", json_object_new_boolean(true));
	if (m->answered && s->time)
		json_object_object_add(o, "latency_ticks", latency(m));
	return o;
}

static struct json_object *over_time(const struct pv_stat *s)
{
	struct json_object *o = json_object_new_object();
	struct json_object *tlps = json_object_new_array(), *posted = json_object_new_array();
	struct json_object *cpl = json_object_new_array(), *open = json_object_new_array();
	struct pv_timeline shown = s->timeline;
	double mean_open[PV_TIMELINE_BINS];

	pv_timeline_coarsen(&shown, PV_TIMELINE_SHOWN);
	pv_timeline_open(&shown, mean_open);
	put(o, "bin_ticks", (uint64_t)1 << shown.shift);
	for (unsigned b = 0; b < shown.used; b++) {
		const uint64_t *v = shown.sum[b];

		json_object_array_add(tlps, json_object_new_uint64(v[PV_TIMELINE_TLPS]));
		json_object_array_add(posted, json_object_new_uint64(4 * v[PV_TIMELINE_POSTED_DW]));
		json_object_array_add(cpl, json_object_new_uint64(4 * v[PV_TIMELINE_CPL_DW]));
		json_object_array_add(open, json_object_new_double(mean_open[b]));
	}
	json_object_object_add(o, "tlps", tlps);
	json_object_object_add(o, "posted_bytes", posted);
	json_object_object_add(o, "completion_bytes", cpl);
	json_object_object_add(o, "open_requests", open);
	return o;
}

void pv_stat_json(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f)
{
	unsigned top = !r->top ? 10 : r->top > 64 ? 64 : r->top;
	struct json_object *o = json_object_new_object(), *records = json_object_new_object();

	put_text(o, "trace", r->name);
	if (r->where)
		put_text(o, "where", r->where);
	put(records, "4dw", s->records[PV_RECORD_4DW]);
	put(records, "8dw", s->records[PV_RECORD_8DW]);
	json_object_object_add(o, "records", records);
	put(o, "streams", s->streams);
	put(o, "left_out", s->left_out);
	put(o, "trace_bytes", s->bytes);
	put(o, "wire_bytes", pv_stat_wire_bytes(s));
	json_object_object_add(o, "time", time_object(s));
	if (s->time)
		put(o, "ticks", s->span);
	put(o, "problems", s->problems);
	json_object_object_add(o, "kinds", kinds(s));
	json_object_object_add(o, "requesters", requesters(s, top));
	if (s->has_regions) {
		put(o, "range_bytes", (uint64_t)1 << s->regions.shift);
		json_object_object_add(o, "ranges", regions(s, top));
	}
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
