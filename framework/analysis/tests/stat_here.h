/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of traces in memory, and random traces. */
#ifndef PV_ANALYSIS_TESTS_STAT_HERE_H
#define PV_ANALYSIS_TESTS_STAT_HERE_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "framework/analysis/stat.h"

enum { RECORDS = 60000 };

static inline uint32_t random32(void)
{
	static uint64_t state = 0x2545f4914f6cdd1d;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

/* Fmt and Type of common kinds. */
static const uint8_t codes[] = {0x00, 0x20, 0x40, 0x60, 0x4a, 0x0a, 0x44, 0x04, 0x74, 0x6c};

static inline void random_header(uint32_t h[4])
{
	uint32_t code = codes[random32() % sizeof(codes)];
	bool cpl = (code & 0x1f) == 0x0a, four = code & 0x20;

	h[0] = code << 24 | (random32() & 0x1f);
	if (code == 0x44 || code == 0x04)
		h[0] = code << 24 | 1;
	if (code == 0x6c)
		h[0] = code << 24 | 2;
	h[1] = cpl ? 0x00800000 | 4 * (h[0] & 0x1f) : (0x100 + random32() % 3) << 16 | (random32() & 0x1f) << 8 | 0xff;
	if ((h[0] & 0x3ff) == 1 && !cpl)
		h[1] = (h[1] & ~0xffu) | 0xf;
	h[2] = cpl    ? (0x100 + random32() % 3) << 16 | (random32() & 0x1f) << 8
	       : four ? 1
		      : 0x80000000 | (random32() << 8 & 0xffff00);
	h[3] = four ? 0x10000000 | (random32() << 8 & 0xffff00) : 0;
	if ((code & 0x1f) == 0x14) /* a Vendor_Defined Message, type 1 */
		h[1] = (h[1] & ~0xffu) | 0x7f;
	if (code == 0x44 || code == 0x04)
		h[2] = 0x01000010;
}

/* Makes a trace of RECORDS random records of common kinds. The caller frees it. */
static inline uint8_t *make_trace(bool is_8dw, size_t *bytes)
{
	size_t size = is_8dw ? 32 : 16;
	uint8_t *data = malloc(RECORDS * size);
	uint32_t time = 0xfffff000;

	cr_assert_neq(data, NULL);
	for (size_t i = 0; i < RECORDS; i++) {
		uint32_t h[4], d;

		random_header(h);
		/* Sometimes a pause, up to the longest time that a record can express. */
		time += random32() % 1000 ? random32() % 90 : random32() & (is_8dw ? UINT32_MAX : 0x7ff);
		d = (h[0] >> 29 & 3) << 30 | (h[0] >> 24 & 0x1f) << 25 | (h[0] & 0x3ff) << 11 | (time & 0x7ff);
		if (is_8dw)
			memcpy(data + 32 * i, (uint32_t[8]){~0u, 0, h[0], h[1], h[2], h[3], 0, time}, 32);
		else
			memcpy(data + 16 * i, (uint32_t[4]){d, h[1], h[2], h[3]}, 16);
	}
	*bytes = RECORDS * size;
	return data;
}

/* Returns the statistics of an intact trace. */
static inline struct pv_stat *stat_of(const uint8_t *data, size_t bytes, const struct pv_stat_options *o)
{
	struct pv_error e = {0};
	struct pv_trace *t = pv_trace_open_memory(data, bytes, NULL);
	struct pv_stat *s;

	cr_assert_neq(t, NULL);
	s = pv_stat_run(t, o, &e);
	cr_assert_neq(s, NULL, "%s", e.text);
	cr_assert_eq(s->problems, 0);
	pv_trace_close(t);
	return s;
}

#endif
