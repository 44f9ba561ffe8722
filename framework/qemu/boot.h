/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Linux kernel in a guest, whose PCI hardware is the emulated hardware of this process (framework/target/hw.h). The
 * far-side program in the guest serves machine and driver. The guest runs only during a request, or while time passes.
 */
#ifndef PV_QEMU_BOOT_H
#define PV_QEMU_BOOT_H

#include "framework/far/client.h"
#include "framework/qemu/fabric.h"
#include "framework/qemu/guest.h"
#include "framework/qemu/vm.h"
#include "framework/target/hw.h"
#include "framework/target/target.h"

struct pv_qemu_target {
	struct pv_target base;
	struct pv_machine machine;
	struct pv_hw hw;
	struct pv_guest guest;
	struct pv_fabric_hello bridges; /* of the topology */
	struct pv_fabric_peer fabric;
	struct pv_vm vm;
	int cpu_claim;		   /* of the CPU that this process and QEMU share; -1: none */
	char *key;		   /* of the base snapshot that the guest continues from; NULL: none */
	struct pv_far_client *far; /* NULL: no guest runs */
	json_object *msg;	   /* the case message, which owns the guest's strings */
	char *console;		   /* path of the guest's console output */
	size_t console_read;	   /* bytes of it that were searched for trouble */
	char ended[128];	   /* how QEMU ended; "": it runs */
	unsigned silences;	   /* times the guest was silent in this exchange */
	uint64_t irq_latency_ps;   /* delay of MSIs to the guest, kept across reboots */
	unsigned boots;		   /* number of boots so far */
};

/* Starts a guest, from a snapshot if possible, and connects to its far-side program. 0 or -errno. */
int pv_qemu_boot(struct pv_qemu_target *q, enum pv_mps_policy policy, struct pv_error *e);
/* Ends the guest; its QEMU goes to the pool if possible. */
void pv_qemu_end_guest(struct pv_qemu_target *q);

#endif
