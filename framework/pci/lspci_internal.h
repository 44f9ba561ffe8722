/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers of one function, parsed from the text of `lspci -vv`. A register counts as seen if the text has all
 * required fields; no value is guessed.
 */
#ifndef PV_PCI_LSPCI_INTERNAL_H
#define PV_PCI_LSPCI_INTERNAL_H

#include <stddef.h>

#include "framework/pci/note.h"

/* Registers, in the order of the table in lspci_text.c. */
enum pv_lspci_reg {
	PV_LSPCI_COMMAND,
	PV_LSPCI_STATUS,
	PV_LSPCI_BUS,
	PV_LSPCI_DEVCAP,
	PV_LSPCI_DEVCTL,
	PV_LSPCI_LNKCAP,
	PV_LSPCI_LNKCTL,
	PV_LSPCI_LNKSTA,
	PV_LSPCI_SLTCAP,
	PV_LSPCI_DEVCAP2,
	PV_LSPCI_DEVCTL2,
	PV_LSPCI_UESTA,
	PV_LSPCI_AERCAP,
	PV_LSPCI_HEADER_LOG,
	PV_LSPCI_IOVCTL,
	PV_LSPCI_NUM_VFS,
	PV_LSPCI_VF_OFFSET,
	PV_LSPCI_REGS,
};

enum { PV_LSPCI_TEXT_BYTES = 1024, PV_LSPCI_SPACE_BYTES = 4096 };

struct pv_lspci {
	struct pv_pci_note note;
	bool denied;	  /* "<access denied>": lspci ran without root's rights */
	bool gone;	  /* all registers read as ones */
	bool has_details; /* it has more text than its heading */
	bool whole;	  /* the text has an end: an empty line or the driver */
	bool is_last;	  /* the input ends in its last line, without a newline */
	bool has_ids, has_class;
	bool is_old;	  /* printed by pciutils 2.1, which does not support PCI Express */
	bool has_no_type; /* printed by pciutils 2.2, which has no name for types 8, 9 and 10 */
	uint16_t vendor, device, class;
	/* Offsets of capabilities, 0: none. `first_ext` is the first one in extended space, of any kind. */
	uint16_t caps, express, aer, ari, sriov, first_ext;
	uint16_t flags; /* of the PCI Express capability */
	uint32_t seen;	/* a bit for each register */
	uint8_t value[PV_LSPCI_REGS][16];
	uint8_t header[128]; /* hexadecimal bytes beside the text, from `lspci -x` */
	unsigned header_bytes;
};

/* Parser of the lines of one function. `label` is the register of the line that is being continued. */
struct pv_lspci_reader {
	struct pv_lspci func;
	int label;
	char text[PV_LSPCI_TEXT_BYTES];
	size_t n;
	bool ended;
};

/* Parses the text after a register's label. Only its first text counts: "Control:" is also a line of Slot Control. */
void pv_lspci_take_register(struct pv_lspci *f, enum pv_lspci_reg reg, const char *text);
/* Finds the register whose label begins a line, and the length of the label. -1: none. */
int pv_lspci_find_register(const char *at, size_t n, size_t *label);
bool pv_lspci_has(const struct pv_lspci *f, enum pv_lspci_reg reg);
/* Writes the seen registers to their offsets in configuration space. */
void pv_lspci_put_registers(const struct pv_lspci *f, uint8_t space[PV_LSPCI_SPACE_BYTES]);
/* Writes a value of up to 8 bytes, least significant byte first. */
void pv_lspci_put(uint8_t *at, uint64_t value, unsigned bytes);

/* Begins a function with the text after its BDF in the heading. */
void pv_lspci_begin(struct pv_lspci_reader *r, struct pv_pci_place place, const char *rest, size_t n);
/* Parses a line of the function, without its newline. Indentation, quotes and wrapped lines do not matter. */
void pv_lspci_line(struct pv_lspci_reader *r, const char *line, size_t n);
void pv_lspci_end(struct pv_lspci_reader *r);
/*
 * Takes sizes and bus numbers from the first 256 bytes of a function, with its PCI Express capability at `exp` (0:
 * none), so that they are compared with those of its text.
 */
void pv_lspci_take_bytes(struct pv_lspci *f, const uint8_t *space, unsigned exp);
/* Adds another text of the same function. False: it is of another device, or sizes or bus numbers contradict. */
bool pv_lspci_merge(struct pv_lspci *into, const struct pv_lspci *more);
/* Writes the configuration space described by the text, and notes what is missing. Returns its size. */
unsigned pv_lspci_space(struct pv_lspci *f, uint8_t space[PV_LSPCI_SPACE_BYTES]);

#endif
