/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the bus. */
#ifndef PV_VFIO_BUS_INTERNAL_H
#define PV_VFIO_BUS_INTERNAL_H

#include "drivers/user/bus.h"
#include "framework/linux/linux.h"
#include "framework/linux/sysfs.h"
#include "framework/linux/undo.h"
#include "framework/util/bdf.h"

#define PV_VFIO_DRIVER "vfio-pci"

#define PV_BUS_BARS    6u
#define PV_BUS_VECTORS 32u

/* A part of a BAR that is mapped. */
struct pv_vfio_map {
	struct pv_vfio_map *next;
	unsigned bar;
	uint32_t off, bytes;
	struct pv_linux_bar mapped;
	bool *noted; /* for each 4 bytes: what was there can be put back */
};

/* Its MSI vectors, as the driver wants them. fn NULL: none. */
struct pv_vfio_line {
	unsigned vectors;
	void (*fn)(void *arg, unsigned vector);
	void *arg;
};

/* An IOMMU group that is open, and the mappings of its functions. */
struct pv_vfio_group {
	struct pv_vfio_group *next;
	char number[16];
	int fd, container;
	unsigned users;
	bool iommu; /* false: DMA goes to physical addresses */
};

/* VFIO state of a function: whether it is bound to vfio-pci, and what is open; NULL or -1: not open. */
struct pv_vfio_device {
	bool bound;
	struct pv_vfio_group *group;
	int device;
	int event[PV_BUS_VECTORS]; /* eventfds of its MSIs */
};

struct pv_vfio_func {
	pv_bdf bdf;
	int config;		     /* its file; -1: not opened yet */
	bool *noted;		     /* for each byte of it; NULL: none yet */
	bool taken;		     /* it was unbound from the kernel's driver, if it had one */
	char was[PV_LINUX_NAME_MAX]; /* name of this driver; "": none */
	struct pv_vfio_device vfio;
	struct pv_vfio_map *maps;
	struct pv_vfio_line line;
};

struct pv_vfio_bus {
	struct pv_bus bus;
	struct pv_linux *l;
	struct pv_vfio_func *func; /* by bdf */
	size_t n, room;
	pv_bdf *buses;
	struct pv_vfio_group *groups;
	pv_bdf *only; /* the functions that there are; NULL: all */
	size_t n_only;
	bool settling;	  /* the driver puts functions at rest, which takes none from the kernel */
	bool reserved;	  /* huge pages have been */
	unsigned irq_off; /* depth of irq_save() */
	bool in_irq;
	uint64_t polled_ns; /* when lines were polled last */
};

/* bus.c */

/* NULL: no such function. */
struct pv_vfio_func *pv_vfio_bus_func(struct pv_vfio_bus *b, pv_bdf bdf);
uint64_t pv_vfio_bus_now_ns(void *bus);

/* take.c */

/* Writes the driver of a device, as its folder says; "": none. */
void pv_vfio_bound_driver(struct pv_linux *l, const char *bus, const char *device, char name[PV_LINUX_NAME_MAX]);
int pv_vfio_unbind(struct pv_linux *l, const char *bus, const char *device, const char *driver);
/* Notes the text of a file of the kernel. 0, also where nothing is noted; -errno: it must not be written. */
int pv_vfio_note_file(struct pv_linux *l, const char *path);
/* Takes the Root Ports' PMUs from the kernel's driver, where that is noted. 0 or -errno. */
int pv_vfio_bus_take_ports(struct pv_vfio_bus *b, struct pv_error *e);
/* May this process do so? 0, or -EPERM with *e. */
int pv_vfio_bus_check_rights(struct pv_vfio_bus *b, struct pv_error *e);
/* Takes a function from the kernel's driver, once. 0 or -errno. */
int pv_vfio_bus_take(struct pv_vfio_bus *b, struct pv_vfio_func *f);
void pv_vfio_bus_give_back(struct pv_vfio_bus *b, struct pv_vfio_func *f);
/*
 * Waits until a function that was taken and let go of is back, if it is in a hot-plug slot: VFIO resets the slot, which
 * to pciehp is a card that goes and comes. 5 s at most.
 */
void pv_vfio_bus_await(struct pv_vfio_bus *b, const struct pv_vfio_func *f);

/* device.c */

/*
 * Gives a function without a driver to vfio-pci, unless it has it, and opens it. 0; -ENOENT: this kernel has no
 * vfio-pci; -E2BIG: vfio-pci would write beyond its memory; -EPERM: it has no IOMMU, and VFIO may not do without;
 * -EBUSY: another function of its IOMMU group is in use; -errno: nothing has changed.
 */
int pv_vfio_device_take(struct pv_vfio_bus *b, struct pv_vfio_func *f);
void pv_vfio_device_give_back(struct pv_vfio_bus *b, struct pv_vfio_func *f);
/* Closes what is open, without which the kernel can remove the function. */
void pv_vfio_device_close(struct pv_vfio_bus *b, struct pv_vfio_func *f);
/*
 * Switches MSI vectors 0 to vectors-1 on, each of which makes its eventfd readable. 0; -ENODEV: it has no MSI; -ENOSPC:
 * not so many.
 */
int pv_vfio_device_irq_on(struct pv_vfio_func *f, unsigned vectors);
void pv_vfio_device_irq_off(struct pv_vfio_func *f);

/*
 * Maps memory for DMA at its physical address, where there is an IOMMU. Returns false, having said why, if it may not
 * be there.
 */
bool pv_vfio_group_map(const struct pv_vfio_group *g, void *at, size_t bytes, uint64_t physical);
void pv_vfio_group_unmap(const struct pv_vfio_group *g, size_t bytes, uint64_t physical);

/* dma.c: members of struct pv_bus */

void *pv_vfio_bus_dma_alloc(void *bus, pv_bdf bdf, size_t bytes, uint64_t *dma);
void pv_vfio_bus_dma_free(void *bus, pv_bdf bdf, void *cpu, size_t bytes, uint64_t dma);

/* irq.c: members of struct pv_bus */

int pv_vfio_bus_irq_set(void *bus, pv_bdf bdf, unsigned vectors, void (*fn)(void *arg, unsigned vector), void *arg);
void pv_vfio_bus_irq_save(void *bus);
void pv_vfio_bus_irq_restore(void *bus);
void pv_vfio_bus_delay_ns(void *bus, uint64_t ns);

#endif
