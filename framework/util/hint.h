/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What people write, in messages about it: shown so that it does no harm, and with what was probably meant.
 */
#ifndef PV_UTIL_HINT_H
#define PV_UTIL_HINT_H

#include <stddef.h>

/* A value fit to be shown: shortened, control characters visible. */
struct pv_shown {
	char s[96];
};
struct pv_shown pv_show(const char *value);
#define PV_SHOW(value) (pv_show(value).s)

/* The candidate that is near enough to be what was meant; NULL: none. `next` as below. */
const char *pv_nearest(const char *word, const char *(*next)(const void *ctx, size_t i), const void *ctx);

/*
 * "; did you mean 'x'?" for the nearest of the candidates, or "". `next` gives candidate i, NULL at the end.
 */
struct pv_hint {
	char s[160];
};
struct pv_hint pv_did_you_mean(const char *word, const char *(*next)(const void *ctx, size_t i), const void *ctx);
/* Candidates in an array ended by NULL. */
const char *pv_candidate_of_array(const void *array, size_t i);

#endif
