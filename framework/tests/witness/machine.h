/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random machines for comparing what different programs make of MPS and MRRS: functions with the attributes that
 * matter, and events in which they come and go. Attributes, not bytes, so that a machine can be made smaller.
 */
#ifndef PV_WITNESS_MACHINE_H
#define PV_WITNESS_MACHINE_H

#include <stdio.h>

#include "framework/oracle/oracle.h"

#define PV_WITNESS_FUNCTIONS 40
#define PV_WITNESS_EVENTS    5

/* Port types of the PCI Express capability, and functions without one. */
enum pv_witness_kind { PV_WITNESS_CONVENTIONAL = 16, PV_WITNESS_CONVENTIONAL_BRIDGE };

struct pv_witness_function {
	int parent;   /* the bridge, its index is lower; -1: on root bus `root` */
	uint8_t root; /* bus number */
	uint8_t devfn;
	unsigned kind;					/* PCI_EXP_TYPE_* or enum pv_witness_kind */
	uint8_t mpss, mps, mrrs, mrrs_max, cap_version; /* fields */
	bool hotplug, slot;				/* Hot-Plug Capable, Slot Implemented */
	bool vf;
	bool forwards_ari;  /* bridges: ARI Forwarding Supported */
	bool ari;	    /* has the ARI capability; names the next function of its device */
	bool hides;	    /* function 0 does not say that there are others */
	uint8_t vfs;	    /* how many VFs it has enabled: the functions that follow */
	uint32_t id;	    /* device << 16 | vendor */
	uint16_t devctl_ro; /* of the bits of MPS and MRRS */
	uint8_t cap;	    /* offset of the PCI Express capability */
	uint8_t spare;	    /* bus numbers left free below */
	unsigned arrives;   /* mask of events */
	/* From pv_witness_number(). */
	uint8_t bus, secondary, subordinate;
};

struct pv_witness_machine {
	enum pv_mps_policy policy;
	struct pv_witness_function f[PV_WITNESS_FUNCTIONS];
	int n;
	struct {
		enum pv_mps_arrival how;
		int slot;	    /* index; hot-plug and unplug */
	} event[PV_WITNESS_EVENTS]; /* the first is the boot */
	int events;
};

/* Makes machine `n` of the sequence of this seed. */
void pv_witness_generate(struct pv_witness_machine *m, uint64_t seed, uint64_t n);
bool pv_witness_is_bridge(const struct pv_witness_function *f);
bool pv_witness_is_pcie(const struct pv_witness_function *f);
bool pv_witness_is_below(const struct pv_witness_machine *m, int i, int bridge);
/* Gives buses their numbers, in depth-first order. */
void pv_witness_number(struct pv_witness_machine *m);
pv_bdf pv_witness_bdf(const struct pv_witness_function *f);
/* Configuration space of a function as it arrives. */
void pv_witness_image(const struct pv_witness_machine *m, int i, struct pv_cfg_image *out);
/* Writes the machine in the language of linux_main.c. */
void pv_witness_print(const struct pv_witness_machine *m, FILE *to);

#endif
