/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTT trace records to numbers: the fixed bits, the PASID prefix, and the header words put back where
 * PCIe has them, so that one TLP decoder serves both formats.
 */
#include "framework/trace/record.h"

#include <errno.h>
#include <string.h>

#include "drivers/regs/ptt.h"

/* DW0 [31:11] of an 8DW record, all ones, tells the formats apart. */
#define DW0_8DW_MARK 0xfffff800u

/* 4DW DW0 */
#define R4_FMT(d)    ((d) >> 30)
#define R4_TYPE(d)   ((d) >> 25 & 0x1f)
#define R4_T9	     (1u << 24)
#define R4_T8	     (1u << 23)
#define R4_TH	     (1u << 22)
#define R4_SO	     (1u << 21)
#define R4_LENGTH(d) ((d) >> 11 & 0x3ff)
#define R4_TIME(d)   ((d)&0x7ff)

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
	if (out->dw[0] != PTT_RECORD_8DW_DW0)
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

/* What header DW0 was, as far as a 4DW record keeps it: see pv_tlp_decode() for the places. */
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

int pv_record_decode(enum pv_record_format f, const void *data, uint64_t offset, struct pv_record *out)
{
	const uint8_t *p = data;

	*out = (struct pv_record){.format = f, .offset = offset};
	for (size_t i = 0; i < pv_record_bytes(f) / 4; i++)
		out->dw[i] = le32(p + 4 * i);
	switch (f) {
	case PV_RECORD_8DW:
		return decode_8dw(out);
	case PV_RECORD_4DW:
		return decode_4dw(out);
	default:
		return -EBADMSG;
	}
}
