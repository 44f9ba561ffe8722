/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POSIX extended regular expressions from plans and other files, limited to a size that regcomp(3) can handle. */
#ifndef PV_UTIL_ERE_H
#define PV_UTIL_ERE_H

#include <regex.h>
#include <stdbool.h>

/*
 * Compiles a pattern without subexpressions (REG_NOSUB). 0, and the caller calls regfree(); -EINVAL: not a regular
 * expression, or one of more than 1,000 characters after its repetitions are expanded. glibc expands them, and needs
 * seconds and all memory for more: 40 plus signs in a row are 2^40 characters.
 */
int pv_ere_compile(regex_t *re, const char *pattern);
/* Returns true if a text has a match. False for a pattern that does not compile. */
bool pv_ere_matches(const char *pattern, const char *text);

#endif
