/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the target "qemu": a Linux kernel in a guest whose PCI hardware is the emulated hardware of this process
 * (framework/target/hw.h). Workload and truth are those of the hardware; machine and driver are served by the far-side
 * program in the guest. The guest runs only during a request, or while time passes.
 */
#ifndef PV_QEMU_QEMU_H
#define PV_QEMU_QEMU_H

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
	char *key;		   /* of the saved machine that the guest began as; NULL: none */
	struct pv_far_client *far; /* NULL: no guest runs */
	json_object *msg;	   /* the case message, which owns the guest's strings */
	char *console;		   /* the file that the guest's console goes to */
	size_t console_read;	   /* bytes of it that were looked through */
	char ended[128];	   /* what is known of QEMU's end; "": it runs */
	unsigned silences;	   /* number of waits for the guest in this exchange */
	uint64_t irq_latency_ps;   /* delay of MSIs to the guest, kept across reboots */
	unsigned boots;		   /* from the second one on, the machine was booted before */
};

extern const struct pv_target_ops pv_target_qemu;

#endif
