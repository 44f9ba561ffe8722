/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the policy engine (drivers/core/mps.h) over the functions of a machine. The reference driver uses the same
 * engine, and the scenarios verify it. It accesses the machine through a struct pv_bus: here the copy in memory.
 */
#ifndef PV_MPS_ENGINE_H
#define PV_MPS_ENGINE_H

#include "drivers/core/mps.h"
#include "framework/pci/machine.h"

struct pv_engine {
	struct pv_pci_machine *machine;
	struct pv_bus bus;
	struct pv_mps_func *funcs; /* in the order of machine->funcs */
	struct pv_mps_host *hosts;
};

/* Builds the engine's functions. The functions on `bus` have the indices of machine->funcs. 0 or -ENOMEM. */
int pv_engine_init(struct pv_engine *engine, struct pv_pci_machine *m, const struct pv_bus *bus);
void pv_engine_free(struct pv_engine *engine);
/* Sets the sizes like Linux at boot, under the policy of `mps`. */
void pv_engine_boot(const struct pv_engine *engine, const struct pv_mps *mps);

/* Convert a function of the machine to the engine's one, and back. */
struct pv_mps_func *pv_engine_func(const struct pv_engine *engine, const struct pv_pci_func *f);
struct pv_pci_func *pv_engine_pci(const struct pv_engine *engine, const struct pv_mps_func *f);
/*
 * Returns true if MPS and MRRS of the function matter: it has a PCI Express capability and is no VF (PCIe 5.0 9.3.5.4).
 */
bool pv_has_sizes(const struct pv_pci_func *f);

#endif
