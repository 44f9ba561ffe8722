/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quick tests on the bytes of one record: certainly not a record, possibly one, a regular one. Mostly inline and
 * without branches, as they run on every record of a trace.
 */
#ifndef PV_TRACE_HEADER_CHECK_H
#define PV_TRACE_HEADER_CHECK_H

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

/* As pv_record_decode() has it: the mark. */
static inline bool pv_good_8dw(const uint8_t *p)
{
	return pv_dw(p, 0) >= PTT_RECORD_8DW_MARK_MASK;
}

/* The bits below the mark are ones, too, as in hisi-ptt.rst. A mark that is shifted by a byte has zeros there. */
static inline bool pv_full_mark_8dw(const uint8_t *p)
{
	return pv_dw(p, 0) == PTT_RECORD_8DW_DW0;
}

/* The reserved word, which is 0 unless something is odd. */
static inline uint32_t pv_reserved_8dw(const uint8_t *p)
{
	return pv_dw(p, 6);
}

/* No prefix, or a DW with the Fmt of prefixes (PCIe 5.0 2.2.10). */
static inline bool pv_prefix_8dw(const uint8_t *p)
{
	return !pv_dw(p, 1) || pv_dw(p, 1) >> 29 == 4;
}

/* As pv_record_decode() has it: no mark of an 8DW record, and not all zero. */
static inline bool pv_good_4dw(const uint8_t *p)
{
	return pv_dw(p, 0) < PTT_RECORD_8DW_MARK_MASK && (pv_dw(p, 0) | pv_dw(p, 1) | pv_dw(p, 2) | pv_dw(p, 3));
}

/* A 4DW record, or a mask for it, as it lies in memory. */
typedef uint32_t pv_vector_4dw __attribute__((vector_size(PTT_RECORD_4DW_BYTES)));

/* The bits that may be 1, by DW0 [31:22]: Fmt, Type, T9, T8, TH. Undefined kinds: none. */
extern const pv_vector_4dw pv_may_4dw[1024];

static inline bool pv_kind_4dw(const uint8_t *p)
{
	return pv_good_4dw(p) && pv_may_4dw[pv_dw(p, 0) >> 22][0];
}

/* Returns the bits that are 1 but must be 0. */
static inline pv_vector_4dw pv_odd_bits_4dw(const uint8_t *p)
{
	pv_vector_4dw v;

	memcpy(&v, p, sizeof(v));
	return v & ~pv_may_4dw[pv_dw(p, 0) >> 22];
}

/*
 * Returns a value other than 0 for each of four records whose byte enables or status are invalid, from their DW0 and
 * DW1. Of defined kinds, those with a Type below 8 and deferrable writes have byte enables, completions (Type 0101xb)
 * have a status. All is bits and no branches.
 */
static inline __attribute__((always_inline)) pv_vector_4dw pv_odd_fields_4dw(pv_vector_4dw dw0, pv_vector_4dw dw1)
{
	/* Comparisons give all ones or 0. With TH, byte enables may be a hint (PCIe 5.0 2.2.7.1). */
	pv_vector_4dw has_enables = (pv_vector_4dw)((dw0 & (0x18u << 25 | 1u << 22)) == 0) |
				    (pv_vector_4dw)((dw0 & (0x1fu << 25 | 1u << 22)) == 0x1bu << 25);
	pv_vector_4dw has_status = (pv_vector_4dw)((dw0 & 0x1eu << 25) == 0x0au << 25);
	pv_vector_4dw one = (pv_vector_4dw)((dw0 & 0x3ffu << 11) == 1u << 11);
	pv_vector_4dw no_last = (pv_vector_4dw)((dw1 & 0xf0) == 0), no_first = (pv_vector_4dw)((dw1 & 0x0f) == 0);
	/*
	 * Length 1: no last byte enables; longer: first and last (2.2.5). SC, UR, CRS, CA: at most one bit of the
	 * status.
	 */
	pv_vector_4dw bad_enables = (one ^ no_last) | (no_first & ~one);
	pv_vector_4dw bad_status = dw1 & ((dw1 << 1 & 6u << 13) | (dw1 << 2 & 4u << 13));

	return (has_enables & bad_enables) | (has_status & bad_status);
}

static inline bool pv_strict_4dw(const uint8_t *p)
{
	pv_vector_4dw odd = pv_odd_bits_4dw(p), dw0 = {pv_dw(p, 0)}, dw1 = {pv_dw(p, 1)};

	return !(odd[0] | odd[1] | odd[2] | odd[3] | pv_odd_fields_4dw(dw0, dw1)[0]);
}

#define PV_TH_4DW (1u << 22) /* in DW0 */
/* Returns true if the record also keeps the rules that need more than masks. Too slow for every record of a trace. */
bool pv_regular_4dw(const uint8_t *p);

#define PV_PLAUSIBLE_BLOCK 16
/* Returns true if pv_strict_4dw() is true of all PV_PLAUSIBLE_BLOCK records. */
bool pv_strict_block_4dw(const uint8_t *p);

#endif
