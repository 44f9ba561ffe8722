/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths below the root, and the names of PCI functions. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "framework/linux/internal.h"

struct pv_linux_path pv_linux_path(const struct pv_linux *l, const char *fmt, ...)
{
	struct pv_linux_path path;
	size_t root = (size_t)snprintf(path.s, sizeof(path.s), "%s/", l->root);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path.s + root, sizeof(path.s) - root, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path.s) - root)
		path.s[0] = '\0';
	return path;
}
