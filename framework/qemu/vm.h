/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The QEMU process of a guest: its command line, its console, its end. */
#ifndef PV_QEMU_VM_H
#define PV_QEMU_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "framework/qemu/fabric.h"
#include "framework/qemu/snapshot_file.h"
#include "framework/target/console.h"
#include "framework/topology/topology.h"
#include "framework/util/error.h"

#define PV_VM_ARCHIVES 8

struct pv_vm_conf {
	const char *qemu;			 /* the program */
	const char *kernel;			 /* an arm64 Image */
	const char *archive[PV_VM_ARCHIVES + 1]; /* of the initramfs, in order; ended by NULL */
	const char *append;			 /* kernel command line */
	const char *console;			 /* file that the guest's console goes to */
	const char *note;			 /* line written before this guest's output; NULL: none */
	size_t ram_bytes, window_bytes;		 /* of the fabric */
	unsigned cpus, numa_nodes;		 /* 0 nodes: the machine has none */
	enum pv_iommu iommu;
	bool real_time; /* time passes while QEMU waits; not repeatable */
	uint64_t seed;
	int serial_fd;				 /* socket that is its second serial port; 0: it has none */
	int save_fd;				 /* file to save the machine to; 0: none */
	const struct pv_snapshot_file *snapshot; /* to restore, whose RAM the fabric has; NULL: boot */
	const char *pool; /* name of the pool that starts QEMU and keeps it for later cases (vm_pool.h); NULL: none */
};

struct pv_vm {
	bool runs;	       /* until its end was noticed */
	pid_t pid;	       /* 0: none, or a child of the pool */
	int pool;	       /* connection to the pool; -1: none */
	int console_fd;	       /* the guest's console output; -1: none */
	int stderr_fd;	       /* QEMU's standard error; -1: none */
	size_t console_begins; /* bytes of the console before this guest's: the snapshot's and the note */
};

#define PV_VM_NONE ((struct pv_vm){.pool = -1, .console_fd = -1, .stderr_fd = -1})

/*
 * Opens `fabric` for the models (NULL: none), and starts QEMU on it, which boots or continues from conf->snapshot. The
 * guest waits for the first pv_fabric_exchange(). 0, or -errno with *e.
 */
int pv_vm_start(struct pv_vm *vm, const struct pv_vm_conf *conf, struct pv_fabric_peer *fabric, struct pv_model *model,
		struct pv_error *e);
/* Takes a QEMU, and its fabric, that pv_vm_put() put into the pool with this key. Returns false if there is none. */
bool pv_vm_take(struct pv_vm *vm, const struct pv_vm_conf *conf, const char *key, struct pv_fabric_fds *fabric);
/* Puts QEMU, which waits for an answer of the fabric, into the pool. Returns false if it cannot. */
bool pv_vm_put(struct pv_vm *vm, const char *key, const struct pv_fabric_peer *fabric);
/* Returns true while QEMU runs; otherwise *why gets what is known of its end. */
bool pv_vm_runs(struct pv_vm *vm, char *why, size_t size);
/*
 * The same for a QEMU that no longer answers: its socket closes before its exit status is available. Waits for at most
 * a second.
 */
void pv_vm_await_end(struct pv_vm *vm, char *why, size_t size);
/* Returns true if the console has PV_VM_FILE_MIB: no more is written to it. */
bool pv_vm_console_is_full(const struct pv_vm *vm);
/* Returns the last bytes of the console, at most `most` and none before `from`. The caller frees; NULL: no memory. */
char *pv_vm_console_end(const struct pv_vm *vm, size_t from, size_t most);
/* Called with a report of trouble: n bytes, not ended by a 0. */
typedef void (*pv_vm_told_fn)(void *ctx, enum pv_kernel_trouble t, const char *report, size_t n);
/*
 * Calls `told` for each report on the console from the byte `from` on. Returns where to go on: the end of what was
 * looked at, which is not the console's end if there is no memory.
 */
size_t pv_vm_troubles(const struct pv_vm *vm, size_t from, pv_vm_told_fn told, void *ctx);
/* Returns the worst that the console says of the kernel from there on; PV_TROUBLE_NONE also if there is no memory. */
enum pv_kernel_trouble pv_vm_trouble(const struct pv_vm *vm, size_t from);
/* Kills QEMU if it still runs, and copies its own messages to standard error. */
void pv_vm_end(struct pv_vm *vm);

/*
 * Confines this process, and what it starts from now on, to a CPU that no other process of this user has claimed this
 * way. A case and its QEMU wait for each other at each access: on one CPU a switch costs a third of what it costs on
 * two, which have to wake each other up. Returns a descriptor that holds the claim; -1: all CPUs are claimed, and
 * nothing has changed.
 */
int pv_vm_pin_cpu(void);

#endif
