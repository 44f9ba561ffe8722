/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that a guest's kernel has lost after drivers were unloaded. */
#ifndef PV_QEMU_KERNEL_HEALTH_H
#define PV_QEMU_KERNEL_HEALTH_H

#include "framework/target/machine.h"
#include "framework/target/shell.h"

#define PV_KERNEL_MODULES 4

/* Load addresses of modules, to name addresses in them after they are unloaded. */
struct pv_kernel_modules {
	struct pv_kernel_module {
		char name[32];
		uint64_t address, bytes;
	} module[PV_KERNEL_MODULES];
	size_t n;
};

/* Adds a module that is loaded, with its address in /proc/modules. */
void pv_kernel_modules_add(struct pv_kernel_modules *m, struct pv_shell *shell, const char *name);

/*
 * Runs kmemleak and reports each suspected object as "leak". Objects must be older than 5 s and unchanged between two
 * scans, so 5 s pass on `machine`. A kmemleak that cannot scan or be read is reported as "guest".
 */
void pv_kernel_report_leaks(const struct pv_kernel_modules *m, struct pv_shell *shell, struct pv_machine *machine,
			    pv_report_fn told, void *ctx);

#endif
