/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcapng (draft-ietf-opsawg-pcapng): the packets of PCAP, with an interface for each requester, a comment about the
 * conversion, and comments at packets that break a rule or follow a gap.
 */
#include <endian.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/convert_internal.h"
#include "framework/trace/tlp.h"
#include "framework/util/file.h"
#include "framework/util/utf8.h"

#define BUFFERED    (1 << 16)
#define BLOCK_BYTES 4096 /* maximum size of a block */
#define TEXT_BYTES  512	 /* maximum size of an option's text */
#define SAID_MAX    100	 /* maximum number of comments per rule */
#define FINDINGS    12	 /* maximum number of findings in the section's comments */

enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, STATISTICS = 5, PACKET = 6 }; /* section 4 of the draft */
enum { ORDER_MAGIC = 0x1a2b3c4d };
enum { OPT_END = 0, OPT_COMMENT = 1, SHB_USERAPPL = 4, IF_NAME = 2, IF_DESCRIPTION = 3, IF_TSRESOL = 9 };
/* The interface of TLPs that have no known requester. */
enum { NO_REQUESTER = 1 << 16 };

/* ---- rules that a single TLP can break ---- */

enum rule { RULE_STATUS, RULE_POISONED, RULE_BOUNDARY, RULE_MPS, RULE_MRRS, RULES };

/* A requester: its interface, and its MPS and MRRS from the dump. */
struct function {
	uint32_t id;	    /* number of its interface, from 1; 0: not written yet */
	uint16_t mps, mrrs; /* bytes; 0: unknown */
};

struct pcapng {
	int fd;
	const struct pv_convert_options *opt;
	uint8_t resolution; /* times are in units of 10^-resolution s */
	uint64_t per_second;
	bool started;
	uint32_t n; /* number of interfaces */
	struct function functions[NO_REQUESTER + 1];
	unsigned said[RULES];
	char gap[TEXT_BYTES]; /* comment for the next packet: the data that is missing before it */
	size_t used;
	uint8_t buf[BUFFERED];
};

static int pcapng_flush(void *state)
{
	struct pcapng *p = state;
	int r = pv_write_all(p->fd, p->buf, p->used);

	p->used = 0;
	return r;
}

static void *pcapng_open(int fd, const struct pv_convert_options *o)
{
	struct pcapng *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fd = fd;
	p->opt = o;
	p->resolution = 9;
	p->per_second = PV_NS_PER_S;
	while (p->per_second < o->tick_hz && p->resolution < 12) {
		p->resolution++;
		p->per_second *= 10;
	}
	return p;
}

static int pcapng_begin(void *state)
{
	return 0;
}

/* ---- blocks ---- */

static void put(struct pcapng *p, const void *data, size_t n)
{
	memcpy(p->buf + p->used, data, n);
	p->used += n;
}

static void put32(struct pcapng *p, uint32_t v)
{
	put(p, &(uint32_t){htole32(v)}, 4);
}

static void put_padded(struct pcapng *p, const void *data, size_t n)
{
	put(p, data, n);
	put(p, (const uint8_t[4]){0}, -n & 3);
}

/* Begins a block. Returns the position of its length, which put_end() fills. */
static size_t put_begin(struct pcapng *p, uint32_t type)
{
	put32(p, type);
	put32(p, 0);
	return p->used - 4;
}

static void put_end(struct pcapng *p, size_t begin)
{
	uint32_t length = htole32((uint32_t)(p->used - begin + 8));

	memcpy(p->buf + begin, &length, 4);
	put(p, &length, 4);
}

static void put_option(struct pcapng *p, uint16_t code, const void *data, size_t n)
{
	put32(p, code | (uint32_t)n << 16);
	put_padded(p, data, n);
}

/* Writes a text option as UTF-8, cut between characters. Control characters and invalid bytes become '?'. */
static void put_text(struct pcapng *p, uint16_t code, const char *text)
{
	char clean[TEXT_BYTES];
	size_t n = 0;

	while (*text) {
		unsigned c = 0;
		size_t bytes = pv_utf8_decode(text, &c);
		bool is_good = bytes && (c == '\n' || c >= 0x20) && !(c >= 0x7f && c < 0xa0);

		if (n + (bytes ? bytes : 1) > sizeof(clean))
			break;
		if (is_good)
			memcpy(clean + n, text, bytes);
		else
			clean[n] = '?';
		n += is_good ? bytes : 1;
		text += bytes ? bytes : 1;
	}
	put_option(p, code, clean, n);
}

