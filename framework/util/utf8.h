/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8: validation, for formats whose readers reject a document with one invalid byte, and cutting between characters.
 */
#ifndef PV_UTIL_UTF8_H
#define PV_UTIL_UTF8_H

#include <stddef.h>

/*
 * Decodes the sequence at s, a 0-terminated string. Returns its length, or 0 if it is invalid; *code: the code point.
 */
size_t pv_utf8_decode(const char *s, unsigned *code);

/* Returns n, or the length of the text (n bytes) up to the last character that ends within `limit` bytes. */
size_t pv_utf8_cut(const char *s, size_t n, size_t limit);
/* Returns the length in bytes of the first `characters` of a 0-terminated string, or of all of it. */
size_t pv_utf8_bytes(const char *s, size_t characters);
/* Returns the number of characters of a 0-terminated string. */
size_t pv_utf8_characters(const char *s);

#endif
