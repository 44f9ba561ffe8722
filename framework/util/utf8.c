/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8 (RFC 3629): see utf8.h. */
#include "framework/util/utf8.h"

#include <stdbool.h>
#include <stdio.h>

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t pv_utf8_cut(const char *s, size_t n, size_t limit)
{
	if (n <= limit)
		return n;
	while (limit && continues(s[limit]))
		limit--;
	return limit;
}

size_t pv_utf8_whole(const char *s, size_t n)
{
	size_t lead = n;

	while (lead && continues(s[lead - 1]))
		lead--;
	if (!lead)
		return n;
	lead--;
	unsigned char first = (unsigned char)s[lead];
	size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
	return n - lead < length ? lead : n;
}

int pv_utf8_vprint(char *out, size_t size, const char *fmt, va_list ap)
{
	int n = vsnprintf(out, size, fmt, ap);

	if (size && n >= 0 && (size_t)n >= size)
		out[pv_utf8_whole(out, size - 1)] = 0;
	return n;
}

int pv_utf8_print(char *out, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int n = pv_utf8_vprint(out, size, fmt, ap);
	va_end(ap);
	return n;
}

size_t pv_utf8_bytes(const char *s, size_t characters)
{
	size_t n = 0;

	for (; s[n] && characters; characters--)
		do
			n++;
		while (continues(s[n]));
	return n;
}

size_t pv_utf8_characters(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += !continues(*s);
	return n;
}

size_t pv_utf8_decode(const char *s, unsigned *code)
{
	static const struct {
		unsigned char mask, lead;
		unsigned least; /* shorter ones are overlong */
	} forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	unsigned char first = (unsigned char)*s;

	for (size_t len = 1; len <= 4; len++) {
		if ((first & forms[len - 1].mask) != forms[len - 1].lead)
			continue;
		unsigned c = first & (unsigned char)~forms[len - 1].mask;
		for (size_t i = 1; i < len; i++) {
			if (!continues(s[i]))
				return 0;
			c = c << 6 | ((unsigned char)s[i] & 0x3f);
		}
		if (c < forms[len - 1].least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return 0;
		*code = c;
		return len;
	}
	return 0;
}
