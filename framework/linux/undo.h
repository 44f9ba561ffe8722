/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The undo journal of a machine that is needed afterwards: what a change replaces, on disk before the change is made
 * (framework/util/undolog.h), a line each:
 *
 *   attr hisi_ptt0_0 tune/qos_tx_p 1               an attribute of a kernel's PMU, its text
 *   reg 0000:01:00.0 1234:5678 0x88 2 0x2810       function, ids, offset in configuration space, bytes, value
 *
 * and of the reference driver:
 *
 *   reference 0000:00:10.0 0000:01:00.0            the driver is about to be started on these functions
 *   bind pci 0000:01:00.0 cxl_pci                  bus, device, the driver that it is taken from; -: none
 *   file sys/bus/pci/.../driver_override (null)    a file of the kernel's, its text
 *   bar 0000:01:00.0 1234:5678 2 0x800 4 0x0       function, ids, BAR, offset, bytes, value
 *   tune hisi_ptt0_2 tune/qos_tx_p 1               an attribute of the driver's own PMU, its text
 *   idle                                           the driver has left its functions idle
 */
#ifndef PV_LINUX_UNDO_H
#define PV_LINUX_UNDO_H

#include "framework/linux/internal.h"

#define PV_LINUX_VFIO "vfio-pci"
#define PV_UNDO_TEXT  512

/* Returns true if changes are noted, to undo them later. */
bool pv_linux_notes(const struct pv_linux *l);
/* Note what a change replaces. 0, also where nothing is noted; -errno: the change must not be made. */
int pv_linux_note_attr(struct pv_linux *l, const char *pmu, const char *path);
int pv_linux_note_reg(struct pv_linux *l, pv_bdf bdf, int bar, uint32_t off, unsigned bytes);
int pv_linux_note_reference(struct pv_linux *l, const pv_bdf *functions, size_t n);
int pv_linux_note_idle(struct pv_linux *l);
int pv_linux_note_bind(struct pv_linux *l, const char *bus, const char *device);
int pv_linux_note_file(struct pv_linux *l, const char *path);
int pv_linux_note_bar(struct pv_linux *l, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes);
/* The same for a tuning attribute of the reference driver `d`. */
int pv_linux_note_tune(struct pv_linux *l, struct pv_driver *d, const char *pmu, const char *path);

/*
 * Calls fn with each line, the last one first or the first one first, until it returns an error. fn may change the
 * line.
 */
int pv_linux_undo_each(struct pv_linux *l, const char *text, bool backwards,
		       int (*fn)(struct pv_linux *l, char *line, void *ctx), void *ctx);

/* Writes the driver of a device, as its folder says; "": none. */
void pv_linux_bound_driver(struct pv_linux *l, const char *bus, const char *device, char name[PV_LINUX_NAME_MAX]);
int pv_linux_unbind(struct pv_linux *l, const char *bus, const char *device, const char *driver);

#endif
