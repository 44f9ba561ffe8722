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
