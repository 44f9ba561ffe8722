/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guests that go on where their kernel has enumerated the topology and loaded its modules, half of what a small case costs. Such
 * a machine is saved on top of the one that every topology shares (snapshot.h), with a record of all that the guest asked
 * of the models until then. The models of a later case are asked the same, in no time; if they answer the same, the guest cannot
 * tell them from those that it was saved with, and is restored. Otherwise it enumerates them itself.
 *
 * Most topologies occur once: the first guest that has one leaves a note, and the second one is saved. A guest that is not saved
 * rings twice for its first message behind this point, so that each finds the same, to the nanosecond, whether it was saved or not.
 */
#ifndef PV_QEMU_READY_H
#define PV_QEMU_READY_H

#include <json-c/json.h>

#include "framework/qemu/mmio_log.h"
#include "framework/qemu/snapshot_file.h"

enum pv_ready {
	PV_READY_NEW,	/* nobody had it before */
	PV_READY_SEEN,	/* to be saved */
	PV_READY_SAVED, /* *out is it */
	PV_READY_NEVER, /* it cannot be saved */
};

/*
 * What the machine is made from: the one under it, by its key and the sum over all of it, the topology, and how long interrupts
 * wait. The caller frees; NULL: no memory.
 */
char *pv_ready_key(const char *key, uint64_t sum, json_object *case_msg, uint64_t irq_latency_ps);
enum pv_ready pv_ready_find(const char *folder, const char *key, struct pv_snapshot_file *out);
/* The record of a machine; false: it is not whole. */
bool pv_ready_record(const struct pv_snapshot_file *s, const struct pv_mmio_access **at, size_t *n);
/* Replaces the note with the machine, or, if it has no state, with the console's text as the reason why there is none. 0 or -errno. */
int pv_ready_save(const char *folder, const struct pv_snapshot_parts *parts, struct pv_error *e);
/* Removes it: it does not do what it should. */
void pv_ready_drop(const char *folder, const char *key);

#endif
