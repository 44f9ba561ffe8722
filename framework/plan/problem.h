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
#include "framework/util/hint.h"

#define PV_PROBLEMS_MAX 200 /* more help nobody */

struct pv_problems {
	void (*report)(void *ctx, const struct pv_error *e);
	void *ctx;
	unsigned count; /* of those shown and those beyond the maximum */
	bool no_memory;
	struct {
		uint64_t whole, plain, in; /* of the text, of the text without what is quoted, of the case */
	} seen[PV_PROBLEMS_MAX];	   /* hashes: the combinations of a matrix repeat the same problem */
};

/*
 * One problem. `line` 0: none. `where` (NULL: nothing) goes behind the text and does not make the same problem
 * a different one: "in case set[level=2]"; nor does another value between quotes in another case.
 */
void pv_problem(struct pv_problems *p, const char *file, int line, const char *where, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
int pv_problem_memory(struct pv_problems *p); /* notes it and returns -ENOMEM */

#endif
