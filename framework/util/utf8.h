/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8: validation, for formats whose readers reject a document with one invalid byte, and cutting between characters.
 */
#ifndef PV_UTIL_UTF8_H
#define PV_UTIL_UTF8_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Decodes the sequence at s, a 0-terminated string. Returns its length, or 0 if it is invalid; *code: the code point.
 */
size_t pv_utf8_decode(const char *s, unsigned *code);

/* Returns n, or the length of the text (n bytes) up to the last character that ends within `limit` bytes. */
size_t pv_utf8_cut(const char *s, size_t n, size_t limit);
/* Returns n, or the length of a text that was cut anywhere (n bytes) without the first part of a last character. */
size_t pv_utf8_whole(const char *s, size_t n);
/* Prints as snprintf() does, but a text that does not fit ends between characters. */
int pv_utf8_print(char *out, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int pv_utf8_vprint(char *out, size_t size, const char *fmt, va_list ap) __attribute__((format(printf, 3, 0)));
/* Returns the length in bytes of the first `characters` of a 0-terminated string, or of all of it. */
size_t pv_utf8_bytes(const char *s, size_t characters);
/* Returns the number of characters of a 0-terminated string. */
size_t pv_utf8_characters(const char *s);

#endif
