/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of ids and classes, from libpci's pci.ids. */
#ifndef PV_PCI_NAMES_H
#define PV_PCI_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct pv_pci_names;

/* Opens the list of names. NULL: no memory; lookups in NULL find nothing. */
struct pv_pci_names *pv_pci_names_open(void);
void pv_pci_names_close(struct pv_pci_names *names);

/* Write the name of a device with its vendor, or of a class, to `out` of n bytes. "": pci.ids lacks it. */
void pv_pci_names_device(struct pv_pci_names *names, uint16_t vendor, uint16_t device, char *out, size_t n);
void pv_pci_names_class(struct pv_pci_names *names, uint16_t class, char *out, size_t n);

#endif
