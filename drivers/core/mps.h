/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Max_Payload_Size and Max_Read_Request_Size: the five policies of Linux in their two steps, and the get
 * and set interfaces (docs/hardware-notes.md section 4; PCIe 5.0 7.5.3.3, 7.5.3.4). The caller keeps the
 * tree of functions.
 */
#ifndef PV_CORE_MPS_H
#define PV_CORE_MPS_H

#include "drivers/core/hw.h"
#include "drivers/regs/mps.h"

/* A host bridge, which leads to a root bus; zero at first. */
struct pv_mps_host {
	bool no_inc_mrrs; /* it refuses a larger MRRS: pv_mps_init() saw the id of one of its ports */
};

/*
 * One function. The caller fills cfg, the ids, pcie, is_bridge, is_vf, the host bridge and the links, then calls
 * pv_mps_init().
 */
struct pv_mps_func {
	struct pv_cfg cfg;
	uint16_t vendor, device;
	uint8_t pcie;		    /* offset of the PCI Express capability, 0: none */
	bool is_bridge;		    /* has a secondary bus, perhaps empty */
	bool is_vf;		    /* its fields are reserved (PCIe 5.0 9.3.5.4) */
	struct pv_mps_func *bridge; /* above; NULL: on a root bus */
	struct pv_mps_host *host;   /* its host bridge */
	struct pv_mps_func *next;   /* depth first: a bridge, the functions below it, the next function */
	/* by pv_mps_init() */
	uint8_t type; /* PCI_EXP_TYPE_* */
	uint8_t mpss; /* 128 << mpss bytes; 6 and 7 are reserved, and larger than every size that can be set */
	bool slot;    /* has a hot-plug capable slot */
	bool hotplug; /* counts as a hot-plug bridge: because of its slot, or by its id */
};

/* Messages for the log; `a` and `b` are in bytes. */
enum pv_mps_note {
	PV_MPS_NOTE_MISMATCH, /* tune_off: MPS a, the bridge's is b */
	PV_MPS_NOTE_REFUSED,  /* MPS a cannot be set, the most is b */
	PV_MPS_NOTE_NOT_HELD, /* MPS a was written, the device holds b */
	PV_MPS_NOTE_SET,      /* MPS is a now, was b */
	PV_MPS_NOTE_MRRS,     /* an MRRS of a cannot be set, tried next: b (0: nothing smaller) */
};

struct pv_mps {
	enum pv_mps_policy policy;
	void *ctx;
	void (*note)(void *ctx, const struct pv_mps_func *func, enum pv_mps_note note, int a, int b);
};

/* Reads what the policies need to know of a function. The bridges above it come first. */
void pv_mps_init(struct pv_mps_func *func);
/* Applies step 1 to a function as it is found. The bridges above it come first. */
void pv_mps_found(const struct pv_mps *mps, const struct pv_mps_func *func);
/* Applies step 2 to all functions from `first` on, once after the scan. */
void pv_mps_scanned(const struct pv_mps *mps, const struct pv_mps_func *first);
/* Applies step 2 to `port` and everything below it, after a hot-plug there. A rescan has step 1 only. */
void pv_mps_plugged(const struct pv_mps *mps, const struct pv_mps_func *port);
/* Returns true for a port with a link below it, where only device 0 can be. */
bool pv_mps_heads_link(const struct pv_mps_func *func);

/* Returns bytes. A function without the PCI Express capability keeps 128, as in Linux. */
int pv_mps_get(const struct pv_mps_func *func);
int pv_mrrs_get(const struct pv_mps_func *func);
/* 0 or -EINVAL. MRRS: under performance clamped to the MPS; refused where the host bridge lets none grow. */
int pv_mps_set(const struct pv_mps_func *func, int bytes);
int pv_mrrs_set(const struct pv_mps *mps, const struct pv_mps_func *func, int bytes);

#endif
