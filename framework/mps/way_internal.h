/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways of TLPs through the tree, and what a function sends and takes on them. */
#ifndef PV_MPS_WAY_INTERNAL_H
#define PV_MPS_WAY_INTERNAL_H

#include "framework/pci/machine.h"

enum { PV_WAY_MAX = 2 * 256 };

struct pv_way {
	const struct pv_pci_func *at[PV_WAY_MAX];
	size_t n;
};

/* The longest payload that a function sends, in bytes: in an ARI device function 0 decides. */
int pv_sends_bytes(const struct pv_pci_machine *m, const struct pv_pci_func *f);
/* The longest payload that it takes: what it is set to, and no more than it can. */
int pv_takes_bytes(const struct pv_pci_machine *m, const struct pv_pci_func *f);

/* The function above that has sizes. NULL: none. */
const struct pv_pci_func *pv_way_above(const struct pv_pci_func *f);
/* The function at the top of the links: a Root Port, or a bridge from PCI. */
const struct pv_pci_func *pv_way_top(const struct pv_pci_func *f);
/*
 * Up from `from` to the first function that `to` is below of, then down to `to`. Both are below one top. Peers of one
 * switch turn on its internal bus: its Upstream Port does not see what they send.
 */
void pv_way_find(const struct pv_pci_func *from, const struct pv_pci_func *to, struct pv_way *way);

/* Requests with data of their own come from endpoints and from bridges to PCI; other ports forward. */
bool pv_is_sender(const struct pv_pci_func *f);
/* Returns true for functions of one device: TLPs between them are on no link. */
bool pv_share_a_device(const struct pv_pci_func *a, const struct pv_pci_func *b);

#endif
