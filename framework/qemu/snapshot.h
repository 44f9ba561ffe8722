/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guests that continue from a saved machine instead of booting. The machine is saved when its kernel is up, its empty
 * host bridges have been unbound from their driver, and the far-side program is waiting: so one serves every topology
 * with the same host bridges. After restoring, the host bridges are bound again, so that the kernel enumerates them as
 * at boot; then the modules are loaded.
 */
#ifndef PV_QEMU_SNAPSHOT_H
#define PV_QEMU_SNAPSHOT_H

#include "framework/far/client.h"
#include "framework/qemu/snapshot_file.h"
#include "framework/qemu/vm.h"

/* The machine, for pv_vm_start() and the fabric. */
struct pv_snapshot {
	const char *folder; /* where saved machines are kept */
	const struct pv_vm_conf *conf;
	const struct pv_fabric_hello *hello;
	size_t ram_bytes, window_bytes;
};

/*
 * Returns a description of everything that the machine is made from: equal keys, equal machines. The caller frees;
 * NULL: no memory.
 */
char *pv_snapshot_key(const struct pv_snapshot *s);
/* Opens the machine with this key, after booting and saving it if there is none. 0; -EOPNOTSUPP: it cannot be saved, *e has why; -errno. */
int pv_snapshot_get(const struct pv_snapshot *s, const char *key, struct pv_snapshot_file *out, struct pv_error *e);
/* Removes it: it does not do what it should. */
void pv_snapshot_drop(const struct pv_snapshot *s, const char *key);

/* Reads all of a memfd, as a state was written to it; the caller frees *data. 0 or -errno. */
int pv_read_memfd(int fd, void **data, size_t *n);

/* In the restored guest: gives the kernel its host bridges, in the order of `hello`, and loads the modules. 0 or -errno. */
int pv_snapshot_resume(struct pv_far_client *far, const struct pv_fabric_hello *hello, struct pv_error *e);

#endif
