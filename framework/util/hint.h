/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User input in messages: made safe to print, with a suggestion of what was probably meant.
 */
#ifndef PV_UTIL_HINT_H
#define PV_UTIL_HINT_H

#include <stddef.h>

/* A printable copy of a value: shortened, control characters visible. */
struct pv_shown {
	char s[96];
};
struct pv_shown pv_show(const char *value);
#define PV_SHOW(value) (pv_show(value).s)

/* Returns the candidate that was probably meant; NULL: none is close enough. `next` as below. */
const char *pv_nearest(const char *word, const char *(*next)(const void *ctx, size_t i), const void *ctx);

/*
 * "; did you mean 'x'?" for the closest candidate, or "". `next` returns candidate i, NULL at the end.
 */
struct pv_hint {
	char s[160];
};
struct pv_hint pv_did_you_mean(const char *word, const char *(*next)(const void *ctx, size_t i), const void *ctx);
/* `next` for a NULL-terminated array. */
const char *pv_candidate_of_array(const void *array, size_t i);

#endif
