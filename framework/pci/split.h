/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two listings in one file: two moments of a machine, or two machines. */
#ifndef PV_PCI_SPLIT_H
#define PV_PCI_SPLIT_H

#include <stddef.h>

#include "framework/util/error.h"

/*
 * Finds where the second listing begins: at the first function whose registers were printed before. Listings without
 * registers (lspci, lspci -nn) count for the one before them. 0; -EBADMSG: there is one listing, or more than two.
 */
int pv_pci_dump_split(const char *name, const char *text, size_t n, size_t *second, struct pv_error *e);

#endif
