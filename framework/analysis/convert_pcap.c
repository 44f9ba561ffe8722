/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCAP (nanosecond variant) with LINKTYPE_USER0: a pseudo-header of 16 bytes, the prefix if there is one, and the TLP
 * header in wire order. docs/trace.md has the layout, docs/ptt.lua the dissector.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/convert_internal.h"
#include "framework/analysis/kind_lut.h"
#include "framework/util/file.h"

#define MAGIC_NS 0xa1b23c4du
#define PACKET	 (16 + PV_PCAP_PACKET_BYTES)
#define BUFFERED 1024 /* packets */

struct pcap {
	int fd;
	uint64_t tick_hz;
	size_t n;
	uint8_t buf[BUFFERED * PACKET];
};

static void *pcap_open(int fd, const struct pv_convert_options *o)
{
	struct pcap *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fd = fd;
	p->tick_hz = o->tick_hz;
	return p;
}

static int pcap_flush(void *state)
{
	struct pcap *p = state;
	int r = pv_write_all(p->fd, p->buf, p->n);

	p->n = 0;
	return r;
}

static void put(struct pcap *p, const void *data, size_t n)
{
	memcpy(p->buf + p->n, data, n);
	p->n += n;
}

/* Fields of the file format are little-endian; its magic number says so. */
static void put_le(struct pcap *p, uint32_t v)
{
	put(p, &(uint32_t){htole32(v)}, 4);
}

static int pcap_begin(void *state)
{
	struct pcap *p = state;

	put_le(p, MAGIC_NS);
	put_le(p, 2 | 4u << 16); /* version 2.4 */
	put_le(p, 0);
	put_le(p, 0);
	put_le(p, 65535); /* snaplen */
	put_le(p, PV_PCAP_LINKTYPE);
	return pcap_flush(p);
}

/* Restores the header DWs of PCIe from a record; fields that 4DW lacks are 0. */
static void header_of(bool is_8dw, const uint8_t *rec, uint32_t h[4])
{
	uint32_t d = pv_le32(rec);

	for (unsigned i = 0; i < 4; i++)
		h[i] = pv_le32(rec + (is_8dw ? 8 : 0) + 4 * i);
	if (!is_8dw)
		h[0] = (d >> 25) << 24 | (d >> 24 & 1) << 23 | (d >> 23 & 1) << 19 | (d >> 22 & 1) << 16 |
		       (d >> 21 & 1) << 13 | (d >> 11 & 0x3ff);
}

static uint8_t *put_be(uint8_t *at, uint32_t v)
{
	memcpy(at, &(uint32_t){htobe32(v)}, 4);
	return at + 4;
}

void pv_pcap_make_packet(struct pv_pcap_packet *p, const struct pv_convert_run *r, size_t i)
{
	bool is_8dw = r->format == PV_RECORD_8DW;
	const uint8_t *rec = r->data + i * pv_record_bytes(r->format);
	uint32_t prefix = is_8dw ? pv_le32(rec + 4) : 0, h[4];
	unsigned code = pv_words(is_8dw, rec).code, words = code & 0x20 ? 4 : 3;
	uint64_t offset = r->offset + i * pv_record_bytes(r->format);
	uint8_t *at = p->data;

	header_of(is_8dw, rec, h);
	*at++ = PV_PCAP_VERSION;
	*at++ = is_8dw ? 8 : 4;
	*at++ = (uint8_t)pv_trace_stream_direction(r->stream, r->format);
	*at++ = (uint8_t)((prefix ? PV_PCAP_FLAG_PREFIX : 0) | r->stream->time << PV_PCAP_TIME_SHIFT);
	at = put_be(at, pv_trace_raw_time(r->format, rec));
	at = put_be(at, (uint32_t)(offset >> 32));
	at = put_be(at, (uint32_t)offset);
	if (prefix)
		at = put_be(at, prefix);
	for (unsigned k = 0; k < words; k++)
		at = put_be(at, h[k]);
	p->captured = (uint32_t)(at - p->data);
	p->original = p->captured + (pv_kind_lut_table[code].has_data ? 4 * pv_words(is_8dw, rec).length : 0);
}

static void put_packet(struct pcap *p, const struct pv_convert_run *r, size_t i)
{
	uint64_t ns = pv_convert_time(r->time[i], p->tick_hz, PV_NS_PER_S);
	struct pv_pcap_packet packet;

	pv_pcap_make_packet(&packet, r, i);
	put_le(p, (uint32_t)(ns / PV_NS_PER_S));
	put_le(p, (uint32_t)(ns % PV_NS_PER_S));
	put_le(p, packet.captured);
	put_le(p, packet.original);
	put(p, packet.data, packet.captured);
}

static int pcap_run(void *state, const struct pv_convert_run *r)
{
	struct pcap *p = state;
	int err = 0;

	for (size_t i = 0; !err && i < r->n; i++) {
		put_packet(p, r, i);
		if (p->n > sizeof(p->buf) - PACKET)
			err = pcap_flush(p);
	}
	return err;
}

const struct pv_converter pv_convert_pcap = {
	.name = "pcap",
	.help = "for Wireshark and tshark, with docs/ptt.lua",
	.open = pcap_open,
	.begin = pcap_begin,
	.run = pcap_run,
	.end = pcap_flush,
	.close = free,
};
