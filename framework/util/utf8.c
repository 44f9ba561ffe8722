/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8 (RFC 3629): see utf8.h. */
#include "framework/util/utf8.h"

#include <stdbool.h>

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
