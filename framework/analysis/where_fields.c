/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of --where, one per line, each with the condition for a record to have it. A field that a 4DW record lacks
 * (docs/hardware-notes.md) is absent, not 0.
 */
#include "framework/analysis/where.h"
#include "framework/trace/format.h"
#include "framework/util/cleanup.h"

enum {
	ALWAYS = 1,
	DEFINED = 2,
	DEFINED_8DW = 4,
	ALWAYS_8DW = 8,
	LENGTH = 16,
	BYTE_ENABLES = 32,
	ADDRESS = 64,
	CONFIG = 128,
	MESSAGE = 256,
	COMPLETION = 512,
	PASID = 1024,
	DIRECTION = 2048,
	CLASS = 4096,
	PMU = 8192,
	DEFINED_4DW = 16384,
	DESTINATION = 32768,
	NAMED_MESSAGE = 65536,
	TIME = 1 << 17,
	EXTRA = 1 << 18,
	EXTRA_COMPLETION = 1 << 19,
	EXTRA_DSV = 1 << 20,
	EXTRA_FM = 1 << 21,
	EXTRA_SHORT = 1 << 22,
	AT_LEAST = 1 << 23,
};

static unsigned when_message(const struct pv_tlp *t)
{
	return MESSAGE | (pv_message_name(t->message_code) ? NAMED_MESSAGE : 0) |
	       (t->routing == PV_ROUTED_BY_ADDRESS ? ADDRESS : 0) | (t->routing == PV_ROUTED_BY_ID ? DESTINATION : 0);
}

/* Returns the fields of data pattern 1. */
static unsigned when_extra(const struct pv_record *p, const struct pv_tlp_kind_info *k)
{
	return EXTRA | (k->is_completion ? EXTRA_COMPLETION : 0) | (k->is_completion || k->is_config ? EXTRA_DSV : 0) |
	       (p->extra.has_fm ? EXTRA_FM : 0) | (p->extra.is_short ? EXTRA_SHORT : 0);
}

unsigned pv_where_when(const struct pv_trace_record *r)
{
	const struct pv_record *p = &r->record;
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[p->tlp.kind];
	bool defined = p->tlp.kind != PV_TLP_UNDEFINED, is_8dw = p->format == PV_RECORD_8DW;

	return ALWAYS | (is_8dw ? ALWAYS_8DW : 0) | (defined ? DEFINED | (is_8dw ? DEFINED_8DW : DEFINED_4DW) : 0) |
	       (p->tlp.length_dw ? LENGTH : 0) | (defined && !k->is_completion && !k->is_message ? BYTE_ENABLES : 0) |
	       (k->has_address ? ADDRESS : 0) | (k->is_config ? CONFIG | DESTINATION : 0) |
	       (k->is_message ? when_message(&p->tlp) : 0) | (k->is_completion ? COMPLETION : 0) |
	       (p->has_pasid ? PASID : 0) | (r->direction != PV_TRACE_UNKNOWN ? DIRECTION : 0) | (k->cls ? CLASS : 0) |
	       (r->stream ? PMU : 0) | (!r->stream || r->stream->time ? TIME : 0) | (r->time_at_least ? AT_LEAST : 0) |
	       (p->has_extra ? when_extra(p, k) : 0);
}

/* ---- names of values ---- */

static const char *kind_name(unsigned v)
{
	return v < PV_TLP_KINDS ? pv_tlp_kinds[v].name : NULL;
}

static const char *class_name(unsigned v)
{
	static const char *const names[] = {
		[PV_CLASS_POSTED] = "p", [PV_CLASS_NONPOSTED] = "np", [PV_CLASS_COMPLETION] = "cpl"};

	return v < ARRAY_SIZE(names) ? names[v] : NULL;
}

static const char *format_name(unsigned v)
{
	return v == PV_RECORD_4DW ? "4dw" : v == PV_RECORD_8DW ? "8dw" : NULL;
}

static const char *status_name(unsigned v)
{
	return v < 8 ? pv_status_name(v) : NULL;
}

