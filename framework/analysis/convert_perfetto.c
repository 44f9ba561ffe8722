/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON in the Trace Event Format, which ui.perfetto.dev and chrome://tracing open. Each function that sent requests is
 * a process: a non-posted request is a slice that ends at its last completion, a posted request is an instant.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/convert_internal.h"
#include "framework/trace/format.h"
#include "framework/trace/put.h"
#include "framework/util/file.h"

#define BUFFERED    (1 << 16)
#define EVENT_BYTES 1024  /* maximum size of an event, including the name of its process */
#define FUNCTIONS   65536 /* number of functions per stream */
#define OPEN	    65536 /* number of requests that are remembered */
#define WAYS	    8	  /* number of open requests in one set of the table: a ninth one replaces the oldest */

/* A request that waits for its completion. */
struct open {
	uint64_t id; /* 0: none */
	uint64_t time;
	uint16_t length_dw;
	uint8_t kind;
};

struct perfetto {
	int fd;
	uint64_t tick_hz;
	const struct pv_stat_machine *machine;
	char *at;		    /* in buf */
	bool any;		    /* an event was written before */
	struct pv_per_stream named; /* per stream: a bit for each function whose name was written */
	struct open open[OPEN];
	char buf[BUFFERED];
};

static int perfetto_flush(struct perfetto *p)
{
	int r = pv_write_all(p->fd, p->buf, (size_t)(p->at - p->buf));

	p->at = p->buf;
	return r;
}

static void *perfetto_open(int fd, const struct pv_convert_options *o)
{
	struct perfetto *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fd = fd;
	p->tick_hz = o->tick_hz;
	p->machine = o->machine;
	p->at = p->buf;
	p->named.size = FUNCTIONS / 8;
	return p;
}

