/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requirements on the header words by kind of TLP (PCIe 5.0 table 2-3 and the header figures of 2.2.7 to 2.2.9), and
 * the check of a whole block of records.
 */
#include "framework/trace/header_check.h"

#define LE32(x) (__BYTE_ORDER == __LITTLE_ENDIAN ? (x) : __builtin_bswap32(x))
#define NOT(zero2, zero3)                                                    \
	{                                                                    \
		~0u, ~0u, ~LE32((uint32_t)(zero2)), ~LE32((uint32_t)(zero3)) \
	}
/* Bits that are 0 in header DW2 and DW3. */
#define MEMORY_32  NOT(3, 0)
#define MEMORY_64  NOT(0, 3)
#define CONFIG	   NOT(0xf003, 0)
#define COMPLETION NOT(0x80, 0)
#define ANY	   NOT(0, 0)

/* clang-format off */
#define FIRST(fmt, type) ((fmt) << 8 | (type) << 3)
#define LAST(fmt, type)	 (FIRST(fmt, type) | 7)
/* With TH, low address bits are a hint: what the others may hold does not matter then. */
#define KIND(fmt, type, bits)                                                                       \
	[FIRST(fmt, type) + 0] = bits, [FIRST(fmt, type) + 1] = ANY, [FIRST(fmt, type) + 2] = bits, \
	[FIRST(fmt, type) + 3] = ANY, [FIRST(fmt, type) + 4] = bits, [FIRST(fmt, type) + 5] = ANY,  \
	[FIRST(fmt, type) + 6] = bits, [FIRST(fmt, type) + 7] = ANY

const pv_vector_4dw pv_may_4dw[1024] = {
	KIND(0, 0x00, MEMORY_32), KIND(0, 0x01, MEMORY_32), KIND(0, 0x02, MEMORY_32),
	KIND(0, 0x04, CONFIG), KIND(0, 0x05, CONFIG), KIND(0, 0x0a, COMPLETION), KIND(0, 0x0b, COMPLETION),
	KIND(1, 0x00, MEMORY_64), KIND(1, 0x01, MEMORY_64),
	[FIRST(1, 0x10) ... LAST(1, 0x17)] = ANY, /* messages */
	KIND(2, 0x00, MEMORY_32), KIND(2, 0x02, MEMORY_32), KIND(2, 0x04, CONFIG), KIND(2, 0x05, CONFIG),
	KIND(2, 0x0a, COMPLETION), KIND(2, 0x0b, COMPLETION),
	KIND(2, 0x0c, MEMORY_32), KIND(2, 0x0d, MEMORY_32), KIND(2, 0x0e, MEMORY_32), /* atomics */
	KIND(2, 0x1b, MEMORY_32), KIND(3, 0x1b, MEMORY_64), /* deferrable writes */
	KIND(3, 0x00, MEMORY_64),
	[FIRST(3, 0x10) ... LAST(3, 0x17)] = ANY,
	KIND(3, 0x0c, MEMORY_64), KIND(3, 0x0d, MEMORY_64), KIND(3, 0x0e, MEMORY_64),
};
/* clang-format on */

bool pv_strict_block_4dw(const uint8_t *p)
{
	pv_vector_4dw bits = {0};
	uint32_t fields = 0;

	for (unsigned i = 0; i < PV_PLAUSIBLE_BLOCK; i++)
		bits |= pv_odd_bits_4dw(p + i * PTT_RECORD_4DW_BYTES);
	for (unsigned i = 0; i < PV_PLAUSIBLE_BLOCK; i++)
		fields |= pv_odd_fields_4dw(p + i * PTT_RECORD_4DW_BYTES);
	return !(bits[0] | bits[1] | bits[2] | bits[3] | fields);
}
