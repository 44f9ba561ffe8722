/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans the settings of a policy. The engine works on the copy of the machine: no device is accessed. */
#ifndef PV_MPS_PLAN_H
#define PV_MPS_PLAN_H

#include "framework/mps/engine.h"
#include "framework/mps/predict.h"

enum pv_limit_kind {
	PV_LIMIT_NONE,	   /* none: it has its MPSS */
	PV_LIMIT_MPSS,	   /* the MPSS of another function */
	PV_LIMIT_HOTPLUG,  /* a hot-plug port: any device may be plugged below */
	PV_LIMIT_FIRMWARE, /* the policy keeps the firmware's value */
	PV_LIMIT_POLICY,   /* the policy uses one size for all */
};

struct pv_planned {
	const struct pv_pci_func *func, *decider; /* the second: whose MPS counts for it, of pv_mps_decider() */
	int mpss;
	bool hotplug;	       /* a hot-plug port: safe sets 128 for devices plugged later */
	int mps, mrrs;	       /* bytes, at present */
	int new_mps, new_mrrs; /* bytes, under the policy */
	bool mps_by_firmware;  /* new_mps depends on the firmware's values, for which the present ones were taken */
	bool mrrs_by_firmware;
	bool fixed_mrrs; /* its host bridge accepts no larger MRRS than the firmware's */
	int refused;	 /* the policy's MPS, if the function cannot have it; 0: none */
	struct pv_throughput now, then;
	enum pv_limit_kind limit;	      /* reason for a new_mps below the MPSS */
	const struct pv_pci_func *limited_by; /* NULL: the function itself, or the policy */
};

struct pv_policy_plan {
	struct pv_planned *list; /* functions with sizes, in the order of the machine */
	size_t n;
	size_t changes, by_firmware; /* number of functions that change; that depend on firmware */
};

/* The firmware's sizes of one function. */
struct pv_initial {
	const struct pv_pci_func *func;
	int mps, mrrs; /* bytes; 0: the present ones */
};

/*
 * Plans `policy` for a machine whose firmware left the values of `initial`, or the present ones. Leaves the machine's
 * copy unchanged. 0 or -ENOMEM.
 */
int pv_policy_plan(struct pv_pci_machine *m, enum pv_mps_policy policy, const struct pv_initial *initial,
		   size_t n_initial, struct pv_policy_plan *plan);
/*
 * Same, with the pending change "PCI: Configure Root Port MPS during host probing" (linux-pci, 2025): under every
 * policy but tune_off, Root Ports start at their MPSS, whatever the firmware left.
 */
int pv_policy_plan_next(struct pv_pci_machine *m, enum pv_mps_policy policy, bool raises_root_ports,
			const struct pv_initial *initial, size_t n_initial, struct pv_policy_plan *plan);
/* Makes the plan that changes nothing. 0 or -ENOMEM; the caller frees it in either case. */
int pv_policy_plan_present(struct pv_pci_machine *m, struct pv_policy_plan *plan);
/* Counts the changes of a plan whose new sizes the caller has set, and predicts throughput. */
void pv_policy_plan_judge(struct pv_policy_plan *plan);
void pv_policy_plan_free(struct pv_policy_plan *plan);

/* Returns the plan of a function. NULL: it has no sizes. */
struct pv_planned *pv_policy_plan_of(const struct pv_policy_plan *plan, const struct pv_pci_func *f);
/* Sets the sizes of the machine's copy: to the planned ones, or back to the present ones. */
void pv_policy_plan_put(struct pv_pci_machine *m, const struct pv_policy_plan *plan, bool planned);
/* Limits the predicted reads to the data in flight during a round trip of round_trip_ns nanoseconds. */
void pv_policy_plan_round_trip(const struct pv_policy_plan *plan, double round_trip_ns);

/* Returns Device Control with these sizes in its fields. */
uint16_t pv_devctl_with(uint16_t devctl, int mps, int mrrs);

#endif
