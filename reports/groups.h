/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of cases with something in common: a plan, a reason, a requirement, a message with other numbers or names. A
 * case may be in several groups. Keys are borrowed; they must outlive the groups.
 */
#ifndef PV_REPORTS_GROUPS_H
#define PV_REPORTS_GROUPS_H

#include "reports/result.h"

struct pv_member {
	const char *key;
	size_t index; /* index of the case in the run */
};

struct pv_group {
	const char *key;
	const struct pv_member *members; /* in the order of the run */
	size_t n;
	size_t count[PV_VERDICTS];
	double seconds;
};

/* Initialise with {0}; add members, then make the groups once. */
struct pv_groups {
	struct pv_member *members;
	size_t n_members, room;
	struct pv_group *groups;
	size_t n;
	bool failed; /* memory ran out, so there are no groups */
	char **keys; /* keys owned by the groups */
	size_t n_keys;
};

enum pv_group_order {
	PV_GROUPS_BY_FIRST, /* in the order of their first cases in the run */
	PV_GROUPS_BY_KEY,
	PV_GROUPS_BY_SIZE, /* largest first */
};

void pv_groups_add(struct pv_groups *g, const char *key, size_t index);
void pv_groups_make(struct pv_groups *g, const struct pv_run_result *r, enum pv_group_order order);
void pv_groups_free(struct pv_groups *g);

/*
 * Returns the common verdict: a failure if there is one, otherwise an error, otherwise a pass; skipped only if nothing
 * ran.
 */
enum pv_verdict pv_group_verdict(const struct pv_group *group);
/* Returns true if all cases of the group have the same verdict. */
bool pv_group_agrees(const struct pv_group *group);

/*
 * Returns the message of a case in one line, without the place in the plan. '#' replaces each word with a digit, a
 * slash or an underscore, and names that a plan gives to counters and traces. NULL: no memory. The caller frees it.
 */
char *pv_failure_signature(const struct pv_case_result *c);

/* Makes groups by plan, in the order of the run. */
void pv_groups_of_plans(struct pv_groups *g, const struct pv_run_result *r);
/* Makes groups of failures and errors, the largest first. A group has one verdict, type and signature. */
void pv_groups_of_alike(struct pv_groups *g, const struct pv_run_result *r);
/* Makes groups of skipped cases by their reasons, the largest first, without known failures. */
void pv_groups_of_skips(struct pv_groups *g, const struct pv_run_result *r);
/* Makes groups by "plan/case", in the order of the run; a run without rounds has none. */
void pv_groups_of_repeats(struct pv_groups *g, const struct pv_run_result *r);

#endif
