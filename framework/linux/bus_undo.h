/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the reference driver changes on a machine that is needed afterwards, beside configuration space: in the file of restore.c,
 * a line each, on disk before it is done.
 *
 *   reference 0000:00:10.0 0000:01:00.0            the driver is about to be started on these functions
 *   bind pci 0000:01:00.0 cxl_pci                  bus, device, the driver that it is taken from; -: none
 *   file sys/bus/pci/.../driver_override (null)    a file of the kernel's, its text
 *   bar 0000:01:00.0 1234:5678 2 0x800 4 0x0       function, ids, BAR, offset, bytes, value
 *   tune hisi_ptt0_2 tune/qos_tx_p 1               an attribute of the driver's own PMU, its text
 *   idle                                           the driver has left its functions idle
 */
#ifndef PV_LINUX_BUS_UNDO_H
#define PV_LINUX_BUS_UNDO_H

#include "framework/linux/inside.h"

#define PV_LINUX_VFIO "vfio-pci"

/* Before the change: 0, also where nothing is noted; -errno: it must not be made. */
int pv_linux_note_reference(struct pv_linux *l, const pv_bdf *functions, size_t n);
int pv_linux_note_idle(struct pv_linux *l);
int pv_linux_note_bind(struct pv_linux *l, const char *bus, const char *device);
int pv_linux_note_file(struct pv_linux *l, const char *path);
int pv_linux_note_bar(struct pv_linux *l, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes);
/* Of the reference driver `d`. */
int pv_linux_note_tune(struct pv_linux *l, struct pv_driver *d, const char *pmu, const char *path);

/* The driver of a device, as its folder says; "": none. */
void pv_linux_bound_driver(struct pv_linux *l, const char *bus, const char *device, char name[PV_LINUX_NAME_MAX]);

/*
 * Before any line is put back: has a reference driver put what it tuned back and leave its functions idle, if the one that was there was
 * killed, and takes them from vfio-pci.
 */
int pv_linux_settle(struct pv_linux *l, const char *text, struct pv_error *e);
/* Puts a line back, if it is one of these: 1; 0: it is another's; -errno. */
int pv_linux_put_taken(struct pv_linux *l, const char *line);

#endif
