/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What drivers leave behind in a kernel once they are unloaded: taint, and memory that nobody refers to any more. */
#ifndef PV_QEMU_RESIDUE_H
#define PV_QEMU_RESIDUE_H

#include "framework/target/machine.h"
#include "framework/target/shell.h"

#define PV_RESIDUE_MODULES 4

/* Where modules are loaded, so that addresses in them have a name when they are gone. */
struct pv_residue_modules {
	struct pv_residue_module {
		char name[32];
		uint64_t address, bytes;
	} module[PV_RESIDUE_MODULES];
	size_t n;
};

/* Adds a module, as /proc/modules knows it now. One that is not loaded is not added. */
void pv_residue_note(struct pv_residue_modules *m, struct pv_shell *shell, const char *name);

/* Tells, as "taint", each bit of /proc/sys/kernel/tainted that means a bug; not that a module is unsigned or from elsewhere. */
void pv_residue_taint(struct pv_shell *shell, pv_told_fn told, void *ctx);

/*
 * Lets kmemleak look for memory, and tells each object that it suspects, as "leak". Kmemleak
 * suspects what is older than 5 s and did not change between two scans: that much time passes on `machine`. A kernel
 * without it is told as "guest".
 */
void pv_residue_leaks(const struct pv_residue_modules *m, struct pv_shell *shell, struct pv_machine *machine,
		      pv_told_fn told, void *ctx);

#endif
