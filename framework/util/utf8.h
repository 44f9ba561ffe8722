/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8 validation, for formats whose readers reject a document with one invalid byte. */
#ifndef PV_UTIL_UTF8_H
#define PV_UTIL_UTF8_H

#include <stddef.h>

/*
 * Decodes the sequence at s, a 0-terminated string. Returns its length, or 0 if it is invalid; *code: the code point.
 */
size_t pv_utf8_decode(const char *s, unsigned *code);

#endif
