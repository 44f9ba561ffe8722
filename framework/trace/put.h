/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers to text at a pointer that moves on: for output that printf is too slow for. Nothing is terminated. Numbers
 * may write up to 8 bytes behind their end.
 */
#ifndef PV_TRACE_PUT_H
#define PV_TRACE_PUT_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

extern const char pv_put_hex[512]; /* "000102..ff" */

static inline char *pv_put_bytes(char *at, const char *text, size_t n)
{
	memcpy(at, text, n);
	return at + n;
}

/* A literal. */
#define pv_put_text(at, text) pv_put_bytes(at, text, sizeof(text) - 1)

/* For short texts, a loop takes less than the calls of strlen() and memcpy(): 8 % of JSON Lines. */
static inline char *pv_put_string(char *at, const char *text)
{
	while (*text)
		*at++ = *text++;
	return at;
}

static inline char *pv_put_x8(char *at, uint8_t v)
{
	return pv_put_bytes(at, pv_put_hex + 2 * v, 2);
}

/* The eight digits of v as a number whose lowest byte is the first. */
static inline uint64_t pv_put_digits(uint32_t v)
{
	uint16_t pair[4];

	for (unsigned i = 0; i < 4; i++)
		memcpy(&pair[i], pv_put_hex + 2 * (v >> (24 - 8 * i) & 0xff), 2);
	return le16toh(pair[0]) | (uint64_t)le16toh(pair[1]) << 16 | (uint64_t)le16toh(pair[2]) << 32 |
	       (uint64_t)le16toh(pair[3]) << 48;
}

/* Writes eight bytes, and moves on by n. */
static inline char *pv_put_some(char *at, uint64_t chars, unsigned n)
{
	chars = htole64(chars);
	memcpy(at, &chars, 8);
	return at + n;
}

static inline char *pv_put_x32(char *at, uint32_t v)
{
	return pv_put_some(at, pv_put_digits(v), 8);
}

/* The digits of 16 bytes in memory order: a third of the instructions that a table of pairs takes. */
typedef uint8_t pv_put_bytes16 __attribute__((vector_size(16)));
typedef uint16_t pv_put_pairs __attribute__((vector_size(16)));
static inline void pv_put_x128(pv_put_pairs digits[2], pv_put_bytes16 bytes)
{
	pv_put_bytes16 high = bytes >> 4, low = bytes & 15,
		       d[2] = {__builtin_shufflevector(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
						       23),
			       __builtin_shufflevector(high, low, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30,
						       15, 31)};

	for (unsigned i = 0; i < 2; i++)
		digits[i] = (pv_put_pairs)(d[i] + '0' + ((pv_put_bytes16)(d[i] > 9) & ('a' - '9' - 1)));
}

static inline char *pv_put_digit(char *at, unsigned v)
{
	*at = "0123456789abcdef"[v & 15];
	return at + 1;
}

/* As "%x". No branch on the number of digits, which is unpredictable: a dump of 4DW records gains 10 %. */
static inline char *pv_put_x(char *at, uint64_t v)
{
	uint32_t first = (uint32_t)(v >> 32 ? v >> 32 : v);
	unsigned n = (unsigned)(35 - __builtin_clz(first | 1)) / 4;

	at = pv_put_some(at, pv_put_digits(first) >> (64 - 8 * n), n);
	return v >> 32 ? pv_put_x32(at, (uint32_t)v) : at;
}

/* A number of up to three digits: without and with leading zeros. */
struct pv_put_number {
	char text[3], digits;
	char padded[4];
};
extern const struct pv_put_number pv_put_numbers[1000];

/* As "%u", of 1000 and more. */
char *pv_put_unsigned(char *at, uint64_t v);

/* As "%u". Below 1000 no branch on the number of digits: JSON Lines gain 20 %. */
static inline char *pv_put_u(char *at, uint64_t v)
{
	if (v >= 1000)
		return pv_put_unsigned(at, v);
	memcpy(at, &pv_put_numbers[v], 4);
	return at + pv_put_numbers[v].digits;
}

/* "bb:dd.f" */
static inline char *pv_put_bdf(char *at, uint16_t bdf)
{
	at = pv_put_x8(at, (uint8_t)(bdf >> 8));
	*at++ = ':';
	at = pv_put_x8(at, bdf >> 3 & 0x1f);
	*at++ = '.';
	return pv_put_digit(at, bdf & 7);
}

/* Blanks up to a column of the line that begins at `line`; one at least. */
static inline char *pv_put_column(char *at, const char *line, size_t column)
{
	do
		*at++ = ' ';
	while ((size_t)(at - line) < column);
	return at;
}

#endif
