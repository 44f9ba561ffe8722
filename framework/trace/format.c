/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as text, JSON Lines and CSV: by hand, for this is most of the time that decoding takes. */
#include "framework/trace/format.h"

#include "framework/trace/put.h"

/* The meaningful fields of a record, for all writers. */
struct shape {
	const struct pv_tlp_kind_info *k;
	bool defined, is_8dw, length, request, address, destination;
	uint16_t target;
	uint64_t to;
};

static inline __attribute__((always_inline)) struct shape shape_of(const struct pv_record *r)
{
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[r->tlp.kind];
	struct shape s = {.k = k, .defined = r->tlp.kind != PV_TLP_UNDEFINED, .is_8dw = r->format == PV_RECORD_8DW};

	s.length = r->tlp.length_dw;
	s.request = s.defined && !k->is_completion && !k->is_message;
	s.address = k->has_address;
	s.to = r->tlp.address;
	s.destination = k->is_config;
	s.target = r->tlp.completer;
	if (k->is_message && r->tlp.routing == PV_ROUTED_BY_ADDRESS) {
		s.address = true;
		s.to = pv_record_routed_address(r);
	}
	if (k->is_message && r->tlp.routing == PV_ROUTED_BY_ID) {
		s.destination = true;
		s.target = pv_record_routed_id(r);
	}
	return s;
}

/* No branch on the length, which is as unpredictable as the kind: text gains 6 %, JSON Lines 2 %. */
static inline char *put_kind(char *at, const struct pv_tlp_kind_info *k)
{
	memcpy(at, k->name, sizeof(k->name));
	return at + k->name_bytes;
}

/* ---- JSON Lines ---- */

#define JSON_NUMBER(at, name, v) pv_put_u(pv_put_text(at, ",\"" name "\":"), v)
#define JSON_DIGIT(at, name, v)	 digit(pv_put_text(at, ",\"" name "\":"), v)
#define JSON_HEX(at, name, v)	 quoted(pv_put_x(pv_put_text(at, ",\"" name "\":\"0x"), v))
#define JSON_BDF(at, name, v)	 quoted(pv_put_bdf(pv_put_text(at, ",\"" name "\":\""), v))
#define JSON_STRING(at, name, v) quoted(pv_put_string(pv_put_text(at, ",\"" name "\":\""), v))

static inline char *quoted(char *at)
{
	*at = '"';
	return at + 1;
}

/* Of a field that always has one digit: the next field need not wait for its length. JSON Lines gain 5 %. */
static inline char *digit(char *at, unsigned v)
{
	*at = (char)('0' + v);
	return at + 1;
}

static bool has_time(const struct pv_trace_record *t)
{
	return !t->stream || t->stream->time != PV_TRACE_TIME_UNKNOWN;
}

static char *json_time(char *at, const struct pv_trace_record *t)
{
	if (has_time(t))
		at = JSON_NUMBER(at, "time", t->time);
	if (t->time_at_least)
		at = pv_put_text(at, ",\"time_at_least\":1");
	if (t->stream)
		at = JSON_STRING(at, "time_is", pv_trace_time_name(t->stream->time));
	return at;
}

static char *json_extra(char *at, const struct pv_record *r)
{
	const struct pv_record_extra *x = &r->extra;
	bool is_cpl = pv_tlp_kinds[r->tlp.kind].is_completion;

	at = JSON_NUMBER(at, "segment", x->segment);
	if (is_cpl)
		at = JSON_NUMBER(at, "completer_segment", x->completer_segment);
	if (is_cpl || pv_tlp_kinds[r->tlp.kind].is_config)
		at = JSON_DIGIT(at, "dsv", x->dsv);
	at = JSON_DIGIT(at, "t", x->t);
	at = JSON_DIGIT(at, "tv", x->tv);
	if (x->has_fm)
		at = JSON_DIGIT(at, "fm", x->fm);
	if (!x->is_short)
		return at;
	at = JSON_NUMBER(at, "st_high", x->st_high);
	at = JSON_NUMBER(at, "hv", x->hv);
	at = JSON_NUMBER(at, "ama", x->ama);
	return JSON_DIGIT(at, "av", x->av);
}

