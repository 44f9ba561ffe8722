/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts from a function's configuration space: its type, its sizes, its link. */
#ifndef PV_MPS_FACTS_H
#define PV_MPS_FACTS_H

#include "framework/oracle/oracle.h"
#include "framework/pci/machine.h"

struct pv_func_type {
	const char *name; /* for display, at most 11 characters: "Root Port" */
	const char *json; /* "root_port" */
};
const struct pv_func_type *pv_func_type(const struct pv_pci_func *f);
/* Returns the function whose MPS counts for f: function 0 of an ARI device, whatever f contains (PCIe 5.0 7.5.3.4). */
const struct pv_pci_func *pv_mps_decider(const struct pv_pci_machine *m, const struct pv_pci_func *f);
/*
 * Returns true for function 0 of the device below a port, which has device number 0. "01.0" is function 8 of an ARI
 * device (PCIe 5.0 6.13).
 */
bool pv_is_function_0(const struct pv_pci_func *f);
/*
 * Returns the first port below a Root Port of whose slot the text does not show the hot-plug capability: under safe it
 * decides for all functions below the Root Port. NULL: none.
 */
const struct pv_pci_func *pv_lacks_slot(const struct pv_pci_machine *m);
/* Returns whether too few bytes of the function are readable to find its capabilities. */
bool pv_has_few_bytes(const struct pv_pci_func *f);

/*
 * Returns the port type (PCI_EXP_TYPE_*) from the register; -1: no PCI Express function, or a VF, whose sizes do not
 * matter.
 */
int pv_port_type(const struct pv_pci_func *f);
bool pv_heads_link(const struct pv_pci_func *f);

/* Return sizes in bytes, for functions with pv_has_sizes(). Reserved encodings are decoded too: up to 16384. */
int pv_mpss_of(const struct pv_pci_func *f);
int pv_mps_of(const struct pv_pci_func *f);
int pv_mrrs_of(const struct pv_pci_func *f);

/*
 * Returns the maximum number of requests in flight: 32, 256 with Extended Tags, 768 with 10-bit tags (PCIe 5.0
 * 2.2.6.2). A device may use fewer.
 */
unsigned pv_tags_of(const struct pv_pci_func *f);

/* Return the current and the maximum link of a function; width 0: no link, or not trained. */
struct pv_link_rate pv_link_now(const struct pv_pci_func *f);
struct pv_link_rate pv_link_most(const struct pv_pci_func *f);
/* Text of a link: "8GT/s x16"; "-" for none. */
struct pv_link_text {
	char s[32];
};
struct pv_link_text pv_link_text(struct pv_link_rate link);

#endif
