/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsing of what is written to an attribute file, as the kernel's kstrtou16() with base 10 does it.
 */
#ifndef PV_USER_ATTR_H
#define PV_USER_ATTR_H

#include <stdint.h>

/*
 * Reads a decimal number and at most one newline. -EINVAL: anything else, also a minus, 0x, or more than 65535. *value
 * is written only on success.
 */
int pv_attr_parse_u16(const char *text, uint16_t *value);

#endif
