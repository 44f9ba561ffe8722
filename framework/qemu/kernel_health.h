/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What drivers leave behind in a kernel after they are unloaded: taint and unreferenced memory. */
#ifndef PV_QEMU_RESIDUE_H
#define PV_QEMU_RESIDUE_H

#include "framework/target/machine.h"
#include "framework/target/shell.h"

#define PV_RESIDUE_MODULES 4

/* Load addresses of modules, to name addresses in them after they are unloaded. */
struct pv_residue_modules {
	struct pv_residue_module {
		char name[32];
		uint64_t address, bytes;
	} module[PV_RESIDUE_MODULES];
	size_t n;
};

/* Adds a module, as /proc/modules knows it now. One that is not loaded is not added. */
void pv_residue_note(struct pv_residue_modules *m, struct pv_shell *shell, const char *name);

/* Reports each bit of /proc/sys/kernel/tainted that means a bug as "taint"; not unsigned or out-of-tree modules. */
void pv_residue_taint(struct pv_shell *shell, pv_report_fn told, void *ctx);

/*
 * Runs kmemleak and reports each suspected object as "leak". kmemleak suspects objects that are older than 5 s and did
 * not change between two scans: that much time passes on `machine`. A kernel without kmemleak is reported as "guest".
 */
void pv_residue_leaks(const struct pv_residue_modules *m, struct pv_shell *shell, struct pv_machine *machine,
		      pv_report_fn told, void *ctx);

#endif