static char *json_head(char *at, const struct pv_trace_record *t, const struct shape *s)
{
	const struct pv_record *r = &t->record;

	at = pv_put_u(pv_put_text(at, "{\"offset\":"), r->offset);
	at = s->is_8dw ? pv_put_text(at, ",\"format\":\"8dw\"") : pv_put_text(at, ",\"format\":\"4dw\"");
	if (t->stream && t->stream->index)
		at = JSON_NUMBER(at, "stream", t->stream->index);
	at = JSON_NUMBER(at, "time_raw", r->time);
	at = json_time(at, t);
	if (t->direction)
		at = JSON_STRING(at, "direction", pv_trace_direction_name(t->direction));
	at = quoted(put_kind(pv_put_text(at, ",\"kind\":\""), s->k));
	at = JSON_DIGIT(at, "fmt", r->tlp.fmt);
	return JSON_NUMBER(at, "type", r->tlp.type);
}

/* A 4DW record keeps fewer fields of header DW0 than an 8DW record. */
static char *json_common(char *at, const struct pv_record *r, const struct shape *s)
{
	const struct pv_tlp *p = &r->tlp;

	if (s->is_8dw) {
		at = JSON_DIGIT(at, "tc", p->tc);
		at = JSON_DIGIT(at, "attr", p->attr);
		at = JSON_DIGIT(at, "th", p->th);
		at = JSON_DIGIT(at, "td", p->td);
		at = JSON_DIGIT(at, "ep", p->ep);
		at = JSON_DIGIT(at, "at", p->at);
	} else {
		at = JSON_DIGIT(at, "so", r->so);
		at = JSON_DIGIT(at, "th", p->th);
	}
	if (s->length)
		at = JSON_NUMBER(at, "length_dw", p->length_dw);
	at = JSON_BDF(at, "requester", p->requester);
	return JSON_NUMBER(at, "tag", p->tag);
}

static char *json_completion(char *at, const struct pv_tlp *p)
{
	at = JSON_BDF(at, "completer", p->completer);
	at = JSON_STRING(at, "status", pv_status_name(p->status));
	at = JSON_DIGIT(at, "bcm", p->bcm);
	at = JSON_NUMBER(at, "byte_count", p->byte_count);
	return JSON_NUMBER(at, "lower_address", p->lower_address);
}

static char *json_message(char *at, const struct pv_tlp *p)
{
	const char *name = pv_message_name(p->message_code);

	at = JSON_NUMBER(at, "message_code", p->message_code);
	if (name)
		at = JSON_STRING(at, "message", name);
	return JSON_DIGIT(at, "routing", p->routing);
}

static char *json_record(char *at, const struct pv_trace_record *t)
{
	const struct pv_record *r = &t->record;
	struct shape s = shape_of(r);

	at = json_head(at, t, &s);
	if (s.defined)
		at = json_common(at, r, &s);
	if (s.request) {
		at = JSON_NUMBER(at, "first_be", r->tlp.first_be);
		at = JSON_NUMBER(at, "last_be", r->tlp.last_be);
	}
	if (s.address)
		at = JSON_HEX(at, "address", s.to);
	if (s.k->is_completion)
		at = json_completion(at, &r->tlp);
	if (s.destination)
		at = JSON_BDF(at, "destination", s.target);
	if (s.k->is_config)
		at = JSON_HEX(at, "register", r->tlp.reg);
	if (s.k->is_message)
		at = json_message(at, &r->tlp);
	if (r->has_pasid) {
		at = JSON_NUMBER(at, "pasid", r->pasid);
		at = JSON_DIGIT(at, "pasid_exe", r->pasid_exe);
		at = JSON_DIGIT(at, "pasid_pmr", r->pasid_pmr);
	} else if (r->prefix) {
		at = JSON_HEX(at, "prefix", r->prefix);
	}
	if (__builtin_expect(r->has_extra, 0))
		at = json_extra(at, r);
	return pv_put_text(at, "}\n");
}

/* ---- CSV ---- */

