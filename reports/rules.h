/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of use that the driver broke in a run, over all its cases: told, whether a plan judged them or not. */
#ifndef PV_REPORTS_RULES_H
#define PV_REPORTS_RULES_H

#include "reports/groups.h"

/* The cases of each broken rule, in the order of their ids. Free with pv_groups_free(). */
void pv_rules_group(const struct pv_run_result *r, struct pv_groups *out);

/* Returns how often the rule was broken in a case. */
uint64_t pv_rules_count(const struct pv_case_result *c, const char *rule);
/* The same in all cases of the group. */
uint64_t pv_rules_total(const struct pv_run_result *r, const struct pv_group *group);
/* Returns how a rule was broken the first time, of a case that broke it. */
const char *pv_rules_first(const struct pv_case_result *c, const char *rule);
/* Returns the rule in a sentence; "" where it is not known here, as in the journal of another version. */
const char *pv_rules_sentence(const char *rule);

/* Writes them for the terminal; nothing where no rule was broken. */
void pv_rules_print(const struct pv_run_result *r, FILE *out);

#endif
