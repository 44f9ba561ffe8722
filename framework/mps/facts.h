/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts from a function's configuration space: its type, its sizes, its link. */
#ifndef PV_MPS_FACTS_H
#define PV_MPS_FACTS_H

#include "framework/oracle/oracle.h"
#include "framework/pci/machine.h"

struct pv_func_type {
	const char *name; /* for people, at most 11 characters: "Root Port" */
	const char *json; /* "root_port" */
};
const struct pv_func_type *pv_func_type(const struct pv_pci_func *f);

/* Port type (PCI_EXP_TYPE_*) as the register has it; -1: no PCI Express function, or its sizes do not count. */
int pv_port_type(const struct pv_pci_func *f);
bool pv_heads_link(const struct pv_pci_func *f);

/* In bytes, of functions that have sizes. Reserved values are taken as they are: up to 16384. */
int pv_mpss_of(const struct pv_pci_func *f);
int pv_mps_of(const struct pv_pci_func *f);
int pv_mrrs_of(const struct pv_pci_func *f);

/*
 * Requests that a function may have in flight: 32, 256 with Extended Tags, 768 with 10-bit tags (PCIe 5.0 2.2.6.2).
 * How many of them a device uses is its own affair.
 */
unsigned pv_tags_of(const struct pv_pci_func *f);

/* The link of a function, as it is and at most; width 0: none, or not trained. */
struct pv_link_rate pv_link_now(const struct pv_pci_func *f);
struct pv_link_rate pv_link_most(const struct pv_pci_func *f);
/* Returns true for a link of flits (64 GT/s and above), whose encoding the arithmetic of links does not know. */
bool pv_link_has_flits(struct pv_link_rate link);
/* "8GT/s x16"; "-" for none. */
struct pv_link_text {
	char s[32];
};
struct pv_link_text pv_link_text(struct pv_link_rate link);

#endif
