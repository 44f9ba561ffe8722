/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Access to configuration space through libpci: this machine's sysfs, a folder laid out like /sys/bus/pci, or a dump
 * printed by lspci (dump.h). libpci exits on an error; here the call returns the error.
 */
#ifndef PV_PCI_ACCESS_H
#define PV_PCI_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/pci/note.h"
#include "framework/util/error.h"

enum pv_pci_source {
	PV_PCI_SYSFS, /* path: a folder with devices/NAME/config; NULL: this machine */
	PV_PCI_DUMP,  /* path: a file, "-" for standard input */
	PV_PCI_FIRST, /* path: as PV_PCI_DUMP, of which only the first of two listings is read (split.h) */
	PV_PCI_SECOND,
};

struct pv_pci_access;

/* Opens a source and lists its functions. NULL: *e has the reason. */
struct pv_pci_access *pv_pci_open(enum pv_pci_source source, const char *path, bool writable, struct pv_error *e);
void pv_pci_close(struct pv_pci_access *a);

/* Returns the number of functions, which are sorted by domain, bus, device, function. */
size_t pv_pci_count(const struct pv_pci_access *a);
struct pv_pci_place pv_pci_place(const struct pv_pci_access *a, size_t i);
/* Returns the note of function i; NULL: none. It lives as long as the access. */
const struct pv_pci_note *pv_pci_note(const struct pv_pci_access *a, size_t i);

/* Read or write n bytes of function i. 0; -EIO: not all of them. Without root's rights only 64 bytes are readable. */
int pv_pci_read(struct pv_pci_access *a, size_t i, uint32_t off, void *data, unsigned n);
enum { PV_PCI_SPACE_BYTES = 4096 };
/* Reads the function's whole configuration space: 4096, 256, 128 or 64 bytes; 0: none. */
unsigned pv_pci_read_space(struct pv_pci_access *a, size_t i, uint8_t data[PV_PCI_SPACE_BYTES]);
int pv_pci_write(struct pv_pci_access *a, size_t i, uint32_t off, const void *data, unsigned n);
/* Returns the last warning or error of libpci; "": none. */
const char *pv_pci_said(const struct pv_pci_access *a);

#endif
