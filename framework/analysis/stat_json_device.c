/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The findings and the figures of devices as JSON; docs/trace.md describes the members. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "framework/analysis/stat_finding.h"
#include "framework/analysis/stat_json_internal.h"
#include "framework/util/cleanup.h"
#include "framework/util/json.h"

static void put_double(struct json_object *o, const char *key, double v)
{
	json_object_object_add(o, key, json_object_new_double(v));
}

struct json_object *pv_stat_json_findings(const struct pv_stat *s, const struct pv_stat_report *r)
{
	_autofree_ struct pv_stat_finding *found = calloc(PV_STAT_FINDINGS_MAX, sizeof(*found));
	struct json_object *list = json_object_new_array(), *o;
	size_t n = found ? pv_stat_find(s, r, found) : 0;
	char id[16];

	for (size_t i = 0; i < n; i++) {
		o = json_object_new_object();
		pv_json_string(o, "rule", found[i].rule->name);
		pv_json_string(o, "requester", pv_stat_bdf_text(found[i].requester, id));
		put_double(o, "value", found[i].value);
		put_double(o, "threshold", found[i].rule->threshold);
		pv_json_string(o, "unit", found[i].rule->unit);
		pv_json_string(o, "text", found[i].text);
		json_object_array_add(list, o);
	}
	return list;
}

struct json_object *pv_stat_json_unjudged(const struct pv_stat *s, const struct pv_stat_report *r)
{
	struct json_object *list = json_object_new_array(), *o;

	for (size_t i = 0; i < PV_STAT_RULES; i++) {
		if (pv_stat_is_judged(s, r, pv_stat_rule(i)))
			continue;
		o = json_object_new_object();
		pv_json_string(o, "rule", pv_stat_rule(i)->name);
		pv_json_string(o, "why",
			       s->devices.too_many ? "with so many requesters"
						   : pv_stat_need_texts[pv_stat_rule(i)->need]);
		json_object_array_add(list, o);
	}
	return list;
}

/* Writes the marks; unknown ones are left out. */
static void put_marks(struct json_object *o, const struct pv_stat *s, const struct pv_stat_flow *w)
{
	for (unsigned m = 0; m < PV_MARKS; m++)
		if (m == PV_MARK_RELAXED ? pv_stat_knows_relaxed(s) : s->has_regions)
			pv_json_uint(o, pv_stat_mark_names[m], w->marks[m]);
}

static struct json_object *flow(const struct pv_stat *s, const struct pv_stat_report *r, const struct pv_stat_flow *w,
				unsigned kind)
{
	struct json_object *o = json_object_new_object(), *sizes;

	pv_json_uint(o, "tlps", w->tlps);
	pv_json_uint(o, kind == PV_FLOW_READS ? "asked_bytes" : "payload_bytes", w->bytes);
	pv_json_uint(o, "wire_bytes", w->wire_bytes);
	if (w->bytes && pv_stat_per_second(s, r, w->bytes) >= 0)
		put_double(o, "bytes_per_s", pv_stat_per_second(s, r, w->bytes));
	if (kind == PV_FLOW_OTHER || !w->tlps)
		return o;
	put_double(o, "mean_bytes", pv_stat_flow_mean(w));
	pv_json_uint(o, "largest_bytes", w->largest);
	if (kind != PV_FLOW_READS)
		put_double(o, "efficiency", pv_stat_flow_efficiency(w));
	sizes = json_object_new_object();
	for (unsigned i = 0; i < PV_STAT_OCTAVES; i++) {
		char from[16];

		snprintf(from, sizeof(from), "%u", 4u << i);
		if (w->sizes[i])
			pv_json_uint(sizes, from, w->sizes[i]);
	}
	json_object_object_add(o, "tlps_from_bytes", sizes);
	if (kind <= PV_FLOW_READS)
		put_marks(o, s, w);
	return o;
}

static struct json_object *latency(const struct pv_latency *l)
{
	struct json_object *o = json_object_new_object();

	pv_json_uint(o, "requests", l->answered);
	pv_json_uint(o, "min", l->min);
	pv_json_uint(o, "p50", pv_latency_quantile(l, 0.5));
	pv_json_uint(o, "p90", pv_latency_quantile(l, 0.9));
	pv_json_uint(o, "p99", pv_latency_quantile(l, 0.99));
	pv_json_uint(o, "max", l->max);
	pv_json_uint(o, "sum", l->sum);
	return o;
}

