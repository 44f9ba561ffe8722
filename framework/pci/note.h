/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BDF of a function, and facts that are not in its configuration space. */
#ifndef PV_PCI_NOTE_H
#define PV_PCI_NOTE_H

#include <stdbool.h>
#include <stdint.h>

/* The BDF of a function. Domains have 32 bits in Linux: those of Intel's VMD begin at 0x10000. */
struct pv_pci_place {
	uint32_t domain;
	uint8_t bus, device, function;
};

enum { PV_PCI_REGIONS = 6 };

/* A memory BAR as lspci prints it: "Region 0: Memory at fe400000 (64-bit, non-prefetchable) [size=64K]". */
struct pv_pci_region {
	uint64_t address; /* of the processor, which is that on the bus unless the host bridge translates it */
	uint64_t size;	  /* 0: none, or unknown */
};

/* Facts about a function that are not in its configuration space. */
struct pv_pci_note {
	struct pv_pci_place place;
	bool from_text;	   /* its bytes were made from the text of lspci -vv */
	bool no_ids;	   /* the text lacks vendor and device ids: it was printed without -nn */
	bool no_slot;	   /* the text has a slot, but not its hot-plug capability */
	bool is_cut;	   /* the text of a function with sizes ends in the middle of it */
	const char *lacks; /* reason for unknown sizes; NULL: they are known */
	char label[96];	   /* class and name as printed by lspci; "": none */
	char driver[32];   /* "": none, or unknown */
	struct pv_pci_region regions[PV_PCI_REGIONS];
};

#endif
