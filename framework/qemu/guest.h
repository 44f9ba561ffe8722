/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest of a case, from "guest" of the case message (docs/protocol.md) and the topology. */
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
	const char *append;    /* more for the kernel's command line; "" */
	const char *snapshots; /* the folder of snapshots; NULL: each guest boots */
	const char *pool;      /* name of the pool of VMs; NULL: none */
	size_t ram_bytes;
	unsigned cpus;
	bool real_time;
	bool reference;	   /* the reference driver is under test, not the kernel's drivers */
	bool leaks;	   /* kmemleak runs at the end */
	json_object *gcov; /* objects whose line coverage is saved (gcov.h); NULL: none */
};

/* Computes the host bridges of a topology. 0; -EOPNOTSUPP: Linux or the fabric does not support it, *e has why. */
int pv_guest_bridges(const struct pv_topology *t, struct pv_fabric_hello *out, struct pv_error *e);

/* Reads and checks it; strings belong to the message. 0; -EINVAL, -ENOENT: *e has what is missing. */
int pv_guest_parse(json_object *case_msg, struct pv_guest *out, struct pv_error *e);
/*
 * Returns true if a case needs the kernel module of framework/far/module: for steps that set MPS or MRRS or suspend the
 * system, host bridges that share a PCI domain, or virtual functions. `t` NULL: no functions.
 */
bool pv_guest_needs_module(json_object *case_msg, const struct pv_topology *t);
/*
 * Adds that module if the case needs it. 0; -EOPNOTSUPP: the message has none, and host bridges or virtual functions
 * need it; -EINVAL, -ENOENT as above.
 */
int pv_guest_add_module(json_object *case_msg, const struct pv_topology *t, const struct pv_fabric_hello *h,
			struct pv_guest *g, struct pv_error *e);

#endif
