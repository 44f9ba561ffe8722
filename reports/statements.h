/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements of the law in the results of a run. */
#ifndef PV_REPORTS_STATEMENTS_H
#define PV_REPORTS_STATEMENTS_H

#include <stdio.h>

#include "framework/law/law.h"
#include "reports/groups.h"

/* ---- rules of use that the driver broke: told, whether a plan judged them or not ---- */

/* The cases of each broken rule, in the order of their ids. Free with pv_groups_free(). */
void pv_rules_group(const struct pv_run_result *r, struct pv_groups *out);

/* Returns how often the rule was broken in all cases of the group. */
uint64_t pv_rules_total(const struct pv_run_result *r, const struct pv_group *group);
/* Returns how a rule was broken the first time, of a case that broke it. */
const char *pv_rules_first(const struct pv_case_result *c, const char *rule);
/* Returns the rule in a sentence; "" where it is not known here, as in the journal of another version. */
const char *pv_rules_sentence(const char *rule);

/* Writes them for the terminal; nothing where no rule was broken. */
void pv_rules_print(const struct pv_run_result *r, FILE *out);

/* ---- what a failed case rests on, by the requirements that it verifies ---- */

enum { PV_RESTS_MAX = 64 }; /* more than any case has */

/* Collects the statements of a case that failed; returns how many. Any other verdict rests on none. */
size_t pv_case_rests(const struct pv_case_result *c, const struct pv_statement *out[PV_RESTS_MAX]);

/*
 * Writes a line for each statement: `indent`, id, how it is known, its first sentence. From `max` on only the ids
 * follow, in one line.
 */
void pv_rests_print(const struct pv_case_result *c, const char *indent, size_t max, FILE *f);

#endif