static const char *message_name(unsigned v)
{
	return pv_message_name((uint8_t)v);
}

static const char *direction_name(unsigned v)
{
	return v == PV_TRACE_INBOUND ? "inbound" : v == PV_TRACE_OUTBOUND ? "outbound" : NULL;
}

static const char *time_name(unsigned v)
{
	return v <= PV_TRACE_TIME_DISTANCE ? pv_trace_time_name((enum pv_trace_time)v) : NULL;
}

/* ---- values that are computed ---- */

static uint64_t class_value(const struct pv_trace_record *r)
{
	return pv_tlp_kinds[r->record.tlp.kind].cls;
}

static uint64_t payload_value(const struct pv_trace_record *r)
{
	return pv_tlp_kinds[r->record.tlp.kind].has_data ? 4ull * r->record.tlp.length_dw : 0;
}

static uint64_t ro_value(const struct pv_trace_record *r)
{
	return r->record.tlp.attr >> 1 & 1;
}

static uint64_t address_value(const struct pv_trace_record *r)
{
	return pv_tlp_kinds[r->record.tlp.kind].is_message ? pv_record_routed_address(&r->record)
							   : r->record.tlp.address;
}

static uint64_t destination_value(const struct pv_trace_record *r)
{
	return pv_tlp_kinds[r->record.tlp.kind].is_message ? pv_record_routed_id(&r->record) : r->record.tlp.completer;
}

static uint64_t stream_value(const struct pv_trace_record *r)
{
	return r->stream->index;
}

static uint64_t time_is_value(const struct pv_trace_record *r)
{
	return r->stream->time;
}

