/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few header fields that statistics need, without a full decode: one byte (Fmt and Type) and a table of 128 entries
 * determine the kind. Works on good records only (trace.h).
 */
#ifndef PV_ANALYSIS_KIND_LUT_H
#define PV_ANALYSIS_KIND_LUT_H

#include <endian.h>
#include <string.h>

#include "framework/trace/record.h"

/* Properties of a kind. Index: Fmt[1:0] << 5 | Type. */
struct pv_kind_lut_kind {
	uint8_t kind, cls;
	bool has_data, has_length, has_address, four_dw, is_read;
	uint8_t requester_word; /* header DW with the Requester ID: 1, or 2 in completions; 0: none */
	uint8_t marked_flow;	/* 0: memory writes, 1: memory reads, 2: all others; see stat_count.h */
};
extern struct pv_kind_lut_kind pv_kind_lut_table[256]; /* from Fmt 100b on: undefined kinds */
void pv_kind_lut_init(void);

struct pv_words {
	unsigned code;		/* index of pv_kind_lut_table */
	unsigned length;	/* DW, 1..1024 */
	uint32_t tag_high;	/* T9 and T8, shifted into place: 0, 0x100, 0x200, 0x300 */
	bool th;		/* the byte enables of a read are a steering tag (PCIe 5.0 2.2.5) */
	bool relaxed;		/* 8DW: relaxed ordering */
	uint32_t dw1, dw2, dw3; /* header DWs 1 to 3 */
};

/*
 * Returns true if all bytes are 0. memcmp() compares many bytes at once, so empty parts of large tables are skipped
 * quickly.
 */
static inline bool pv_all_zero(const void *p, size_t n)
{
	return !n || (!*(const uint8_t *)p && !memcmp(p, (const uint8_t *)p + 1, n - 1));
}

static inline uint32_t pv_le32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return le32toh(v);
}

static inline __attribute__((always_inline)) struct pv_words pv_words(bool is_8dw, const uint8_t *p)
{
	uint32_t d;

	if (is_8dw) {
		d = pv_le32(p + 8);
		return (struct pv_words){.code = d >> 24,
					 .length = ((d - 1) & 0x3ff) + 1,
					 .tag_high = (d >> 14 & 0x200) | (d >> 11 & 0x100),
					 .th = d >> 16 & 1,
					 .relaxed = d >> 13 & 1,
					 .dw1 = pv_le32(p + 12),
					 .dw2 = pv_le32(p + 16),
					 .dw3 = pv_le32(p + 20)};
	}
	d = pv_le32(p);
	return (struct pv_words){.code = d >> 25,
				 .length = (((d >> 11) - 1) & 0x3ff) + 1,
				 .tag_high = d >> 15 & 0x300,
				 .th = d >> 22 & 1,
				 .dw1 = pv_le32(p + 4),
				 .dw2 = pv_le32(p + 8),
				 .dw3 = pv_le32(p + 12)};
}

#endif