static int perfetto_begin(void *state)
{
	struct perfetto *p = state;

	p->at = pv_put_text(p->at, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return perfetto_flush(p);
}

/* ---- events ---- */

/* Returns the process of a function in one stream. It is never 0, which some readers treat as no process. */
static uint64_t process_of(const struct pv_convert_run *r, uint16_t requester)
{
	return (uint64_t)(r->stream->index + 1) << 16 | requester;
}

/* Writes the members that all events have: {"ph":"X","pid":65792,"tid":65792 */
static char *put_event(struct perfetto *p, char *at, char phase, uint64_t process)
{
	at = p->any ? pv_put_text(at, ",\n{\"ph\":\"") : pv_put_text(at, "\n{\"ph\":\"");
	p->any = true;
	*at++ = phase;
	at = pv_put_text(at, "\",\"pid\":");
	at = pv_put_u(at, process);
	at = pv_put_text(at, ",\"tid\":");
	return pv_put_u(at, process);
}

/* Writes the time in microseconds. */
static char *put_time(const struct perfetto *p, char *at, uint64_t ticks)
{
	uint64_t time = pv_convert_time(ticks, p->tick_hz, PV_NS_PER_S);
	unsigned ns = (unsigned)(time % 1000);

	at = pv_put_text(at, ",\"ts\":");
	at = pv_put_u(at, time / 1000);
	*at++ = '.';
	*at++ = (char)('0' + ns / 100);
	*at++ = (char)('0' + ns / 10 % 10);
	*at++ = (char)('0' + ns % 10);
	return at;
}

/*
 * Writes the name of a function as part of a JSON string: non-ASCII characters, and characters that need escapes,
 * become '?'.
 */
static char *put_title(char *at, const struct pv_stat_function *f)
{
	if (!f || !*f->name)
		return at;
	*at++ = ' ';
	for (const char *c = f->name; *c; c++)
		*at++ = *c < ' ' || *c > '~' || *c == '"' || *c == '\\' ? '?' : *c;
	return at;
}

/* Names the process of a function before its first event. */
static char *put_process(struct perfetto *p, char *at, const struct pv_convert_run *r, uint16_t requester)
{
	uint8_t *named = pv_per_stream(&p->named, r->stream->index);
	uint8_t bit = (uint8_t)(1u << requester % 8);

	if (!named || named[requester / 8] & bit)
		return at;
	named[requester / 8] |= bit;
	at = put_event(p, at, 'M', process_of(r, requester));
	at = pv_put_text(at, ",\"name\":\"process_name\",\"args\":{\"name\":\"");
	at = pv_put_bdf(at, requester);
	at = put_title(at, pv_stat_function_of(p->machine, requester));
	if (r->stream->index) {
		at = pv_put_text(at, " (stream ");
		at = pv_put_u(at, r->stream->index);
		*at++ = ')';
	}
	return pv_put_text(at, "\"}}");
}

static char *put_field(char *at, const char *name, uint64_t value)
{
	at = pv_put_text(at, ",\"");
	at = pv_put_string(at, name);
	at = pv_put_text(at, "\":");
	return pv_put_u(at, value);
}

/* Writes the arguments and ends the event: ,"args":{...}} */
static char *put_args(char *at, const struct pv_record *rec)
{
	const struct pv_tlp_kind_info *kind = &pv_tlp_kinds[rec->tlp.kind];

	at = pv_put_text(at, ",\"args\":{\"offset\":");
	at = pv_put_u(at, rec->offset);
	at = put_field(at, "length_dw", rec->tlp.length_dw);
	at = put_field(at, "tag", rec->tlp.tag);
	if (kind->has_address) {
		at = pv_put_text(at, ",\"address\":\"0x");
		at = pv_put_x(at, rec->tlp.address);
		*at++ = '"';
	}
	if (kind->is_completion) {
		at = put_field(at, "byte_count", rec->tlp.byte_count);
		at = put_field(at, "status", rec->tlp.status);
	}
	return pv_put_text(at, "}}");
}

/* ---- slices ---- */

/* Returns the key that a request and its completions share: stream, requester and tag. */
static uint64_t id_of(const struct pv_convert_run *r, const struct pv_tlp *t)
{
	return process_of(r, t->requester) << 16 | t->tag;
}

/* Finds the request with this id. NULL: not remembered; *oldest is then the entry to replace. */
static struct open *find_open(struct perfetto *p, uint64_t id, struct open **oldest)
{
	struct open *first = &p->open[(id * 0x9e3779b97f4a7c15ull) >> 48 & ~(uint64_t)(WAYS - 1)];

	*oldest = first;
	for (struct open *o = first; o < first + WAYS; o++) {
		if (o->id == id)
			return o;
		if (!o->id || ((*oldest)->id && o->time < (*oldest)->time))
			*oldest = o;
	}
	return NULL;
}

/* The last completion of a request carries all remaining bytes, or an error (PCIe 5.0 2.2.9, 2.3.1.1). */
static bool is_last(const struct pv_tlp *t)
{
	unsigned room = 4u * t->length_dw - (t->lower_address & 3);

	return t->status || !pv_tlp_kinds[t->kind].has_data || t->byte_count <= room;
}

static char *put_id(char *at, uint64_t id)
{
	at = pv_put_text(at, ",\"cat\":\"request\",\"id\":\"0x");
	at = pv_put_x(at, id);
	*at++ = '"';
	return at;
}

static char *put_name(char *at, const char *name)
{
	at = pv_put_text(at, ",\"name\":\"");
	at = pv_put_string(at, name);
	*at++ = '"';
	return at;
}

/* Writes both ends of a slice. Requests of one function overlap, so each slice has an id. */
static char *put_slice(struct perfetto *p, char *at, const struct pv_convert_run *r, const struct open *o,
		       const struct pv_record *rec, uint64_t time)
{
	uint64_t process = process_of(r, rec->tlp.requester);
	const char *name = pv_tlp_kinds[o->kind].name;

	at = put_event(p, at, 'b', process);
	at = put_time(p, at, o->time);
	at = put_id(put_name(at, name), o->id);
	at = pv_put_text(at, ",\"args\":{\"tag\":");
	at = pv_put_u(at, rec->tlp.tag);
	at = put_field(at, "length_dw", o->length_dw);
	at = put_field(at, "status", rec->tlp.status);
	at = pv_put_text(at, "}}");
	at = put_event(p, at, 'e', process);
	at = put_time(p, at, time);
	at = put_id(put_name(at, name), o->id);
	return pv_put_text(at, "}");
}

/* Remembers a request, or writes the slice of a request at its last completion. */
static char *follow(struct perfetto *p, char *at, const struct pv_convert_run *r, const struct pv_record *rec,
		    uint64_t time)
{
	const struct pv_tlp_kind_info *kind = &pv_tlp_kinds[rec->tlp.kind];
	uint64_t id = id_of(r, &rec->tlp);
	struct open *oldest, *o = find_open(p, id, &oldest);

	if (kind->cls == PV_CLASS_NONPOSTED) {
		*(o ? o : oldest) = (struct open){id, time, rec->tlp.length_dw, (uint8_t)rec->tlp.kind};
	} else if (kind->is_completion && o && is_last(&rec->tlp)) {
		at = put_slice(p, at, r, o, rec, time);
		o->id = 0;
	}
	return at;
}

static void put_record(struct perfetto *p, const struct pv_convert_run *r, const struct pv_record *rec, uint64_t time)
{
	char *at = put_process(p, p->at, r, rec->tlp.requester);

	at = put_event(p, at, 'i', process_of(r, rec->tlp.requester));
	at = put_time(p, at, time);
	at = put_name(at, pv_tlp_kinds[rec->tlp.kind].name);
	at = pv_put_text(at, ",\"s\":\"t\"");
	at = put_args(at, rec);
	p->at = follow(p, at, r, rec, time);
}

static int perfetto_run(void *state, const struct pv_convert_run *r)
{
	size_t size = pv_record_bytes(r->format);
	struct perfetto *p = state;
	struct pv_record rec;
	int err = 0;

	for (size_t i = 0; !err && i < r->n; i++) {
		pv_trace_decode_record(r->stream, r->format, r->data + i * size, r->offset + i * size, &rec);
		put_record(p, r, &rec, r->time[i]);
		if (p->at > p->buf + sizeof(p->buf) - EVENT_BYTES)
			err = perfetto_flush(p);
	}
	return err;
}

static int perfetto_end(void *state)
{
	struct perfetto *p = state;

	p->at = pv_put_text(p->at, "\n]}\n");
	return perfetto_flush(p);
}

static void perfetto_close(void *state)
{
	struct perfetto *p = state;

	free(p->named.of);
	free(p);
}

const struct pv_converter pv_convert_perfetto = {
	.name = "perfetto",
	.help = "JSON for ui.perfetto.dev: a track for each function",
	.needs_time = true,
	.open = perfetto_open,
	.begin = perfetto_begin,
	.run = perfetto_run,
	.end = perfetto_end,
	.close = perfetto_close,
};
