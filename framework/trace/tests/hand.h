/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hand-made payload for the tests of the trace reader: records one behind the other, and damage. */
#ifndef PV_TRACE_TESTS_HAND_H
#define PV_TRACE_TESTS_HAND_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct hand {
	uint8_t bytes[1 << 19];
	size_t n;
};

static inline void hand_le32(struct hand *h, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		h->bytes[h->n++] = (uint8_t)(v >> 8 * i);
}

/* A 64-byte MWr64 of 01:00.0, numbered by its address. */
static inline void hand_8dw(struct hand *h, uint32_t number)
{
	const uint32_t dw[8] = {0xffffffff, 0, 0x60000010, 0x010000ff, 1, number * 64, 0, 1000 + number};

	for (unsigned i = 0; i < 8; i++)
		hand_le32(h, dw[i]);
}

/* The same as a 4DW record: Fmt 11b in [31:30], Length in [20:11], Time in [10:0]. */
static inline void hand_4dw(struct hand *h, uint32_t number)
{
	const uint32_t dw[4] = {3u << 30 | 16u << 11 | (number * 100 & 0x7ff), 0x010000ff, 1, number * 64};

	for (unsigned i = 0; i < 4; i++)
		hand_le32(h, dw[i]);
}

/* Bytes that are lost, as after an overrun. */
static inline void hand_cut(struct hand *h, size_t at, size_t n)
{
	memmove(h->bytes + at, h->bytes + at + n, h->n - at - n);
	h->n -= n;
}

static inline void hand_noise(struct hand *h, size_t n)
{
	uint32_t state = 12345;

	while (n--) {
		state = state * 1664525 + 1013904223;
		h->bytes[h->n++] = (uint8_t)(state >> 24);
	}
}

/* Returns a file of these bytes, at its begin. */
static inline int hand_file(const void *bytes, size_t n)
{
	int fd = memfd_create("hand", MFD_CLOEXEC);

	cr_assert_eq(pwrite(fd, bytes, n, 0), (ssize_t)n);
	return fd;
}

#endif
