/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decimal prefixes: see si.h. */
#include "framework/util/si.h"

#include <stdio.h>

const char *pv_si_text(double v, const char *unit, char *buf, size_t size)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T"};
	size_t p = 0;

	for (; v >= 999.5 && p + 1 < sizeof(prefixes) / sizeof(*prefixes); p++)
		v /= 1000;
	snprintf(buf, size, "%.*f %s%s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, prefixes[p], unit);
	return buf;
}