static const char *time_text(const struct pcapng *p, const struct pv_trace_stream *s, char buf[120])
{
	if (!s || !s->time)
		snprintf(buf, 120, "Time is unknown: all packets have time 0.");
	else if (p->opt->tick_hz)
		snprintf(buf, 120, "Time is a %s; %" PRIu64 " ticks per second.", pv_trace_time_name(s->time),
			 p->opt->tick_hz);
	else
		snprintf(buf, 120, "Time is a %s; a tick is shown as a nanosecond, its length is unknown.",
			 pv_trace_time_name(s->time));
	return buf;
}

/* Writes each line as a comment. */
static void put_findings(struct pcapng *p, const char *lines)
{
	char text[TEXT_BYTES];

	for (size_t n, i = 0; lines && *lines && i < FINDINGS; i++) {
		n = strcspn(lines, "\n");
		snprintf(text, sizeof(text), "%.*s", (int)n, lines);
		put_text(p, OPT_COMMENT, text);
		lines += n + (lines[n] == '\n');
	}
}

/* Writes the section header once, when the first stream (NULL: none) tells the meaning of Time. */
static void put_section(struct pcapng *p, const struct pv_trace_stream *s)
{
	const struct pv_convert_options *o = p->opt;
	char text[TEXT_BYTES], time[120];
	size_t begin;

	if (p->started)
		return;
	p->started = true;
	begin = put_begin(p, SECTION);
	put32(p, ORDER_MAGIC);
	put32(p, 1);	      /* version 1.0 */
	put32(p, UINT32_MAX); /* length of the section: unknown */
	put32(p, UINT32_MAX);
	put_text(p, SHB_USERAPPL, "pcieval");
	snprintf(text, sizeof(text), "PCIe TLP headers traced by a HiSilicon PTT%s%.250s%s%.160s. %s",
		 o->name ? ", from " : "", o->name ? o->name : "", o->how ? ", records of --where " : "",
		 o->how ? o->how : "", time_text(p, s, time));
	put_text(p, OPT_COMMENT, text);
	put_findings(p, o->findings);
	put_option(p, OPT_END, "", 0);
	put_end(p, begin);
}

static void put_interface(struct pcapng *p, uint32_t requester)
{
	const struct pv_stat_function *f =
		requester == NO_REQUESTER ? NULL : pv_stat_function_of(p->opt->machine, (uint16_t)requester);
	size_t begin = put_begin(p, INTERFACE);
	char name[16] = "no requester";

	p->functions[requester] = (struct function){++p->n, (uint16_t)(f ? f->mps : 0), (uint16_t)(f ? f->mrrs : 0)};
	if (requester != NO_REQUESTER)
		snprintf(name, sizeof(name), "%02x:%02x.%x", requester >> 8, requester >> 3 & 0x1f, requester & 7);
	put32(p, PV_PCAP_LINKTYPE);
	put32(p, 0); /* snaplen: no limit */
	put_text(p, IF_NAME, name);
	if (f && *f->name)
		put_text(p, IF_DESCRIPTION, f->name);
	put_option(p, IF_TSRESOL, &p->resolution, 1);
	put_option(p, OPT_END, "", 0);
	put_end(p, begin);
}

/* ---- comments ---- */

/* Adds a line. A line that does not fit is left out. */
static void __attribute__((format(printf, 2, 3))) add_line(char text[TEXT_BYTES], const char *fmt, ...)
{
	size_t n = strlen(text);
	va_list args;

	if (n && n + 1 < TEXT_BYTES)
		text[n++] = '\n';
	va_start(args, fmt);
	if (vsnprintf(text + n, TEXT_BYTES - n, fmt, args) >= (int)(TEXT_BYTES - n))
		text[n ? n - 1 : 0] = '\0';
	va_end(args);
}

/* Counts a comment of this rule. Returns true if it must be written, with the suffix *last. */
static bool is_said(struct pcapng *p, enum rule rule, const char **last)
{
	*last = ++p->said[rule] == SAID_MAX ? " (not marked from here on)" : "";
	return p->said[rule] <= SAID_MAX;
}

/* Counts the whole first and last DW, whatever the byte enables. */
static bool crosses_boundary(const struct pv_tlp *t)
{
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[t->kind];

	return k->has_address && !k->is_message && (t->address & 0xffc) + 4u * t->length_dw > 0x1000;
}

static void check_request(struct pcapng *p, const struct pv_tlp *t, const struct function *f, char text[TEXT_BYTES])
{
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[t->kind];
	unsigned bytes = 4u * t->length_dw;
	const char *last;

	if (crosses_boundary(t) && is_said(p, RULE_BOUNDARY, &last))
		add_line(text, "crosses a 4 KiB boundary: malformed (PCIe 5.0 2.2.7)%s", last);
	if (k->has_data && f->mps && bytes > f->mps && is_said(p, RULE_MPS, &last))
		add_line(text, "%u bytes of payload: MPS of the requester is %u (PCIe 5.0 2.2.2)%s", bytes, f->mps,
			 last);
	if (!k->has_data && k->has_address && !k->is_message && f->mrrs && bytes > f->mrrs &&
	    is_said(p, RULE_MRRS, &last))
		add_line(text, "asks for %u bytes: MRRS of the requester is %u (PCIe 5.0 2.2.7)%s", bytes, f->mrrs,
			 last);
}

