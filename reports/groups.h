/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases that have something in common: a plan, a reason, a requirement. A case may be in several groups. Keys are
 * borrowed; they must outlive the groups.
 */
#ifndef PV_REPORTS_GROUPS_H
#define PV_REPORTS_GROUPS_H

#include "reports/result.h"

struct pv_member {
	const char *key;
	size_t index; /* of the case in the run */
};

struct pv_group {
	const char *key;
	const struct pv_member *members; /* in the order of the run */
	size_t n;
	size_t count[PV_VERDICTS];
	double seconds;
};

/* Begin with {0}; add, then make once. */
struct pv_groups {
	struct pv_member *members;
	size_t n_members, room;
	struct pv_group *groups;
	size_t n;
	bool failed; /* memory ran out: there are no groups */
};

enum pv_group_order {
	PV_GROUPS_BY_FIRST, /* as their first cases come in the run */
	PV_GROUPS_BY_KEY,
	PV_GROUPS_BY_SIZE, /* the largest first */
};

void pv_groups_add(struct pv_groups *g, const char *key, size_t index);
void pv_groups_make(struct pv_groups *g, const struct pv_run_result *r, enum pv_group_order order);
void pv_groups_free(struct pv_groups *g);

/* The verdict that speaks for all of them: a failure, else an error, else a pass; skips only when nothing ran. */
enum pv_verdict pv_group_verdict(const struct pv_group *group);

#endif
