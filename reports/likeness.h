/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What makes two failures look like one: their messages without numbers and names. */
#ifndef PV_REPORTS_LIKENESS_H
#define PV_REPORTS_LIKENESS_H

#include "reports/result.h"

/*
 * The message of a case in one line, without the place in the plan, with '#' for each word that has a digit, a slash or
 * an underscore in it and for the names that a plan gives to counters and traces. NULL: no memory. The caller frees.
 */
char *pv_likeness(const struct pv_case_result *c);

#endif