static void check_packet(struct pcapng *p, const struct pv_tlp *t, const struct function *f, char text[TEXT_BYTES])
{
	static const char *const statuses[8] = {[1] = "UR: the completer does not support the request",
						[2] = "CRS: the completer is not ready, the request is to be repeated",
						[4] = "CA: the completer aborted the request"};
	const char *last;

	if (pv_tlp_kinds[t->kind].is_completion) {
		if (t->status && is_said(p, RULE_STATUS, &last))
			add_line(text, "%s%s", statuses[t->status] ? statuses[t->status] : "a reserved status", last);
	} else if (t->kind != PV_TLP_UNDEFINED) {
		check_request(p, t, f, text);
	}
	if (t->ep && is_said(p, RULE_POISONED, &last))
		add_line(text, "poisoned: the data is known to be corrupt (EP)%s", last);
}

static int pcapng_mark(void *state, const struct pv_trace_mark *m)
{
	struct pcapng *p = state;

	if (m->kind != PV_TRACE_AUX_FLAGS)
		add_line(p->gap, "%" PRIu64 " events were lost before this record", m->lost);
	else if (m->flags)
		add_line(p->gap, "the trace before this record is flagged:%s%s%s%s", m->flags & 1 ? " truncated" : "",
			 m->flags & 2 ? " overwritten" : "", m->flags & 4 ? " partial" : "",
			 m->flags & 8 ? " collision" : "");
	return 0;
}

static int pcapng_gap(void *state, uint64_t bytes)
{
	add_line(((struct pcapng *)state)->gap,
		 "%" PRIu64 " bytes of the trace before this record are damaged or missing", bytes);
	return 0;
}

/* ---- packets ---- */

static void put_packet(struct pcapng *p, const struct pv_convert_run *r, size_t i)
{
	size_t size = pv_record_bytes(r->format);
	uint64_t time = pv_convert_time(r->time[i], p->opt->tick_hz, p->per_second);
	struct pv_pcap_packet packet;
	struct pv_record rec;

	pv_trace_decode_record(r->stream, r->format, r->data + i * size, r->offset + i * size, &rec);
	uint32_t requester = rec.tlp.kind == PV_TLP_UNDEFINED ? NO_REQUESTER : rec.tlp.requester;
	if (!p->functions[requester].id)
		put_interface(p, requester);
	check_packet(p, &rec.tlp, &p->functions[requester], p->gap);
	pv_pcap_make_packet(&packet, r, i);
	size_t begin = put_begin(p, PACKET);
	put32(p, p->functions[requester].id - 1);
	put32(p, (uint32_t)(time >> 32));
	put32(p, (uint32_t)time);
	put32(p, packet.captured);
	put32(p, packet.original);
	put_padded(p, packet.data, packet.captured);
	if (*p->gap) {
		put_text(p, OPT_COMMENT, p->gap);
		put_option(p, OPT_END, "", 0);
		*p->gap = '\0';
	}
	put_end(p, begin);
}

static int pcapng_run(void *state, const struct pv_convert_run *r)
{
	struct pcapng *p = state;
	int err = 0;

	put_section(p, r->stream);
	for (size_t i = 0; !err && i < r->n; i++) {
		put_packet(p, r, i);
		if (p->used > sizeof(p->buf) - BLOCK_BYTES)
			err = pcapng_flush(p);
	}
	return err;
}

/* A gap behind the last record has no packet: an Interface Statistics Block gets the comment. */
static int pcapng_end(void *state)
{
	struct pcapng *p = state;
	size_t begin;

	put_section(p, NULL);
	if (*p->gap && p->n) {
		begin = put_begin(p, STATISTICS);
		put32(p, p->n - 1);
		put32(p, 0);
		put32(p, 0);
		put_text(p, OPT_COMMENT, p->gap);
		put_option(p, OPT_END, "", 0);
		put_end(p, begin);
	}
	return pcapng_flush(p);
}

const struct pv_converter pv_convert_pcapng = {
	.name = "pcapng",
	.help = "PCAP with interfaces and comments, for Wireshark",
	.open = pcapng_open,
	.begin = pcapng_begin,
	.run = pcapng_run,
	.mark = pcapng_mark,
	.gap = pcapng_gap,
	.end = pcapng_end,
	.close = free,
};
