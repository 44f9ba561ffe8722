/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a machine with a copy of their configuration space, as a tree. The copy can be written to, as the
 * policies do: nothing of it reaches a device.
 */
#ifndef PV_PCI_MACHINE_H
#define PV_PCI_MACHINE_H

#include "drivers/regs/pcie.h"
#include "drivers/user/bus.h"
#include "framework/pci/access.h"
#include "framework/pci/names.h"

enum { PV_PCI_NAME_BYTES = 20 };

struct pv_pci_func {
	char name[PV_PCI_NAME_BYTES]; /* "0000:01:00.0" */
	uint32_t domain;	      /* as Linux counts them */
	pv_bdf bdf;		      /* its domain part is the domain's number in the machine, from 0 */
	unsigned known;		      /* bytes of configuration space: 0, 64, 128, 256 or 4096 */
	uint8_t *space;
	uint8_t pcie;	 /* offset of the PCI Express capability, 0: none */
	bool gone;	 /* reads all ones: powered down, or not there any more */
	bool unreadable; /* it has capabilities, and too little is known to see them */
	bool is_bridge;	 /* heads a bus */
	bool is_vf;
	bool is_ari; /* its device has functions by ARI: function 0 decides for all (PCIe 5.0 7.5.3.4) */
	const struct pv_pci_note *note; /* NULL: none */
	/* NULL: none. `pf` is known where its SR-IOV capability is. */
	struct pv_pci_func *parent, *child, *sibling, *pf;
};

struct pv_pci_machine {
	struct pv_pci_func *funcs; /* by domain, bus, device, function */
	size_t n;
	struct pv_pci_note *notes; /* of the functions, in their order */
	uint16_t *domains;	   /* 0, 1, ... */
	size_t n_domains;
	bool few_bytes; /* some functions are unreadable */
};

/* Reads all functions of an access. NULL: *e says why. */
struct pv_pci_machine *pv_pci_machine_read(struct pv_pci_access *a, struct pv_error *e);
/* Opens, reads and closes a source. */
struct pv_pci_machine *pv_pci_machine_open(enum pv_pci_source source, const char *path, struct pv_error *e);
void pv_pci_machine_free(struct pv_pci_machine *m);

/* The function with this name ("01:00.0" is in domain 0), or at this place. NULL: none. */
struct pv_pci_func *pv_pci_find_name(const struct pv_pci_machine *m, const char *name);
struct pv_pci_func *pv_pci_find(const struct pv_pci_machine *m, pv_bdf bdf);

/* Ids, class and name of a function. "": not known. */
struct pv_pci_title {
	char ids[12];	/* "8086:1572" */
	char class[8];	/* "0200" */
	char name[192]; /* "Ethernet controller: Intel Corporation Ethernet Controller X710" */
	char driver[32];
};
/* Names are those of pci.ids; where it has none, those that the text of lspci has. */
struct pv_pci_title pv_pci_title_of(struct pv_pci_names *names, const struct pv_pci_func *f);

/* Bytes of the copy: 1, 2 or 4; all ones where nothing is known. */
uint32_t pv_pci_get(const struct pv_pci_func *f, uint32_t off, unsigned bytes);
/* Reads the function's PCI Express capability at offset `off` of the capability. */
uint32_t pv_pci_exp(const struct pv_pci_func *f, uint32_t off, unsigned bytes);
/* Configuration space of the machine's copy, as drivers know it. Only cfg_read, cfg_write and the domains are there. */
struct pv_bus pv_pci_machine_bus(struct pv_pci_machine *m);
/* The same of the functions themselves, through the access that the machine was read from, and with time. */
struct pv_pci_live {
	struct pv_pci_machine *machine;
	struct pv_pci_access *access;
};
struct pv_bus pv_pci_live_bus(struct pv_pci_live *live);

/* The first function on a root bus; its siblings are all others on root buses. */
struct pv_pci_func *pv_pci_first_root(const struct pv_pci_machine *m);

#endif