#define M(m) .offset = offsetof(struct pv_trace_record, m), .bytes = sizeof(((struct pv_trace_record *)0)->m)
/* clang-format off */
const struct pv_where_field pv_where_fields[] = {
	{"kind",	  PV_WHERE_NAME,   M(record.tlp.kind),		.when = ALWAYS, .of = kind_name},
	{"class",	  PV_WHERE_NAME,   .value = class_value,	.when = CLASS, .of = class_name},
	{"format",	  PV_WHERE_NAME,   M(record.format),		.when = ALWAYS, .of = format_name},
	{"direction",	  PV_WHERE_NAME,   M(direction),		.when = DIRECTION, .of = direction_name},
	{"requester",	  PV_WHERE_BDF,	   M(record.tlp.requester),	.when = DEFINED},
	{"completer",	  PV_WHERE_BDF,	   M(record.tlp.completer),	.when = COMPLETION},
	{"destination",	  PV_WHERE_BDF,	   .value = destination_value,	.when = DESTINATION},
	{"address",	  PV_WHERE_NUMBER, .value = address_value,	.when = ADDRESS},
	{"length_dw",	  PV_WHERE_NUMBER, M(record.tlp.length_dw),	.when = LENGTH},
	{"payload",	  PV_WHERE_NUMBER, .value = payload_value,	.when = DEFINED},
	{"tag",		  PV_WHERE_NUMBER, M(record.tlp.tag),		.when = DEFINED},
	{"time",	  PV_WHERE_NUMBER, M(time),			.when = TIME},
	{"time_is",	  PV_WHERE_NAME,   .value = time_is_value,	.when = PMU, .of = time_name},
	{"time_at_least", PV_WHERE_FLAG,   M(time_at_least),		.when = AT_LEAST},
	{"time_raw",	  PV_WHERE_NUMBER, M(record.time),		.when = ALWAYS},
	{"offset",	  PV_WHERE_NUMBER, M(record.offset),		.when = ALWAYS},
	{"stream",	  PV_WHERE_NUMBER, .value = stream_value,	.when = PMU},
	{"fmt",		  PV_WHERE_NUMBER, M(record.tlp.fmt),		.when = ALWAYS},
	{"type",	  PV_WHERE_NUMBER, M(record.tlp.type),		.when = ALWAYS},
	{"tc",		  PV_WHERE_NUMBER, M(record.tlp.tc),		.when = DEFINED_8DW},
	{"attr",	  PV_WHERE_NUMBER, M(record.tlp.attr),		.when = DEFINED_8DW},
	{"so",	  PV_WHERE_FLAG,   M(record.so),		.when = DEFINED_4DW},
	{"ro",		  PV_WHERE_FLAG,   .value = ro_value,		.when = DEFINED},
	{"at",		  PV_WHERE_NUMBER, M(record.tlp.at),		.when = DEFINED_8DW},
	{"th",		  PV_WHERE_FLAG,   M(record.tlp.th),		.when = DEFINED},
	{"td",		  PV_WHERE_FLAG,   M(record.tlp.td),		.when = DEFINED_8DW},
	{"ep",		  PV_WHERE_FLAG,   M(record.tlp.ep),		.when = DEFINED_8DW},
	{"first_be",	  PV_WHERE_NUMBER, M(record.tlp.first_be),	.when = BYTE_ENABLES},
	{"last_be",	  PV_WHERE_NUMBER, M(record.tlp.last_be),	.when = BYTE_ENABLES},
	{"status",	  PV_WHERE_NAME,   M(record.tlp.status),	.when = COMPLETION, .of = status_name},
	{"bcm",		  PV_WHERE_FLAG,   M(record.tlp.bcm),		.when = COMPLETION},
	{"byte_count",	  PV_WHERE_NUMBER, M(record.tlp.byte_count),	.when = COMPLETION},
	{"lower_address", PV_WHERE_NUMBER, M(record.tlp.lower_address),	.when = COMPLETION},
	{"register",	  PV_WHERE_NUMBER, M(record.tlp.reg),		.when = CONFIG},
	{"message_code",  PV_WHERE_NUMBER, M(record.tlp.message_code),	.when = MESSAGE},
	{"message",	  PV_WHERE_NAME,   M(record.tlp.message_code),	.when = NAMED_MESSAGE, .of = message_name},
	{"routing",	  PV_WHERE_NUMBER, M(record.tlp.routing),	.when = MESSAGE},
	{"prefix",	  PV_WHERE_NUMBER, M(record.prefix),		.when = ALWAYS_8DW},
	{"pasid",	  PV_WHERE_NUMBER, M(record.pasid),		.when = PASID},
	{"pasid_exe",	  PV_WHERE_FLAG,   M(record.pasid_exe),		.when = PASID},
	{"pasid_pmr",	  PV_WHERE_FLAG,   M(record.pasid_pmr),		.when = PASID},
	{"segment",	  PV_WHERE_NUMBER, M(record.extra.segment),	.when = EXTRA},
	{"completer_segment", PV_WHERE_NUMBER, M(record.extra.completer_segment), .when = EXTRA_COMPLETION},
	{"dsv",		  PV_WHERE_FLAG,   M(record.extra.dsv),		.when = EXTRA_DSV},
	{"t",		  PV_WHERE_FLAG,   M(record.extra.t),		.when = EXTRA},
	{"tv",		  PV_WHERE_FLAG,   M(record.extra.tv),		.when = EXTRA},
	{"fm",		  PV_WHERE_FLAG,   M(record.extra.fm),		.when = EXTRA_FM},
	{"st_high",	  PV_WHERE_NUMBER, M(record.extra.st_high),	.when = EXTRA_SHORT},
	{"hv",		  PV_WHERE_NUMBER, M(record.extra.hv),		.when = EXTRA_SHORT},
	{"ama",		  PV_WHERE_NUMBER, M(record.extra.ama),		.when = EXTRA_SHORT},
	{"av",		  PV_WHERE_FLAG,   M(record.extra.av),		.when = EXTRA_SHORT},
	{0},
};
/* clang-format on */

uint64_t pv_where_value(const struct pv_where_field *f, const struct pv_trace_record *r)
{
	return f->bytes ? pv_member(r, f->offset, f->bytes) : f->value(r);
}