/* Returns a function of the dump as JSON; unknown facts are left out. */
static struct json_object *function(const struct pv_stat_function *f)
{
	struct json_object *o = json_object_new_object();

	if (f->ambiguous) {
		pv_json_bool(o, "ambiguous", true);
		return o;
	}
	pv_json_string(o, "bdf", f->bdf);
	if (*f->name)
		pv_json_string(o, "name", f->name);
	if (*f->link)
		pv_json_string(o, "link", f->link);
	if (f->mps) {
		pv_json_uint(o, "mps", f->mps);
		pv_json_uint(o, "mrrs", f->mrrs);
		pv_json_uint(o, "tags", f->tags);
		pv_json_bool(o, "relaxed_ordering", f->relaxed);
	}
	if (f->write_ceiling > 0) {
		put_double(o, "write_ceiling_bytes_per_s", f->write_ceiling);
		put_double(o, "read_ceiling_bytes_per_s", f->read_ceiling);
	}
	return o;
}

static struct json_object *device(const struct pv_stat *s, const struct pv_stat_report *r,
				  const struct pv_stat_device *d)
{
	const struct pv_stat_function *f = pv_stat_function_of(r->machine, d->requester);
	struct json_object *o = json_object_new_object();
	char id[16];

	pv_json_string(o, "requester", pv_stat_bdf_text(d->requester, id));
	if (f)
		json_object_object_add(o, "function", function(f));
	pv_json_uint(o, "tlps", d->tlps);
	pv_json_uint(o, "wire_bytes", pv_stat_device_wire_bytes(d));
	for (unsigned kind = 0; kind < PV_FLOWS; kind++)
		json_object_object_add(o, pv_stat_flow_names[kind], flow(s, r, &d->flow[kind], kind));
	if (d->latency.answered && s->time)
		json_object_object_add(o, "latency_ticks", latency(&d->latency));
	if (pv_stat_mean_open(s, d) >= 0)
		put_double(o, "mean_open", pv_stat_mean_open(s, d));
	if (pv_stat_tags_used(s, d))
		pv_json_uint(o, "tags_used", pv_stat_tags_used(s, d));
	if (pv_stat_most_open(s, d)) {
		pv_json_uint(o, "most_open", pv_stat_most_open(s, d));
		pv_json_uint(o, "unanswered", d->requests - d->latency.answered);
	}
	return o;
}

struct json_object *pv_stat_json_devices(const struct pv_stat *s, const struct pv_stat_report *r, unsigned top)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < s->devices.n && i < top; i++)
		json_object_array_add(list, device(s, r, &s->devices.of[i]));
	return list;
}

static struct json_object *bar(const struct pv_stat *s, const struct pv_stat_report *r, const struct pv_stat_bar_use *u)
{
	struct json_object *o = json_object_new_object(), *writes = json_object_new_object();
	struct json_object *reads = json_object_new_object();
	char text[24];

	pv_json_string(o, "function", pv_stat_function_bdf(r->machine, u->bar.function, text));
	pv_json_uint(o, "bar", u->bar.number);
	snprintf(text, sizeof(text), "0x%" PRIx64, u->bar.address);
	pv_json_string(o, "address", text);
	pv_json_uint(o, "size", u->bar.size);
	pv_json_uint(writes, "tlps", u->writes);
	pv_json_uint(writes, "payload_bytes", u->write_bytes);
	pv_json_uint(writes, "largest_bytes", u->largest_write);
	if (pv_stat_per_second(s, r, u->write_bytes) >= 0)
		put_double(writes, "bytes_per_s", pv_stat_per_second(s, r, u->write_bytes));
	pv_json_uint(reads, "tlps", u->reads);
	pv_json_uint(reads, "asked_bytes", u->asked_bytes);
	pv_json_uint(reads, "largest_bytes", u->largest_read);
	json_object_object_add(o, "writes", writes);
	json_object_object_add(o, "reads", reads);
	pv_json_uint(o, "other_tlps", u->others);
	return o;
}

struct json_object *pv_stat_json_bars(const struct pv_stat *s, const struct pv_stat_report *r, unsigned top)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < s->bars.n && i < top; i++)
		json_object_array_add(list, bar(s, r, &s->bars.of[i]));
	return list;
}
