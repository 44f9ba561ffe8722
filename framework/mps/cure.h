/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cures of mismatches: the sizes that a policy of Linux would set, and the mismatches that would remain. */
#ifndef PV_MPS_CURE_H
#define PV_MPS_CURE_H

#include "framework/mps/check.h"
#include "framework/mps/plan.h"

/*
 * Finds the mismatches that remain with the planned sizes. Leaves the machine's copy unchanged. 0 or -ENOMEM; the
 * caller frees *left in either case.
 */
int pv_plan_left(struct pv_pci_machine *m, const struct pv_policy_plan *plan, bool peers, struct pv_mismatches *left);

/* The plan of every policy, and its remaining mismatches. */
struct pv_cures {
	struct pv_policy_plan plans[PV_MPS_POLICIES_N];
	struct pv_mismatches left[PV_MPS_POLICIES_N];
	bool guessed[PV_MPS_POLICIES_N];  /* the plan depends on what is not known: pv_lacks_slot() */
	size_t across[PV_MPS_POLICIES_N]; /* number of devices that send too much to a peer below another Root Port */
};

/* Makes the plans of all policies. 0 or -ENOMEM; the caller frees *cures in either case. */
int pv_cures_find(struct pv_pci_machine *m, bool peers, struct pv_cures *cures);
/*
 * Same, but starts from the firmware's values, and with raises_root_ports from Root Ports at their MPSS
 * (pv_policy_plan_next()).
 */
int pv_cures_find_from(struct pv_pci_machine *m, bool peers, bool raises_root_ports, const struct pv_initial *initial,
		       size_t n_initial, struct pv_cures *cures);
void pv_cures_free(struct pv_cures *cures);

/*
 * Describes the cure of a mismatch, and the policies with this cure: "lower 0000:00:00.0 to 128, as default and safe
 * do". NULL: no memory. The caller frees it.
 */
char *pv_cure_text(const struct pv_cures *cures, const struct pv_mismatch *mismatch);
/* Describes the symptom of a mismatch: "reads of 0000:01:00.0 of more than 128 bytes never complete". */
char *pv_symptom_text(const struct pv_mismatch *mismatch);

#endif
