/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detects files that are no raw payload: text, programs, archives, pictures. */
#ifndef PV_TRACE_FILETYPE_H
#define PV_TRACE_FILETYPE_H

#include <stddef.h>
#include <stdint.h>

#define PV_FOREIGN_AHEAD (64u << 10) /* bytes that suffice to tell */

/* Names the kind of an input by its first n bytes ("text"), if it is clearly no payload; NULL: it may be one. */
const char *pv_filetype(const uint8_t *p, size_t n);

#endif
