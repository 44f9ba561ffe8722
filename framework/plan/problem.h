/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports each problem of a plan once, with FILE:LINE:, the expected value and the actual one. */
#ifndef PV_PLAN_PROBLEM_H
#define PV_PLAN_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/util/error.h"
#include "framework/util/hint.h"

#define PV_PROBLEMS_MAX 200 /* more messages would not help */

struct pv_problems {
	void (*report)(void *ctx, const struct pv_error *e);
	void *ctx;
	unsigned count; /* number of problems, including those beyond PV_PROBLEMS_MAX, which are not shown */
	bool no_memory;
	struct {
		uint64_t whole, plain, in; /* hashes of the text, of the text without quoted parts, and of the case */
	} seen[PV_PROBLEMS_MAX];	   /* the combinations of a matrix repeat a problem */
};

/*
 * Reports a problem. `line` 0: none. `where` (NULL: none) is the case, appended as "(in case set[level=2])". A problem
 * that was reported for another case is not repeated, even if quoted values differ.
 */
void pv_problem(struct pv_problems *p, const char *file, int line, const char *where, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
int pv_problem_memory(struct pv_problems *p); /* reports it and returns -ENOMEM */

#endif
