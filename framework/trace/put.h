/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers to text at a pointer that moves on: for output that printf is too slow for. Nothing is terminated. */
#ifndef PV_TRACE_PUT_H
#define PV_TRACE_PUT_H

#include <stdint.h>
#include <string.h>

extern const char pv_put_hex[512];     /* "000102..ff" */
extern const char pv_put_decimal[200]; /* "000102..99" */

static inline char *pv_put_bytes(char *at, const char *text, size_t n)
{
	memcpy(at, text, n);
	return at + n;
}

/* A literal. */
#define pv_put_text(at, text) pv_put_bytes(at, text, sizeof(text) - 1)

static inline char *pv_put_string(char *at, const char *text)
{
	return pv_put_bytes(at, text, strlen(text));
}

static inline char *pv_put_x8(char *at, uint8_t v)
{
	return pv_put_bytes(at, pv_put_hex + 2 * v, 2);
}

static inline char *pv_put_x32(char *at, uint32_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		at = pv_put_x8(at, (uint8_t)(v >> shift));
	return at;
}

static inline char *pv_put_digit(char *at, unsigned v)
{
	*at = "0123456789abcdef"[v & 15];
	return at + 1;
}

/* As "%x". */
static inline char *pv_put_x(char *at, uint64_t v)
{
	unsigned digits = v ? (unsigned)(67 - __builtin_clzll(v)) / 4 : 1;

	for (unsigned shift = 4 * digits; shift; shift -= 4)
		at = pv_put_digit(at, (unsigned)(v >> (shift - 4)));
	return at;
}

/* As "%u". */
char *pv_put_unsigned(char *at, uint64_t v);

static inline char *pv_put_u(char *at, uint64_t v)
{
	if (v < 10) {
		*at = (char)('0' + v);
		return at + 1;
	}
	return pv_put_unsigned(at, v);
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
