/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements of the law in the results of a run. */
#ifndef PV_REPORTS_STATEMENTS_H
#define PV_REPORTS_STATEMENTS_H

#include <stdio.h>

#include "framework/law/law.h"
#include "reports/groups.h"

/* ---- rules of use that the driver broke: reported even if no plan checked them ---- */

/* Groups cases by the rules that they broke, in the order of the rules' ids. Free *out with pv_groups_free(). */
void pv_rules_group(const struct pv_run_result *r, struct pv_groups *out);

/* Returns the number of violations of the rule in all cases of the group. */
uint64_t pv_rules_total(const struct pv_run_result *r, const struct pv_group *group);
/* Returns the description of the first violation of a rule in a case. */
const char *pv_rules_first(const struct pv_case_result *c, const char *rule);
/*
 * Returns the rule as a sentence; "" if this version does not know it, which the journal of another version may name.
 */
const char *pv_rules_sentence(const char *rule);

/* Prints the broken rules for a terminal; nothing if there are none. */
void pv_rules_print(const struct pv_run_result *r, FILE *out);

/* ---- statements behind a failed case, from the requirements that it verifies ---- */

enum { PV_RESTS_MAX = 64 }; /* more than any case has */

/* Collects the statements behind a failed case. Returns their number; 0 for other verdicts. */
size_t pv_case_rests(const struct pv_case_result *c, const struct pv_statement *out[PV_RESTS_MAX]);

/*
 * Prints a line for each statement: `indent`, id, how it is known, its first sentence. From statement `max` on, only
 * ids follow, in one line.
 */
void pv_rests_print(const struct pv_case_result *c, const char *indent, size_t max, FILE *f);

#endif
