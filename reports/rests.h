/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statements that a failed case rests on, by the requirements that it verifies. */
#ifndef PV_REPORTS_RESTS_H
#define PV_REPORTS_RESTS_H

#include <stdio.h>

#include "framework/law/law.h"
#include "reports/result.h"

enum { PV_RESTS_MAX = 64 }; /* more than any case has */

/* Collects the statements of a case that failed; returns how many. Any other verdict rests on none. */
size_t pv_case_rests(const struct pv_case_result *c, const struct pv_statement *out[PV_RESTS_MAX]);

/*
 * Writes a line for each statement: `indent`, id, how it is known, its first sentence. From `max` on only the ids
 * follow, in one line.
 */
void pv_rests_print(const struct pv_case_result *c, const char *indent, size_t max, FILE *f);

#endif
