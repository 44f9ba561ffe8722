/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of another kind that are given for a raw payload: text, programs, archives, pictures. */
#ifndef PV_TRACE_FILETYPE_H
#define PV_TRACE_FILETYPE_H

#include <stddef.h>
#include <stdint.h>

#define PV_FOREIGN_AHEAD (64u << 10) /* bytes that are enough to tell */

/* Names what the n first bytes of an input are, if they are clearly no payload ("text"); NULL: they may be one. */
const char *pv_filetype(const uint8_t *p, size_t n);

#endif
