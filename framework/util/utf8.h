/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8, for writers whose readers refuse a document for one wrong byte. */
#ifndef PV_UTIL_UTF8_H
#define PV_UTIL_UTF8_H

#include <stddef.h>

/* One valid UTF-8 sequence at s: its length and code point, or 0 for none. s ends with a 0 byte. */
size_t pv_utf8_decode(const char *s, unsigned *code);

#endif
