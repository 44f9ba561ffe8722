/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each kind of TLP asks of its header words, indexed by Fmt[1:0] << 5 | Type (PCIe 5.0 table 2-3 and the
 * header figures of 2.2.7 to 2.2.9).
 */
#include "framework/trace/plausible.h"

#define MEMORY_32                                           \
	{                                                   \
		.zero2 = 3, .defined = 1, .byte_enables = 1 \
	}
#define MEMORY_64                                           \
	{                                                   \
		.zero3 = 3, .defined = 1, .byte_enables = 1 \
	}
#define ATOMIC_32                        \
	{                                \
		.zero2 = 3, .defined = 1 \
	}
#define ATOMIC_64                        \
	{                                \
		.zero3 = 3, .defined = 1 \
	}
#define CONFIG                                                   \
	{                                                        \
		.zero2 = 0xf003, .defined = 1, .byte_enables = 1 \
	}
#define COMPLETION                                       \
	{                                                \
		.zero2 = 0x80, .defined = 1, .status = 1 \
	}
#define MESSAGE              \
	{                    \
		.defined = 1 \
	}
#define KIND(fmt, type) [(fmt) << 5 | (type)]

/* clang-format off */
const struct pv_plausible pv_plausible_4dw[128] = {
	KIND(0, 0x00) = MEMORY_32, KIND(0, 0x01) = MEMORY_32, KIND(0, 0x02) = MEMORY_32,
	KIND(0, 0x04) = CONFIG, KIND(0, 0x05) = CONFIG, KIND(0, 0x0a) = COMPLETION, KIND(0, 0x0b) = COMPLETION,
	KIND(1, 0x00) = MEMORY_64, KIND(1, 0x01) = MEMORY_64,
	[1 << 5 | 0x10 ... 1 << 5 | 0x17] = MESSAGE,
	KIND(2, 0x00) = MEMORY_32, KIND(2, 0x02) = MEMORY_32, KIND(2, 0x04) = CONFIG, KIND(2, 0x05) = CONFIG,
	KIND(2, 0x0a) = COMPLETION, KIND(2, 0x0b) = COMPLETION,
	KIND(2, 0x0c) = ATOMIC_32, KIND(2, 0x0d) = ATOMIC_32, KIND(2, 0x0e) = ATOMIC_32,
	KIND(3, 0x00) = MEMORY_64, [3 << 5 | 0x10 ... 3 << 5 | 0x17] = MESSAGE,
	KIND(3, 0x0c) = ATOMIC_64, KIND(3, 0x0d) = ATOMIC_64, KIND(3, 0x0e) = ATOMIC_64,
};
/* clang-format on */

/* ---- a block of records ---- */

#define BIT(condition) ((condition) ? UINT32_MAX : 0) /* all bits: what the compiler does for four records at once */

/* Not 0: bits that the kind wants 0 in header DW2 and DW3 are not (hints excuse them), or a kind is not defined. */
static inline uint32_t odd_kinds(const uint8_t *p)
{
	uint32_t odd = 0;

	for (unsigned i = 0; i < PV_PLAUSIBLE_BLOCK; i++, p += PTT_RECORD_4DW_BYTES) {
		uint32_t dw0 = pv_dw(p, 0), no_th = (dw0 >> 22 & 1) - 1;
		const struct pv_plausible *k = &pv_plausible_4dw[dw0 >> 25];

		odd |= ((pv_dw(p, 2) & k->zero2) | (pv_dw(p, 3) & k->zero3)) & no_th;
		odd |= !k->defined;
	}
	return odd;
}

/*
 * Not 0: byte enables or a status are not as they should be. Which of them a defined kind has is told by its Type
 * as pv_plausible_4dw has it: below 8, byte enables; 0101xb, a status, of which no two bits are set.
 */
static inline uint32_t odd_fields(const uint8_t *p)
{
	uint32_t odd = 0;

	for (unsigned i = 0; i < PV_PLAUSIBLE_BLOCK; i++, p += PTT_RECORD_4DW_BYTES) {
		uint32_t dw0 = pv_dw(p, 0), dw1 = pv_dw(p, 1);
		uint32_t has_enables = BIT(!(dw0 & (0x18u << 25 | 1u << 22)));
		uint32_t has_status = BIT((dw0 & 0x1eu << 25) == 0x0au << 25);
		uint32_t one = BIT((dw0 & 0x3ffu << 11) == 1u << 11);
		uint32_t no_last = BIT(!(dw1 & 0xf0)), no_first = BIT(!(dw1 & 0x0f));
		uint32_t two = (dw1 & dw1 << 1 & 6u << 13) | (dw1 & dw1 << 2 & 4u << 13);

		odd |= has_enables & ((one & ~no_last) | (~one & (no_last | no_first)));
		odd |= has_status & two;
	}
	return odd;
}

bool pv_strict_block_4dw(const uint8_t *p)
{
	return !(odd_kinds(p) | odd_fields(p));
}
