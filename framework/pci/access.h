/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libpci as the way to configuration space: this machine's sysfs, a folder laid out like /sys/bus/pci, or a dump that
 * lspci printed (dump.h). libpci ends the process on an error; here it comes back as an error of the call.
 */
#ifndef PV_PCI_ACCESS_H
#define PV_PCI_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/pci/note.h"
#include "framework/util/error.h"

enum pv_pci_source {
	PV_PCI_SYSFS, /* path: NULL for this machine, else a folder with devices/NAME/config */
	PV_PCI_DUMP,  /* path: a file, "-" for standard input */
	PV_PCI_FIRST, /* the first of two listings in such a file, split.h */
	PV_PCI_SECOND,
};

struct pv_pci_access;

/* Opens a source and lists its functions. NULL: *e says why. */
struct pv_pci_access *pv_pci_open(enum pv_pci_source source, const char *path, bool writable, struct pv_error *e);
void pv_pci_close(struct pv_pci_access *a);

/* Functions of the source by domain, bus, device, function. */
size_t pv_pci_count(const struct pv_pci_access *a);
struct pv_pci_place pv_pci_place(const struct pv_pci_access *a, size_t i);
/* Returns the note of function i, NULL: there is none. It lives as long as the access. */
const struct pv_pci_note *pv_pci_note(const struct pv_pci_access *a, size_t i);

/* Reads or writes n bytes of function i. 0, -EIO: not all of them. Without root's rights 64 bytes can be read. */
int pv_pci_read(struct pv_pci_access *a, size_t i, uint32_t off, void *data, unsigned n);
enum { PV_PCI_SPACE_BYTES = 4096 };
/* Reads as much of the function's configuration space as there is: 4096, 256, 128 or 64 bytes; 0: none. */
unsigned pv_pci_read_space(struct pv_pci_access *a, size_t i, uint8_t data[PV_PCI_SPACE_BYTES]);
int pv_pci_write(struct pv_pci_access *a, size_t i, uint32_t off, const void *data, unsigned n);
/* Returns the last warning or error of libpci; "": none. */
const char *pv_pci_said(const struct pv_pci_access *a);

#endif
