/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failures look alike when their messages are the same without numbers and names. */
#ifndef PV_REPORTS_SIGNATURE_H
#define PV_REPORTS_SIGNATURE_H

#include "reports/groups.h"

/*
 * The message of a case in one line, without the place in the plan, with '#' for each word that has a digit, a slash or
 * an underscore in it and for the names that a plan gives to counters and traces. NULL: no memory. The caller frees.
 */
char *pv_failure_signature(const struct pv_case_result *c);

/* Groups of failures and errors, the largest first. A group has one verdict, type and signature. Begin with {0}. */
struct pv_alike {
	struct pv_groups groups; /* failed: memory ran out */
	char **keys;
	size_t n_keys;
};

void pv_alike_make(struct pv_alike *a, const struct pv_run_result *r);
void pv_alike_free(struct pv_alike *a);

#endif