#define CSV_HEAD                                                                                                     \
	"offset,format,stream,time_raw,time,direction,kind,fmt,type,tc,attr,so,th,td,ep,at,length_dw,requester,tag," \
	"first_be,last_be,address,completer,status,bcm,byte_count,lower_address,destination,register,message_code,"  \
	"message,routing,pasid,pasid_exe,pasid_pmr,prefix,time_is,time_at_least,segment,completer_segment,dsv,t,tv," \
	"fm,st_high,hv,ama,av\n"

static inline char *comma(char *at)
{
	*at = ',';
	return at + 1;
}

static inline char *csv_u(char *at, bool have, uint64_t v)
{
	return comma(have ? pv_put_u(at, v) : at);
}

static inline char *csv_x(char *at, bool have, uint64_t v)
{
	return comma(have ? pv_put_x(pv_put_text(at, "0x"), v) : at);
}

static inline char *csv_bdf(char *at, bool have, uint16_t v)
{
	return comma(have ? pv_put_bdf(at, v) : at);
}

static inline char *csv_text(char *at, const char *v)
{
	return comma(v ? pv_put_string(at, v) : at);
}

static char *csv_head(char *at, const struct pv_trace_record *t, const struct shape *s)
{
	const struct pv_record *r = &t->record;

	at = csv_u(at, true, r->offset);
	at = csv_text(at, s->is_8dw ? "8dw" : "4dw");
	at = csv_u(at, true, t->stream ? t->stream->index : 0);
	at = csv_u(at, true, r->time);
	at = csv_u(at, has_time(t), t->time);
	at = csv_text(at, pv_trace_direction_name(t->direction));
	at = comma(put_kind(at, s->k));
	at = csv_u(at, true, r->tlp.fmt);
	return csv_u(at, true, r->tlp.type);
}

static char *csv_common(char *at, const struct pv_record *r, const struct shape *s)
{
	const struct pv_tlp *p = &r->tlp;
	bool all = s->defined && s->is_8dw;

	at = csv_u(at, all, p->tc);
	at = csv_u(at, all, p->attr);
	at = csv_u(at, s->defined && !s->is_8dw, r->so);
	at = csv_u(at, s->defined, p->th);
	at = csv_u(at, all, p->td);
	at = csv_u(at, all, p->ep);
	at = csv_u(at, all, p->at);
	at = csv_u(at, s->length, p->length_dw);
	at = csv_bdf(at, s->defined, p->requester);
	at = csv_u(at, s->defined, p->tag);
	at = csv_u(at, s->request, p->first_be);
	at = csv_u(at, s->request, p->last_be);
	return csv_x(at, s->address, s->to);
}

static char *csv_completion(char *at, const struct pv_tlp *p, bool have)
{
	at = csv_bdf(at, have, p->completer);
	at = csv_text(at, have ? pv_status_name(p->status) : NULL);
	at = csv_u(at, have, p->bcm);
	at = csv_u(at, have, p->byte_count);
	return csv_u(at, have, p->lower_address);
}

static char *csv_extra(char *at, const struct pv_record *r)
{
	const struct pv_record_extra *x = &r->extra;
	bool is_cpl = pv_tlp_kinds[r->tlp.kind].is_completion;

	if (__builtin_expect(!r->has_extra, 1))
		return pv_put_text(at, ",,,,,,,,,,");
	at = csv_u(at, true, x->segment);
	at = csv_u(at, is_cpl, x->completer_segment);
	at = csv_u(at, is_cpl || pv_tlp_kinds[r->tlp.kind].is_config, x->dsv);
	at = csv_u(at, true, x->t);
	at = csv_u(at, true, x->tv);
	at = csv_u(at, x->has_fm, x->fm);
	at = csv_u(at, x->is_short, x->st_high);
	at = csv_u(at, x->is_short, x->hv);
	at = csv_u(at, x->is_short, x->ama);
	return csv_u(at, x->is_short, x->av);
}

