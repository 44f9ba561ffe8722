/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quick tests on the bytes of one record: certainly none, possibly one, as it should be. Inline and without
 * branches where it can be, for they run on every record of a trace.
 */
#ifndef PV_TRACE_PLAUSIBLE_H
#define PV_TRACE_PLAUSIBLE_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "drivers/regs/ptt.h"
#include "framework/trace/tlp.h"

static inline uint32_t pv_dw(const uint8_t *record, unsigned i)
{
	uint32_t d;

	memcpy(&d, record + 4 * i, sizeof(d));
	return le32toh(d);
}

/* As pv_record_decode() has it: the mark, and the reserved word. */
static inline bool pv_good_8dw(const uint8_t *p)
{
	return pv_dw(p, 0) == PTT_RECORD_8DW_DW0 && pv_dw(p, 6) == 0;
}

/* No prefix, or something of the Fmt of prefixes (PCIe 5.0 2.2.10). */
static inline bool pv_prefix_8dw(const uint8_t *p)
{
	return !pv_dw(p, 1) || pv_dw(p, 1) >> 29 == 4;
}

/* As pv_record_decode() has it: no mark of an 8DW record, and not all zero. */
static inline bool pv_good_4dw(const uint8_t *p)
{
	return pv_dw(p, 0) < 0xfffff800u && (pv_dw(p, 0) | pv_dw(p, 1) | pv_dw(p, 2) | pv_dw(p, 3));
}

/* What a kind, by Fmt[1:0] and Type, asks of the other words. */
struct pv_plausible {
	uint32_t zero2, zero3; /* bits that are 0 in header DW2 and DW3 */
	uint8_t defined, byte_enables, status;
};
extern const struct pv_plausible pv_plausible_4dw[128];

static inline bool pv_kind_4dw(const uint8_t *p)
{
	return pv_good_4dw(p) && pv_plausible_4dw[pv_dw(p, 0) >> 25].defined;
}

/* Length 1: no last byte enables; longer: first and last (PCIe 5.0 2.2.5). */
static inline bool pv_byte_enables_ok(uint32_t dw0, uint32_t dw1)
{
	bool one = (dw0 >> 11 & 0x3ff) == 1, last = dw1 & 0xf0, first = dw1 & 0x0f;

	return one ? !last : last & first;
}

static inline bool pv_strict_4dw(const uint8_t *p)
{
	uint32_t dw0 = pv_dw(p, 0), dw1 = pv_dw(p, 1);
	const struct pv_plausible *k = &pv_plausible_4dw[dw0 >> 25];
	bool th = dw0 & 1u << 22; /* then byte enables and low address bits carry hints (2.2.7.1) */
	bool bits = !((pv_dw(p, 2) & k->zero2) | (pv_dw(p, 3) & k->zero3));
	bool enables = (k->byte_enables == 0) | pv_byte_enables_ok(dw0, dw1);
	bool status = (k->status == 0) | (0x17 >> (dw1 >> 13 & 7) & 1); /* SC UR CRS CA */

	return k->defined & status & (th | (bits & enables)) & (dw0 < 0xfffff800u) && pv_good_4dw(p);
}

#define PV_PLAUSIBLE_BLOCK 16
/* Is pv_strict_4dw() true of all of PV_PLAUSIBLE_BLOCK records? The same rules, for all records at once. */
bool pv_strict_block_4dw(const uint8_t *p);

#endif
