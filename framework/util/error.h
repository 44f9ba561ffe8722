/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The error object: the action and its object, what was expected, what came, what to try. Interfaces fill it; internal
 * functions return negative errno.
 */
#ifndef PV_UTIL_ERROR_H
#define PV_UTIL_ERROR_H

#include <stdbool.h>

/* Exit statuses of the pcieval command. */
enum pv_exit {
	PV_EXIT_PASSED = 0,
	PV_EXIT_FAILED = 1,
	PV_EXIT_USAGE = 2,
	PV_EXIT_UNJUDGED = 3,
	PV_EXIT_SKIPPED = 4, /* nothing was judged: every case was skipped, or none was left to run */
};

struct pv_error {
	int code;	 /* negative errno; 0: no error */
	char text[1024]; /* one line, ready to print: "FILE:LINE: what: expected X, got Y; hint" */
};

/* Fills *e (may be NULL) and returns code: `return pv_error(e, -EINVAL, ...)`. */
int pv_error(struct pv_error *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Prepends text: "reading plan x.xml: " + the present text. Returns e->code. */
int pv_error_context(struct pv_error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Errno name as in plans and reports: "EINVAL"; "0" for 0, the number if it has no name. */
const char *pv_errno_name(int err);
/* The reverse; -1: no such name. */
int pv_errno_by_name(const char *name);

#endif
