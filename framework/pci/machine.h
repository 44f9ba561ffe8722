/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a machine, as a tree, with a copy of their configuration space. The policies write to the copy:
 * nothing reaches a device.
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
	uint32_t domain;	      /* number of the domain in Linux */
	pv_bdf bdf;		      /* its domain part is the index of the domain in the machine */
	unsigned known;		      /* readable bytes of configuration space: 0, 64, 128, 256 or 4096 */
	uint8_t *space;
	uint8_t pcie;	  /* offset of the PCI Express capability; 0: none */
	bool gone;	  /* reads all ones: powered down, or removed */
	bool unreadable;  /* it has capabilities, but not enough bytes are readable to find them */
	bool is_bridge;	  /* has a secondary bus */
	bool is_rivalled; /* another bridge of its domain has the same secondary bus: of one machine only one can */
	bool is_vf;
	bool is_ari;			/* function of an ARI device: function 0 decides for all (PCIe 5.0 7.5.3.4) */
	bool is_ari_orphan;		/* function 0 would decide for it, and is absent or cannot be read */
	const struct pv_pci_note *note; /* NULL: none */
	/* NULL: none. `pf` is set if its SR-IOV capability is readable. */
	struct pv_pci_func *parent, *child, *sibling, *pf;
};

struct pv_pci_machine {
	struct pv_pci_func *funcs; /* sorted by domain, bus, device, function */
	size_t n;
	struct pv_pci_note *notes; /* notes of the functions, in the same order */
	size_t n_domains;	   /* 0, 1, ... */
	pv_bdf *buses;		   /* function 0 of those that have functions, ascending */
	size_t n_buses;
	bool few_bytes; /* some functions are unreadable */
};

/* Reads all functions of an access. NULL: *e has the reason. */
struct pv_pci_machine *pv_pci_machine_read(struct pv_pci_access *a, struct pv_error *e);
/* Opens, reads and closes a source. */
struct pv_pci_machine *pv_pci_machine_open(enum pv_pci_source source, const char *path, struct pv_error *e);
void pv_pci_machine_free(struct pv_pci_machine *m);

/* Parses "01:00.0" or "0000:01:00.0", with one or two digits for a bus and a device. False: it is no such name. */
bool pv_pci_parse_name(const char *name, struct pv_pci_place *place);
/* Find the function with this name ("01:00.0" is in domain 0), or at this BDF. NULL: none. */
struct pv_pci_func *pv_pci_find_name(const struct pv_pci_machine *m, const char *name);
struct pv_pci_func *pv_pci_find(const struct pv_pci_machine *m, pv_bdf bdf);

/* Ids, class and name of a function. "": unknown. */
struct pv_pci_title {
	char ids[12];	/* "8086:1572" */
	char class[8];	/* "0200" */
	char name[192]; /* "Ethernet controller: Intel Corporation Ethernet Controller X710" */
	char driver[32];
};
/* Returns the names from pci.ids; if it has none, those from the text of lspci. */
struct pv_pci_title pv_pci_title_of(struct pv_pci_names *names, const struct pv_pci_func *f);

/* Reads 1, 2 or 4 bytes of the copy; unknown bytes are all ones. */
uint32_t pv_pci_get(const struct pv_pci_func *f, uint32_t off, unsigned bytes);
/* Reads the function's PCI Express capability at offset `off` of the capability. */
uint32_t pv_pci_exp(const struct pv_pci_func *f, uint32_t off, unsigned bytes);
/* Returns a bus over the machine's copy, for drivers. Only cfg_read, cfg_write and the domains are available. */
struct pv_bus pv_pci_machine_bus(struct pv_pci_machine *m);
/* A bus over the real functions, through the access that the machine was read from, and with time. */
struct pv_pci_live {
	struct pv_pci_machine *machine;
	struct pv_pci_access *access;
};
struct pv_bus pv_pci_live_bus(struct pv_pci_live *live);

/* Returns the first function on a root bus; its siblings are all others on root buses. */
struct pv_pci_func *pv_pci_first_root(const struct pv_pci_machine *m);

#endif
