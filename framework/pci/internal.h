/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of this folder. */
#ifndef PV_PCI_INTERNAL_H
#define PV_PCI_INTERNAL_H

#include "framework/pci/machine.h"

enum { PV_PCI_HEADER_CARDBUS = 2 }; /* with bus numbers where a PCI-to-PCI bridge has them */

/* Finds VFs, parents, children and siblings. 0 or -ENOMEM. */
int pv_pci_connect(struct pv_pci_machine *m);

#endif
