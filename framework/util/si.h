/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers with decimal prefixes, for people. */
#ifndef PV_UTIL_SI_H
#define PV_UTIL_SI_H

#include <stddef.h>

/* "3.21 GB/s", "412 M/s": three digits, from 1 on, up to the prefix T. Returns buf, which has room for `size` bytes. */
const char *pv_si_text(double v, const char *unit, char *buf, size_t size);

#endif
