/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT trace records to numbers: the fixed bits, the PASID prefix, and the header words put back where
 * PCIe has them, so that one TLP decoder serves both formats.
 */
#include "framework/trace/record.h"

#include <errno.h>
#include <string.h>

#include "drivers/regs/ptt.h"

/* DW0 [31:11] of an 8DW record, all ones, tells the formats apart. [10:0] is not checked. */
#define DW0_8DW_MARK PTT_RECORD_8DW_MARK_MASK

/* 4DW DW0 */
#define R4_FMT(d)    ((d) >> 30)
#define R4_TYPE(d)   ((d) >> 25 & 0x1f)
#define R4_T9	     (1u << 24)
#define R4_T8	     (1u << 23)
#define R4_TH	     (1u << 22)
#define R4_SO	     (1u << 21)
#define R4_LENGTH(d) ((d) >> 11 & 0x3ff)
#define R4_TIME(d)   ((d)&PTT_RECORD_4DW_TIME_MASK)

/* End-End prefix, type 0001b (PCIe 5.0 6.20.2 and figure 6-20) */
#define PREFIX_PASID   0x91u /* Fmt 100b, Type 1_0001b */
#define PASID_PMR      (1u << 21)
#define PASID_EXE      (1u << 20)
#define PASID_VALUE(p) ((p)&0xfffff)

static uint32_t le32(const void *p)
{
	uint8_t b[4];

	memcpy(b, p, sizeof(b));
	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool all_zero(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint8_t any = 0;

	for (size_t i = 0; i < len; i++)
		any |= p[i];
	return !any;
}

enum pv_record_format pv_record_detect(const void *data, size_t len)
{
	if (len < PTT_RECORD_4DW_BYTES || all_zero(data, PTT_RECORD_4DW_BYTES))
		return PV_RECORD_UNKNOWN;
	if ((le32(data) & DW0_8DW_MARK) != DW0_8DW_MARK)
		return PV_RECORD_4DW;
	return len < PTT_RECORD_8DW_BYTES ? PV_RECORD_UNKNOWN : PV_RECORD_8DW;
}

static int decode_8dw(struct pv_record *out)
{
	if ((out->dw[0] & DW0_8DW_MARK) != DW0_8DW_MARK)
		return -EBADMSG;
	out->prefix = out->dw[1];
	out->time = out->dw[7];
	if (out->prefix >> 24 == PREFIX_PASID) {
		out->has_pasid = true;
		out->pasid = PASID_VALUE(out->prefix);
		out->pasid_exe = out->prefix & PASID_EXE;
		out->pasid_pmr = out->prefix & PASID_PMR;
	}
	pv_tlp_decode(&out->dw[2], &out->tlp);
	return 0;
}

/* Rebuilds header DW0 from the fields that a 4DW record keeps: see pv_tlp_decode() for the places. */
static uint32_t header_dw0(uint32_t d)
{
	return R4_FMT(d) << 29 | R4_TYPE(d) << 24 | (d & R4_T9 ? 1u << 23 : 0) | (d & R4_T8 ? 1u << 19 : 0) |
	       (d & R4_TH ? 1u << 16 : 0) | (d & R4_SO ? 1u << 13 : 0) | R4_LENGTH(d);
}

static int decode_4dw(struct pv_record *out)
{
	uint32_t hdr[4] = {header_dw0(out->dw[0]), out->dw[1], out->dw[2], out->dw[3]};

	/* All ones would be an 8DW record; all zero is the unused tail of a buffer, and no legal TLP. */
	if ((out->dw[0] & DW0_8DW_MARK) == DW0_8DW_MARK || !(out->dw[0] | out->dw[1] | out->dw[2] | out->dw[3]))
		return -EBADMSG;
	out->time = R4_TIME(out->dw[0]);
	out->so = out->dw[0] & R4_SO;
	pv_tlp_decode(hdr, &out->tlp);
	return 0;
}

static inline void take_words(struct pv_record *out, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out->dw[i] = le32(p + 4 * i);
}

int pv_record_decode(enum pv_record_format f, const void *data, uint64_t offset, struct pv_record *out)
{
	/* Two parts, since the compiler makes one memset() `rep stos`, which doubles the time of this function. */
	memset(out, 0, offsetof(struct pv_record, tlp));
	memset(&out->tlp, 0, sizeof(out->tlp));
	out->format = f;
	out->offset = offset;
	switch (f) {
	case PV_RECORD_8DW:
		take_words(out, data, PTT_RECORD_8DW_BYTES / 4);
		return decode_8dw(out);
	case PV_RECORD_4DW:
		take_words(out, data, PTT_RECORD_4DW_BYTES / 4);
		return decode_4dw(out);
	default:
		return -EBADMSG;
	}
}

/* ---- data pattern 1 ---- */

/* The place of each field, by the shape of the header: {lowest bit, width} in a word; width 0: it is not there. */
struct place {
	uint8_t low, bits;
};
static const struct extra_shape {
	uint8_t word; /* of the header */
	struct place tag, t, tv, segment, completer, dsv, st, hv, ama, av, fm;
} long_address = {.word = 2, .tag = {16, 4}, .t = {20, 1}, .tv = {21, 1}, .segment = {23, 8}},
  short_address = {.word = 3,
		   .tag = {0, 4},
		   .t = {4, 1},
		   .tv = {5, 1},
		   .segment = {24, 8},
		   .st = {16, 8},
		   .hv = {12, 2},
		   .ama = {9, 3},
		   .av = {8, 1},
		   .fm = {7, 1}},
  io = {.word = 3, .tag = {0, 4}, .t = {4, 1}, .tv = {5, 1}, .segment = {24, 8}, .fm = {7, 1}},
  config = {.word = 3, .tag = {16, 4}, .t = {20, 1}, .tv = {21, 1}, .segment = {23, 8}, .dsv = {22, 1}},
  completion = {.word = 3,
		.tag = {0, 4},
		.t = {4, 1},
		.tv = {5, 1},
		.segment = {24, 8},
		.completer = {16, 8},
		.dsv = {15, 1}};

static const struct extra_shape *extra_shape_of(enum pv_tlp_kind kind)
{
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[kind];

	if (k->is_completion)
		return &completion;
	if (k->is_config)
		return &config;
	if (kind == PV_TLP_IORD || kind == PV_TLP_IOWR)
		return &io;
	return !k->has_address ? NULL : k->four_dw ? &long_address : &short_address;
}

static uint8_t take(uint32_t word, struct place p)
{
	return (uint8_t)(word >> p.low & ((1u << p.bits) - 1));
}

void pv_record_read_extra(struct pv_record *r)
{
	const struct extra_shape *s = extra_shape_of(r->tlp.kind);
	uint32_t w;

	if (!s)
		return;
	w = pv_record_header(r)[s->word];
	r->has_extra = true;
	r->extra = (struct pv_record_extra){.segment = take(w, s->segment),
					    .completer_segment = take(w, s->completer),
					    .dsv = take(w, s->dsv),
					    .t = take(w, s->t),
					    .tv = take(w, s->tv),
					    .has_fm = s->fm.bits,
					    .is_short = s == &short_address,
					    .st_high = take(w, s->st),
					    .hv = take(w, s->hv),
					    .ama = take(w, s->ama),
					    .av = take(w, s->av),
					    .fm = take(w, s->fm)};
	r->tlp.tag |= (uint16_t)(take(w, s->tag) << 10);
	if (s == &long_address)
		r->tlp.address &= PV_RECORD_EXTRA_ADDRESS;
}
