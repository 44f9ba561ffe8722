/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two listings in one file: of two moments of a machine, or of two machines. */
#ifndef PV_PCI_SPLIT_H
#define PV_PCI_SPLIT_H

#include <stddef.h>

#include "framework/util/error.h"

/*
 * Finds the begin of the second listing: the first function whose registers were already printed. A listing without
 * registers (lspci, lspci -nn) belongs to the one before. 0; -EBADMSG: there is one listing, or more than two.
 */
int pv_pci_dump_split(const char *name, const char *text, size_t n, size_t *second, struct pv_error *e);

#endif
