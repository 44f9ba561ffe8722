/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cures of mismatches: sizes that a policy of Linux would set, and the mismatches that it would leave. */
#ifndef PV_MPS_CURE_H
#define PV_MPS_CURE_H

#include "framework/mps/check.h"
#include "framework/mps/plan.h"

/*
 * Finds the mismatches that are left when the planned sizes are set. The machine's copy is as before when it returns.
 * 0 or -ENOMEM; the caller frees *left in either case.
 */
int pv_plan_left(struct pv_pci_machine *m, const struct pv_policy_plan *plan, bool peers, struct pv_mismatches *left);

/* The plan of every policy, and what each leaves. */
struct pv_cures {
	struct pv_policy_plan plans[PV_MPS_POLICIES_N];
	struct pv_mismatches left[PV_MPS_POLICIES_N];
	size_t across[PV_MPS_POLICIES_N]; /* devices that send too much to one below another Root Port */
};

/* 0 or -ENOMEM; the caller frees *cures in either case. */
int pv_cures_find(struct pv_pci_machine *m, bool peers, struct pv_cures *cures);
/* The same from what firmware left, and with Root Ports at their MPSS (pv_policy_plan_next()). */
int pv_cures_find_from(struct pv_pci_machine *m, bool peers, bool raises_root_ports, const struct pv_initial *initial,
		       size_t n_initial, struct pv_cures *cures);
void pv_cures_free(struct pv_cures *cures);

/*
 * Says how to mend a mismatch, and which policies do: "lower 0000:00:00.0 to 128, as default and safe do". NULL: no
 * memory. The caller frees it.
 */
char *pv_cure_text(const struct pv_cures *cures, const struct pv_mismatch *mismatch);
/* Says how the mismatch shows: "reads of 0000:01:00.0 of more than 128 bytes never complete". */
char *pv_symptom_text(const struct pv_mismatch *mismatch);

#endif