static char *csv_record(char *at, const struct pv_trace_record *t)
{
	const struct pv_record *r = &t->record;
	struct shape s = shape_of(r);
	bool message = s.k->is_message;

	at = csv_head(at, t, &s);
	at = csv_common(at, r, &s);
	at = csv_completion(at, &r->tlp, s.k->is_completion);
	at = csv_bdf(at, s.destination, s.target);
	at = csv_x(at, s.k->is_config, r->tlp.reg);
	at = csv_u(at, message, r->tlp.message_code);
	at = csv_text(at, message ? pv_message_name(r->tlp.message_code) : NULL);
	at = csv_u(at, message, r->tlp.routing);
	at = csv_u(at, r->has_pasid, r->pasid);
	at = csv_u(at, r->has_pasid, r->pasid_exe);
	at = csv_u(at, r->has_pasid, r->pasid_pmr);
	at = csv_x(at, r->prefix && !r->has_pasid, r->prefix);
	at = csv_text(at, t->stream ? pv_trace_time_name(t->stream->time) : NULL);
	at = csv_u(at, t->time_at_least, 1);
	at = csv_extra(at, r);
	at[-1] = '\n';
	return at;
}

/* ---- for people ---- */

/* For 80 columns: what is longer than its column moves the rest of its line on. */
enum {
	COLUMN_TIME = 10,
	COLUMN_DIRECTION = 21,
	COLUMN_KIND = 25,
	COLUMN_REQUESTER = 33,
	COLUMN_LENGTH = 47,
	COLUMN_TO = 55
};

static char *text_extra(char *at, const struct pv_record *r)
{
	const struct pv_record_extra *x = &r->extra;

	if (x->segment || x->dsv)
		at = pv_put_x8(pv_put_text(at, " seg 0x"), x->segment);
	if (x->completer_segment)
		at = pv_put_x8(pv_put_text(at, " by seg 0x"), x->completer_segment);
	if (x->st_high)
		at = pv_put_x8(pv_put_text(at, " st[15:8] 0x"), x->st_high);
	if (x->tv)
		at = pv_put_digit(pv_put_text(at, " T"), x->t);
	if (x->hv)
		at = pv_put_digit(pv_put_text(at, " HV"), x->hv);
	if (x->av)
		at = pv_put_digit(pv_put_text(at, " AMA"), x->ama);
	return x->fm ? pv_put_text(at, " FM") : at;
}

static char *text_flags(char *at, const struct pv_record *r)
{
	static const struct {
		uint8_t mask;
		char text[8];
	} attrs[] = {{4, " IDO"}, {2, " RO"}, {1, " NS"}};
	const struct pv_tlp *p = &r->tlp;

	for (unsigned i = 0; i < 3 && r->format == PV_RECORD_8DW; i++)
		if (p->attr & attrs[i].mask)
			at = pv_put_string(at, attrs[i].text);
	if (r->so)
		at = pv_put_text(at, " SO");
	if (p->tc)
		at = pv_put_digit(pv_put_text(at, " TC"), p->tc);
	if (p->at)
		at = pv_put_digit(pv_put_text(at, " AT"), p->at);
	if (p->th)
		at = pv_put_text(at, " TH");
	if (p->td)
		at = pv_put_text(at, " TD");
	if (p->ep)
		at = pv_put_text(at, " EP");
	if (__builtin_expect(r->has_extra, 0))
		at = text_extra(at, r);
	if (!r->has_pasid)
		return r->prefix ? pv_put_x32(pv_put_text(at, " prefix 0x"), r->prefix) : at;
	at = pv_put_x(pv_put_text(at, " pasid 0x"), r->pasid);
	if (r->pasid_exe)
		at = pv_put_text(at, " exe");
	return r->pasid_pmr ? pv_put_text(at, " pmr") : at;
}

static char *text_message(char *at, const struct pv_tlp *p)
{
	const char *name = pv_message_name(p->message_code);

	at = name ? pv_put_string(at, name) : pv_put_x8(pv_put_text(at, "code 0x"), p->message_code);
	return pv_put_digit(pv_put_text(at, " r"), p->routing);
}

/* With TH, reads and atomics carry a steering tag where the byte enables are (PCIe 5.0 2.2.7.1.1). */
static char *text_enables(char *at, const struct pv_tlp *p, const struct pv_tlp_kind_info *k)
{
	if (p->th && (k->is_atomic || p->kind <= PV_TLP_MRDLK64))
		return pv_put_x8(pv_put_text(at, " st 0x"), (uint8_t)(p->last_be << 4 | p->first_be));
	at = pv_put_digit(pv_put_text(at, " be "), p->first_be);
	return pv_put_digit(pv_put_text(at, "/"), p->last_be);
}

