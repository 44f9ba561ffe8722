/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Max_Payload_Size and Max_Read_Request_Size: the five policies of Linux in their two steps, and the get
 * and set interfaces (docs/hardware-notes.md section 4; PCIe 5.0 7.5.3.3, 7.5.3.4). The caller keeps the
 * tree of functions.
 */
#ifndef PV_CORE_MPS_H
#define PV_CORE_MPS_H

#include "drivers/core/hw.h"

enum pv_mps_mode {
	PV_MPS_MODE_TUNE_OFF,
	PV_MPS_MODE_DEFAULT,
	PV_MPS_MODE_SAFE,
	PV_MPS_MODE_PERFORMANCE,
	PV_MPS_MODE_PEER2PEER
};

/* One function. The caller fills cfg, pcie, is_bridge, is_vf and the links, then calls pv_mps_init(). */
struct pv_mps_func {
	struct pv_cfg cfg;
	uint8_t pcie;		    /* offset of the PCI Express capability, 0: none */
	bool is_bridge;		    /* heads a bus, empty or not */
	bool is_vf;		    /* its fields are reserved (PCIe 5.0 9.3.5.4) */
	struct pv_mps_func *bridge; /* above; NULL: on a root bus */
	struct pv_mps_func *next;   /* depth first: a bridge, what is below it, the next function */
	/* by pv_mps_init() */
	uint8_t type; /* PCI_EXP_TYPE_* */
	uint8_t mpss; /* 128 << mpss bytes */
	bool hotplug; /* a port whose slot is hot-plug capable */
};

/* What is worth a line in the log; `a` and `b` in bytes. */
enum pv_mps_note {
	PV_MPS_NOTE_MISMATCH, /* tune_off: MPS a, the bridge's is b */
	PV_MPS_NOTE_REFUSED,  /* MPS a cannot be set, the most is b */
	PV_MPS_NOTE_NOT_HELD, /* MPS a was written, the device holds b */
	PV_MPS_NOTE_SET,      /* MPS is a now, was b */
	PV_MPS_NOTE_MRRS,     /* the device does not hold an MRRS of a, tried next: b (0: nothing smaller) */
};

struct pv_mps {
	enum pv_mps_mode mode;
	void *ctx;
	void (*note)(void *ctx, const struct pv_mps_func *func, enum pv_mps_note note, int a, int b);
};

void pv_mps_init(struct pv_mps_func *func);
/* Step 1, as the function is found; the bridges above it have been through it. */
void pv_mps_found(const struct pv_mps *mps, const struct pv_mps_func *func);
/* Step 2, once after the scan, for all functions from `first` on. */
void pv_mps_scanned(const struct pv_mps *mps, const struct pv_mps_func *first);

/* In bytes. A function without the PCI Express capability has 128 and keeps it, as in Linux. */
int pv_mps_get(const struct pv_mps_func *func);
int pv_mrrs_get(const struct pv_mps_func *func);
/* 0 or -EINVAL. MRRS: under performance clamped to the MPS. */
int pv_mps_set(const struct pv_mps_func *func, int bytes);
int pv_mrrs_set(const struct pv_mps *mps, const struct pv_mps_func *func, int bytes);

#endif
