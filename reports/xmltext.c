/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cleans text for libxml2 and the terminal. libxml2's tree writer drops the whole text of a node that contains a bad
 * character, so all text must be cleaned here first.
 */
#include "reports/xmltext.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/json.h"
#include "framework/util/utf8.h"

enum { ESC = 0x1b, BEL = 0x07, OSC_MAX = 1024 };

/*
 * Returns the length of a control sequence (ECMA-48 5.4): ESC [, parameters 0x30-0x3f, intermediates 0x20-0x2f, one
 * final byte 0x40-0x7e.
 */
static size_t csi_length(const char *s)
{
	size_t n = 2;

	while (s[n] >= 0x20 && s[n] <= 0x3f)
		n++;
	return s[n] >= 0x40 && s[n] <= 0x7e ? n + 1 : 0;
}

/*
 * Returns the length of an OSC sequence (window title, link): ESC ] ... up to BEL or ESC \. 0: it does not end soon.
 */
static size_t osc_length(const char *s)
{
	for (size_t n = 2; n < OSC_MAX && s[n] && s[n] != '\n'; n++) {
		if (s[n] == BEL)
			return n + 1;
		if (s[n] == ESC && s[n + 1] == '\\')
			return n + 2;
	}
	return 0;
}

/* Returns the length of the ANSI sequence at s (s[0] is ESC); 0: none. */
static size_t ansi_length(const char *s)
{
	if (s[1] == '[')
		return csi_length(s);
	if (s[1] == ']')
		return osc_length(s);
	size_t n = 1;
	while (s[n] >= 0x20 && s[n] <= 0x2f)
		n++;
	return s[n] >= 0x30 && s[n] <= 0x7e ? n + 1 : 0;
}

/*
 * Returns true for characters allowed by XML 1.0 2.2 and harmless on a terminal: no C0, C1 or DEL but newline and tab,
 * no noncharacter.
 */
static bool plain(unsigned c)
{
	if (c == '\n' || c == '\t')
		return true;
	return c >= 0x20 && !(c >= 0x7f && c <= 0x9f) && (c & 0xfffe) != 0xfffe;
}

/*
 * Converts the input at s: writes at most 9 bytes to `out`, adds their number to *used, returns the number of consumed
 * bytes (>= 1).
 */
static size_t clean_one(const char *s, bool line, char *out, size_t *used)
{
	size_t ansi = *s == ESC ? ansi_length(s) : 0;

	if (ansi)
		return ansi;
	unsigned c;
	size_t n = pv_utf8_decode(s, &c);
	if (!n) {
		memcpy(out + *used, "\xef\xbf\xbd", 3);
		*used += 3;
		return 1;
	}
	if (c == '\r' && s[1] == '\n')
		return 1;
	if (line && (c == '\n' || c == '\r' || c == '\t')) {
		out[(*used)++] = ' ';
	} else if (plain(c)) {
		memcpy(out + *used, s, n);
		*used += n;
	} else {
		*used += (size_t)sprintf(out + *used, "#x%02X", c);
	}
	return n;
}

static char *clean(const char *s, bool line)
{
	size_t size = strlen(s) + 64, used = 0;
	char *out = malloc(size);

	while (out && *s) {
		if (size - used < 16) {
			size += size / 2;
			char *more = realloc(out, size);
			if (!more) {
				free(out);
				return NULL;
			}
			out = more;
		}
		s += clean_one(s, line, out, &used);
	}
	if (out)
		out[used] = 0;
	return out;
}

char *pv_text_clean(const char *s)
{
	return clean(s ? s : "", false);
}

char *pv_text_line(const char *s)
{
	return clean(s ? s : "", true);
}

char *pv_text_vline(const char *fmt, va_list ap)
{
	_autofree_ char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	return text ? pv_text_line(text) : NULL;
}

void pv_text_printf(FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	_autofree_ char *line = pv_text_vline(fmt, ap);
	va_end(ap);
	size_t n = strlen(fmt);

	if (line && n && fmt[n - 1] == '\n')
		line[strlen(line) - 1] = '\n';
	fputs(line ? line : "?", out);
}

void pv_text_add(json_object *o, const char *key, const char *value)
{
	_autofree_ char *clean = value ? pv_text_clean(value) : NULL;

	if (clean)
		pv_json_string(o, key, clean);
}
