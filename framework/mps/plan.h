/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans the settings of a policy. The engine runs over the copy of the machine: nothing reaches a device. */
#ifndef PV_MPS_PLAN_H
#define PV_MPS_PLAN_H

#include "framework/mps/engine.h"
#include "framework/mps/predict.h"

enum pv_limit_kind {
	PV_LIMIT_NONE,	   /* it has its MPSS */
	PV_LIMIT_MPSS,	   /* the MPSS of another function */
	PV_LIMIT_HOTPLUG,  /* a hot-plug port, below which anything may be plugged in */
	PV_LIMIT_FIRMWARE, /* the policy keeps what firmware left */
	PV_LIMIT_POLICY,   /* the policy has one size for all */
};

struct pv_planned {
	const struct pv_pci_func *func;
	int mpss;
	bool hotplug;	       /* a hot-plug port: safe leaves 128 for what may be plugged in */
	int mps, mrrs;	       /* bytes, as they are */
	int new_mps, new_mrrs; /* as the policy leaves them */
	bool mps_by_firmware;  /* new_mps depends on what firmware leaves, and the present values were taken for that */
	bool mrrs_by_firmware;
	bool fixed_mrrs; /* its host bridge takes no larger MRRS than firmware's */
	int refused;	 /* an MPS that the policy wanted and the function cannot have; 0: none */
	struct pv_throughput now, then;
	enum pv_limit_kind limit;	      /* why new_mps is below the MPSS */
	const struct pv_pci_func *limited_by; /* NULL: itself, or the policy */
};

struct pv_policy_plan {
	struct pv_planned *list; /* functions that have sizes, in the order of the machine */
	size_t n;
	size_t changes, by_firmware; /* functions that change; whose MPS depends on firmware */
};

/* Sizes that firmware left in one function. */
struct pv_initial {
	const struct pv_pci_func *func;
	int mps, mrrs; /* 0: as at present */
};

/*
 * Plans `policy` for a machine whose firmware left the present values, or those of `initial`. The machine's copy is as
 * before when it returns. 0 or -ENOMEM.
 */
int pv_policy_plan(struct pv_pci_machine *m, enum pv_mps_policy policy, const struct pv_initial *initial,
		   size_t n_initial, struct pv_policy_plan *plan);
/*
 * The same with the pending change "PCI: Configure Root Port MPS during host probing" (linux-pci, 2025): under every
 * policy but tune_off Root Ports start at their MPSS, whatever firmware left.
 */
int pv_policy_plan_next(struct pv_pci_machine *m, enum pv_mps_policy policy, bool raises_root_ports,
			const struct pv_initial *initial, size_t n_initial, struct pv_policy_plan *plan);
/* The plan that leaves all sizes as they are. 0 or -ENOMEM; the caller frees it in either case. */
int pv_policy_plan_present(struct pv_pci_machine *m, struct pv_policy_plan *plan);
/* Counts the changes of a plan whose new sizes the caller has set, and predicts throughput. */
void pv_policy_plan_judge(struct pv_policy_plan *plan);
void pv_policy_plan_free(struct pv_policy_plan *plan);

/* The plan of a function. NULL: it has no sizes. */
struct pv_planned *pv_policy_plan_of(const struct pv_policy_plan *plan, const struct pv_pci_func *f);
/* Sets the sizes of the machine's copy: the planned ones, or those that it had. */
void pv_policy_plan_put(struct pv_pci_machine *m, const struct pv_policy_plan *plan, bool planned);
/* Limits reads to what is in flight during a round trip of so many nanoseconds. */
void pv_policy_plan_round_trip(const struct pv_policy_plan *plan, double round_trip_ns);

/* Device Control with these sizes in its fields. */
uint16_t pv_devctl_with(uint16_t devctl, int mps, int mrrs);

#endif
