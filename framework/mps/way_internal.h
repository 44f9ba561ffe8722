/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of TLPs through the tree, and payloads that functions send and accept on them. */
#ifndef PV_MPS_WAY_INTERNAL_H
#define PV_MPS_WAY_INTERNAL_H

#include "framework/pci/machine.h"

enum { PV_WAY_MAX = 2 * 256 };

struct pv_way {
	const struct pv_pci_func *at[PV_WAY_MAX];
	size_t n;
};

/* Returns the longest payload that a function sends, in bytes: in an ARI device function 0 decides. */
int pv_sends_bytes(const struct pv_pci_machine *m, const struct pv_pci_func *f);
/* Returns the longest payload that a function accepts, in bytes: its MPS, but at most its MPSS. */
int pv_takes_bytes(const struct pv_pci_machine *m, const struct pv_pci_func *f);

/* Returns the function at the other end of the link, or of the bus inside a switch. NULL: none that has sizes. */
const struct pv_pci_func *pv_way_above(const struct pv_pci_func *f);
/* Returns the function at the top of the links: a Root Port, or a bridge from PCI. */
const struct pv_pci_func *pv_way_top(const struct pv_pci_func *f);
/*
 * Finds the path from `from` up to the first function that is above `to`, then down to `to`. Both must be below one
 * top. TLPs between peers of one switch stay on its internal bus: its Upstream Port does not see them.
 */
void pv_way_find(const struct pv_pci_func *from, const struct pv_pci_func *to, struct pv_way *way);

/* Returns true for endpoints and bridges to PCI, which send requests with data; other ports only forward. */
bool pv_is_sender(const struct pv_pci_func *f);
/* Returns true for functions of one device: TLPs between them use no link. */
bool pv_share_a_device(const struct pv_pci_func *a, const struct pv_pci_func *b);

#endif
