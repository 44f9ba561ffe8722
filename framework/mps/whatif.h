/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes that a user wants in single functions, or a policy in all: their effect on throughput, mismatches and remarks.
 */
#ifndef PV_MPS_WHATIF_H
#define PV_MPS_WHATIF_H

#include "framework/mps/cure.h"
#include "framework/mps/remark.h"

/* Wanted sizes of one function, in bytes; 0: unchanged. */
struct pv_wanted {
	const struct pv_pci_func *func;
	int mps, mrrs;
};

struct pv_what_if {
	struct pv_policy_plan plan;	    /* all functions with sizes; most of them do not change */
	struct pv_mismatches before, after; /* mismatches from pv_check() */
	struct pv_mismatches fresh, mended; /* new ones in `after`; mismatches of `before` that are gone */
	struct pv_cures cures;		    /* cures of `after`: policies start from the wanted sizes */
	struct pv_remarks remarks;	    /* remarks caused by the wanted sizes */
};

/*
 * Finds the effects of the wanted sizes. Leaves the machine's copy unchanged. 0; -EINVAL: a function cannot have such a
 * size; -ENOMEM. *e says why. The caller frees *w in any case.
 */
int pv_what_if(struct pv_pci_machine *m, const struct pv_wanted *wanted, size_t n, bool peers, struct pv_what_if *w,
	       struct pv_error *e);
/* Finds the effects of a policy's sizes, from the present ones. 0 or -ENOMEM. The caller frees *w in any case. */
int pv_what_if_policy(struct pv_pci_machine *m, enum pv_mps_policy policy, struct pv_what_if *w, struct pv_error *e);
void pv_what_if_free(struct pv_what_if *w);
/* Returns true if the function's sizes or its throughput would change. */
bool pv_planned_changes(const struct pv_planned *p);

#endif
