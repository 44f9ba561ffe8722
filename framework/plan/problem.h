/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reporting what is wrong with plans: every problem once, with FILE:LINE:, what was expected, what is there.
 */
#ifndef PV_PLAN_PROBLEM_H
#define PV_PLAN_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/util/error.h"

#define PV_PROBLEMS_MAX 200 /* more help nobody */

struct pv_problems {
	void (*report)(void *ctx, const struct pv_error *e);
	void *ctx;
	unsigned count; /* of those shown and those beyond the maximum */
	bool no_memory;
	uint64_t seen[PV_PROBLEMS_MAX]; /* hashes: the combinations of a matrix repeat the same problem */
};

/*
 * One problem. `line` 0: none. `where` (NULL: nothing) goes behind the text and does not make the same problem
 * a different one: "in case set[level=2]".
 */
void pv_problem(struct pv_problems *p, const char *file, int line, const char *where, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
int pv_problem_memory(struct pv_problems *p); /* notes it and returns -ENOMEM */

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
