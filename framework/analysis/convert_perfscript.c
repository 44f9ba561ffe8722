/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of `perf script` for samples with call chains, which flame graph tools read. Each TLP is a sample of its
 * requester, with its bytes on the wire as the period. The frames, innermost first, are its size, its kind, and its
 * class; docs/trace.md has the layout and the tools.
 */
#include <stdlib.h>

#include "framework/analysis/convert_internal.h"
#include "framework/trace/put.h"
#include "framework/trace/record.h"
#include "framework/util/file.h"

#define BUFFERED     (1 << 16)
#define SAMPLE_BYTES 512 /* maximum size of a sample */

struct script {
	int fd;
	uint64_t tick_hz;
	char *at; /* in buf */
	char buf[BUFFERED];
};

static int script_flush(void *state)
{
	struct script *s = state;
	int r = pv_write_all(s->fd, s->buf, (size_t)(s->at - s->buf));

	s->at = s->buf;
	return r;
}

static void *script_open(int fd, const struct pv_convert_options *o)
{
	struct script *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->fd = fd;
	s->tick_hz = o->tick_hz;
	s->at = s->buf;
	return s;
}

static int script_begin(void *state)
{
	return 0;
}

/* Writes v with at least `digits` digits. */
static char *put_padded(char *at, uint64_t v, unsigned digits)
{
	uint64_t limit = 1;

	while (--digits)
		limit *= 10;
	for (; v < limit && limit > 1; limit /= 10)
		*at++ = '0';
	return pv_put_u(at, v);
}

/*
 * Writes the first line of a sample: "01:00.0 65792/65792 [000] 0.001365169: 152 tlp:". The process is a function in
 * one stream.
 */
static char *put_head(const struct script *s, char *at, const struct pv_convert_run *r, const struct pv_record *rec,
		      uint64_t ticks)
{
	const struct pv_tlp *t = &rec->tlp;
	uint64_t process = (uint64_t)(r->stream->index + 1) << 16 | t->requester;
	uint64_t ns = pv_convert_time(ticks, s->tick_hz, PV_NS_PER_S);

	at = t->kind == PV_TLP_UNDEFINED ? pv_put_text(at, "undefined") : pv_put_bdf(at, t->requester);
	*at++ = ' ';
	at = pv_put_u(at, process);
	*at++ = '/';
	at = pv_put_u(at, process);
	at = pv_put_text(at, " [");
	at = put_padded(at, r->stream->cpu > 0 ? (uint64_t)r->stream->cpu : 0, 3);
	at = pv_put_text(at, "] ");
	at = pv_put_u(at, ns / PV_NS_PER_S);
	*at++ = '.';
	at = put_padded(at, ns % PV_NS_PER_S, 9);
	at = pv_put_text(at, ": ");
	at = pv_put_u(at, pv_tlp_wire_bytes(t, rec->prefix != 0));
	return pv_put_text(at, " tlp:\n");
}

/* Writes a frame: "\t 8000200200 MRd64 ([inbound])". */
static char *put_frame(char *at, uint64_t address, const char *what, const char *module)
{
	*at++ = '\t';
	for (uint64_t limit = 1ull << 60; limit > 1 && address < limit; limit >>= 4)
		*at++ = ' ';
	at = pv_put_x(at, address);
	*at++ = ' ';
	at = pv_put_string(at, what);
	at = pv_put_text(at, " ([");
	at = pv_put_string(at, module);
	return pv_put_text(at, "])\n");
}

/*
 * Returns the size class of a TLP by powers of two: "up to 256 B"; "no data" for TLPs that neither carry nor request
 * data.
 */
static const char *size_text(const struct pv_tlp *t)
{
	static const char *const texts[] = {"up to 4 B",   "up to 8 B",	  "up to 16 B",	 "up to 32 B",
					    "up to 64 B",  "up to 128 B", "up to 256 B", "up to 512 B",
					    "up to 1 KiB", "up to 2 KiB", "up to 4 KiB"};
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[t->kind];
	unsigned i = 0;

	if (!k->has_data && k->cls != PV_CLASS_NONPOSTED)
		return "no data";
	while (1u << i < t->length_dw)
		i++;
	return texts[i];
}

static char *put_sample(const struct script *s, char *at, const struct pv_convert_run *r, const struct pv_record *rec,
			uint64_t ticks)
{
	static const char *const classes[] = {[PV_CLASS_POSTED] = "posted",
					      [PV_CLASS_NONPOSTED] = "non-posted",
					      [PV_CLASS_COMPLETION] = "completion"};
	const struct pv_tlp *t = &rec->tlp;
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[t->kind];
	const char *direction = pv_trace_direction_name(pv_trace_stream_direction(r->stream, r->format));

	if (!direction)
		direction = "ptt";
	at = put_head(s, at, r, rec, ticks);
	if (t->kind != PV_TLP_UNDEFINED) {
		at = put_frame(at, k->has_address ? t->address : 0, size_text(t), direction);
		at = put_frame(at, 0, k->name, direction);
		at = put_frame(at, 0, classes[k->cls], direction);
	} else {
		at = put_frame(at, 0, "undefined", direction);
	}
	*at++ = '\n';
	return at;
}

static int script_run(void *state, const struct pv_convert_run *r)
{
	size_t size = pv_record_bytes(r->format);
	struct script *s = state;
	struct pv_record rec;
	int err = 0;

	for (size_t i = 0; !err && i < r->n; i++) {
		pv_trace_decode_record(r->stream, r->format, r->data + i * size, r->offset + i * size, &rec);
		s->at = put_sample(s, s->at, r, &rec, r->time[i]);
		if (s->at > s->buf + sizeof(s->buf) - SAMPLE_BYTES)
			err = script_flush(s);
	}
	return err;
}

const struct pv_converter pv_convert_perfscript = {
	.name = "perf-script",
	.help = "text of perf script, for flame graph tools",
	.open = script_open,
	.begin = script_begin,
	.run = script_run,
	.end = script_flush,
	.close = free,
};
