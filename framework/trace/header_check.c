/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requirements on the header words by kind of TLP (PCIe 5.0 table 2-3 and the header figures of 2.2.7 to 2.2.9), and
 * the check of a whole block of records; rules that need more than masks (2.2.4 to 2.2.9). One record of noise in 56
 * keeps all of them.
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
/* With TH, the low address bits are a hint, so any value is allowed. */
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

static inline pv_vector_4dw from_little_endian(pv_vector_4dw v)
{
	return (pv_vector_4dw){le32toh(v[0]), le32toh(v[1]), le32toh(v[2]), le32toh(v[3])};
}

/* As pv_odd_fields_4dw(), of four records one after another. */
static inline pv_vector_4dw odd_fields(const uint8_t *p)
{
	pv_vector_4dw r[4], first, second;

	memcpy(r, p, sizeof(r));
	first = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
	second = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
	return pv_odd_fields_4dw(from_little_endian(__builtin_shufflevector(first, second, 0, 1, 4, 5)),
				 from_little_endian(__builtin_shufflevector(first, second, 2, 3, 6, 7)));
}

bool pv_strict_block_4dw(const uint8_t *p)
{
	pv_vector_4dw odd = {0};

	for (unsigned i = 0; i < PV_PLAUSIBLE_BLOCK; i++)
		odd |= pv_odd_bits_4dw(p + i * PTT_RECORD_4DW_BYTES);
	for (unsigned i = 0; i < PV_PLAUSIBLE_BLOCK; i += 4)
		odd |= odd_fields(p + i * PTT_RECORD_4DW_BYTES);
	return !(odd[0] | odd[1] | odd[2] | odd[3]);
}

/* ---- rules that need more than masks ---- */

#define LENGTH(dw0) (((((dw0) >> 11) - 1) & 0x3ff) + 1)

/* Requests do not cross 4 KiB (2.2.7), and addresses below 4 GiB use the short format (2.2.4.1). */
static bool is_memory_regular(const struct pv_tlp_kind_info *k, const uint8_t *p)
{
	uint32_t low = pv_dw(p, k->four_dw ? 3 : 2) & 0xffc, length = LENGTH(pv_dw(p, 0));

	if (k->is_atomic && (length > 8 || length & (length - 1)))
		return false;
	return low + 4 * length <= 4096 && (!k->four_dw || pv_dw(p, 2));
}

/* The byte count is at least the payload of this completion, and only successful ones have data (2.2.9). */
static bool is_completion_regular(const struct pv_tlp_kind_info *k, const uint8_t *p)
{
	uint32_t bytes = ((pv_dw(p, 1) - 1) & 0xfff) + 1;

	return !k->has_data || (4 * LENGTH(pv_dw(p, 0)) <= bytes + 6 && !(pv_dw(p, 1) >> 13 & 7));
}

/* Each message has a fixed routing; vendor-defined messages have any routing of single messages (2.2.8). */
static bool is_message_regular(unsigned routing, uint8_t code)
{
	enum { ROOT = 1, BY_ID = 1 + 2, BROADCAST = 1 + 3, LOCAL = 1 + 4, GATHERED = 1 + 5 };
	static const uint8_t routings[] = {
		[0x00] = BROADCAST,	 [0x01] = BY_ID,     [0x02] = BY_ID,	      [0x04] = ROOT,
		[0x05] = BY_ID,		 [0x10] = LOCAL,     [0x12] = LOCAL,	      [0x14] = LOCAL,
		[0x18] = ROOT,		 [0x19] = BROADCAST, [0x1b] = GATHERED,	      [0x20 ... 0x27] = LOCAL,
		[0x30 ... 0x31] = ROOT,	 [0x33] = ROOT,	     [0x40 ... 0x48] = LOCAL, [0x50] = LOCAL,
		[0x52 ... 0x53] = LOCAL,
	};

	if (code == 0x7e || code == 0x7f)
		return routing < 5;
	return code < sizeof(routings) && routings[code] == 1 + routing;
}

/* Only memory requests have TH, and Length is reserved in TLPs without data (2.2.8, 2.2.9). */
bool pv_regular_4dw(const uint8_t *p)
{
	uint32_t dw0 = pv_dw(p, 0);
	enum pv_tlp_kind kind = pv_tlp_kind(dw0 >> 30, dw0 >> 25 & 0x1f);
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[kind];

	if (!pv_strict_4dw(p))
		return false;
	if (k->has_address && kind != PV_TLP_IORD && kind != PV_TLP_IOWR)
		return is_memory_regular(k, p);
	if (dw0 & PV_TH_4DW || ((k->is_message || k->is_completion) && !k->has_data && dw0 >> 11 & 0x3ff))
		return false;
	if (k->is_message)
		return is_message_regular(dw0 >> 25 & 7, (uint8_t)pv_dw(p, 1));
	return k->is_completion ? is_completion_regular(k, p) : LENGTH(dw0) == 1;
}
