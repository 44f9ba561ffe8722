/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots, from which guests continue instead of booting. There are two kinds:
 *
 * A base snapshot is saved when the kernel is up, its empty host bridges are unbound from their driver, and the
 * far-side program is waiting. It serves every topology with the same host bridges: after a restore they are bound
 * again, the kernel enumerates them as at boot, and the modules are loaded.
 *
 * A topology snapshot is saved after that, which is half the cost of a small case. It consists of the pages that differ
 * from its base snapshot, and a log of the guest's MMIO (mmio_log.h). A later case replays the log to its own models.
 * If they answer as they did for the guest that was saved, this case continues from the snapshot; otherwise it begins
 * with the base.
 *
 * Most topologies occur once: the first guest of a topology leaves a note, and the second one is saved. A guest that is
 * not saved repeats its first message at this point, as a restored one does: so all find the same time, to the
 * nanosecond.
 */
#ifndef PV_QEMU_SNAPSHOT_H
#define PV_QEMU_SNAPSHOT_H

#include <json-c/json.h>

#include "framework/far/client.h"
#include "framework/qemu/mmio_log.h"
#include "framework/qemu/snapshot_file.h"
#include "framework/qemu/vm.h"

/* ---- base snapshots ---- */

/* Inputs of a base snapshot. */
struct pv_snapshot_inputs {
	const char *folder; /* of snapshots */
	const struct pv_vm_conf *conf;
	const struct pv_fabric_hello *hello;
};

/* Returns a text that differs whenever the snapshots do. The caller frees; NULL: no memory. */
char *pv_snapshot_base_key(const struct pv_snapshot_inputs *in);
/*
 * Opens the snapshot; boots and saves a machine if there is none. 0; -EOPNOTSUPP: it cannot be saved, *e has why;
 * -errno.
 */
int pv_snapshot_base_get(const struct pv_snapshot_inputs *in, const char *key, struct pv_snapshot_file *out,
			 struct pv_error *e);
/* In a restored guest: binds the host bridges, in the order of `hello`, and loads the modules. 0 or -errno. */
int pv_snapshot_base_continue(struct pv_far_client *far, const struct pv_fabric_hello *hello, struct pv_error *e);

/* ---- topology snapshots ---- */

enum pv_snapshot_topology {
	PV_SNAPSHOT_NEW,   /* this guest is the first */
	PV_SNAPSHOT_SEEN,  /* this guest is to be saved */
	PV_SNAPSHOT_FOUND, /* *out is the snapshot */
	PV_SNAPSHOT_NEVER, /* it cannot be saved */
};

/*
 * Returns the key of a topology snapshot: base snapshot (key, and sum of its contents), topology, latency of
 * interrupts. The caller frees; NULL: no memory.
 */
char *pv_snapshot_topology_key(const char *base_key, uint64_t base_sum, json_object *case_msg, uint64_t irq_latency_ps);
enum pv_snapshot_topology pv_snapshot_topology_find(const char *folder, const char *key, struct pv_snapshot_file *out);
/* Returns the MMIO log of a snapshot. False: it has none, or not a whole number of accesses. */
bool pv_snapshot_topology_log(const struct pv_snapshot_file *s, const struct pv_mmio_access **at, size_t *n);

/* A guest to be saved. */
struct pv_snapshot_guest {
	int state_fd, console_fd, ram_fd; /* QEMU's state and the guest's RAM are memfds */
	size_t ram_bytes;
	const struct pv_snapshot_file *base;
	const struct pv_mmio_log *log;
};

/* Saves the guest in place of the note. 0 or -errno. */
int pv_snapshot_topology_save(const char *folder, const char *key, const struct pv_snapshot_guest *g,
			      struct pv_error *e);
/* Saves the reason why there will be no snapshot: later guests of the topology find PV_SNAPSHOT_NEVER. */
void pv_snapshot_topology_refuse(const char *folder, const char *key, const char *why);

/* Removes a snapshot, of either kind, that did not work. */
void pv_snapshot_drop(const char *folder, const char *key);

#endif
