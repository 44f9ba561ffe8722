/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Globs over names of cases. */
#ifndef PV_UTIL_GLOB_H
#define PV_UTIL_GLOB_H

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

/* Names contain brackets, which are special in globs; so a literal name also matches itself. */
static inline bool pv_glob_matches(const char *glob, const char *name)
{
	return !fnmatch(glob, name, 0) || !strcmp(glob, name);
}

#endif