/* Byte Count counts the bytes still to come, those of this completion included, from Lower Address on. */
static char *text_completion(char *at, const struct pv_tlp *p)
{
	at = pv_put_bdf(pv_put_text(at, "by "), p->completer);
	at = pv_put_string(pv_put_text(at, " "), pv_status_name(p->status));
	at = pv_put_u(pv_put_text(at, " "), p->byte_count);
	at = pv_put_x8(pv_put_text(at, " B @"), p->lower_address);
	return p->bcm ? pv_put_text(at, " BCM") : at;
}

static char *text_target(char *at, const struct pv_record *r, const struct shape *s)
{
	const struct pv_tlp *p = &r->tlp;

	if (s->k->is_completion)
		return text_completion(at, p);
	if (s->k->is_message)
		at = text_message(at, p);
	if (s->address)
		at = pv_put_x(s->k->is_message ? pv_put_text(at, " 0x") : pv_put_text(at, "0x"), s->to);
	if (s->destination)
		at = pv_put_bdf(s->k->is_message ? pv_put_text(at, " to ") : at, s->target);
	if (s->k->is_config)
		at = pv_put_x(pv_put_text(at, " reg 0x"), p->reg);
	return s->request ? text_enables(at, p, s->k) : at;
}

static char *text_time(char *at, const struct pv_trace_record *t)
{
	if (!has_time(t))
		return pv_put_text(at, "-");
	return pv_put_u(t->time_at_least ? pv_put_text(at, ">=") : at, t->time);
}

/* Comments, which are no records. */
static char *text_first(char *at, const struct pv_trace_stream *s)
{
	static const char *const what[] = {
		[PV_TRACE_TIME_UNKNOWN] = "is unknown: no times (see --time)",
		[PV_TRACE_TIME_CLOCK] = "is a clock",
		[PV_TRACE_TIME_DISTANCE] = "is the distance to the record before, added up here; >= at least so much",
	};

	at = pv_put_string(pv_put_text(at, "# Time "), what[s->time]);
	if (s->time)
		at = pv_put_string(at, s->time_is_given ? " (as given)" : " (detected)");
	return pv_put_text(at, "\n");
}

static char *text_record(char *at, const struct pv_trace_record *t)
{
	static const char direction[3][4] = {"-", "in", "out"};
	const struct pv_record *r = &t->record;
	struct shape s = shape_of(r);
	char *line = at;

	at = pv_put_u(at, r->offset);
	at = text_time(pv_put_column(at, line, COLUMN_TIME), t);
	at = pv_put_string(pv_put_column(at, line, COLUMN_DIRECTION), direction[t->direction]);
	at = put_kind(pv_put_column(at, line, COLUMN_KIND), s.k);
	at = pv_put_column(at, line, COLUMN_REQUESTER);
	if (!s.defined) {
		at = pv_put_digit(pv_put_text(at, "Fmt "), r->tlp.fmt);
		at = pv_put_x8(pv_put_text(at, " Type 0x"), r->tlp.type);
		return pv_put_text(text_flags(at, r), "\n");
	}
	at = pv_put_bdf(at, r->tlp.requester);
	at = pv_put_x(pv_put_text(at, " 0x"), r->tlp.tag);
	at = pv_put_column(at, line, COLUMN_LENGTH);
	if (s.length)
		at = pv_put_text(pv_put_u(at, r->tlp.length_dw), " DW");
	at = pv_put_column(at, line, COLUMN_TO);
	return pv_put_text(text_flags(text_target(at, r, &s), r), "\n");
}

const struct pv_format pv_formats[] = {
	{"text", "a line for each TLP", NULL, text_record, text_first},
	{"jsonl", "a JSON object on a line for each TLP", NULL, json_record},
	{"csv", "comma separated values with a line of names", CSV_HEAD, csv_record},
	{NULL},
};

const struct pv_format *pv_format_by_name(const char *name)
{
	const struct pv_format *f = pv_formats;

	while (f->name && strcmp(f->name, name))
		f++;
	return f->name ? f : NULL;
}
