/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest for a case, from "guest" of the case message (docs/protocol.md). */
#ifndef PV_QEMU_GUEST_H
#define PV_QEMU_GUEST_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "fixtures/qemu/fabric.h"
#include "framework/qemu/vm.h"
#include "framework/topology/topology.h"

#define PV_GUEST_RAM_DEFAULT (512u << 20)

struct pv_guest {
	const char *qemu, *kernel; /* paths */
	const char *archive[PV_VM_ARCHIVES + 1];
	const char *append; /* more for the kernel's command line; "" */
	const char *saved;  /* the folder of saved machines; NULL: each guest boots */
	const char *pool;   /* name of the pool of VMs; NULL: none */
	size_t ram_bytes;
	unsigned cpus;
	bool real_time;
	bool reference; /* the far side's reference driver is under test, not the kernel's drivers */
	bool leaks;	/* kmemleak looks for lost memory at the end */
};

/* Reads and checks it; the strings are the message's. 0, or -EINVAL or -ENOENT with what is missing. */
int pv_guest_parse(json_object *case_msg, struct pv_guest *out, struct pv_error *e);
/*
 * Adds the kernel module of framework/far/module where it is needed: for steps that set MPS or MRRS, if there is one, for host
 * bridges that share a PCI domain, and for virtual functions. 0; -EOPNOTSUPP: one of the last two, and the message has
 * none; -EINVAL or -ENOENT as above.
 */
int pv_guest_add_module(json_object *case_msg, const struct pv_topology *t, const struct pv_fabric_hello *h,
			struct pv_guest *g, struct pv_error *e);

#endif
