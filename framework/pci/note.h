/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function's place, and facts of it besides its configuration space. */
#ifndef PV_PCI_NOTE_H
#define PV_PCI_NOTE_H

#include <stdbool.h>
#include <stdint.h>

/* A function's place. Domains have 32 bits in Linux: those of Intel's VMD begin at 0x10000. */
struct pv_pci_place {
	uint32_t domain;
	uint8_t bus, device, function;
};

/* Facts of a function besides its bytes. */
struct pv_pci_note {
	struct pv_pci_place place;
	bool from_text;	   /* its bytes were made from the text of lspci -vv */
	bool no_ids;	   /* the text has no vendor and device ids: it was printed without -nn */
	bool no_slot;	   /* the text has a slot, and not whether it is hot-plug capable */
	const char *lacks; /* why its sizes are not known; NULL: they are */
	char label[96];	   /* class and name as lspci prints them; "": none */
	char driver[32];   /* "": none, or not known */
};

#endif
