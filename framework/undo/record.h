/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of an undo journal: each has its kind and the state that a change replaces. A table in record.c has all kinds
 * with their fields. Of a running kernel:
 *
 *   attr hisi_ptt0_0 tune/qos_tx_p 1               an attribute of a kernel's PMU, its text
 *   reg 0000:01:00.0 1234:5678 0x88 2 0x2810       function, ids, offset in configuration space, bytes, value
 *
 * of the reference driver:
 *
 *   reference 0000:00:10.0 0000:01:00.0            the driver is about to be started on these functions
 *   bind pci 0000:01:00.0 cxl_pci                  bus, device, the driver that it is taken from; -: none
 *   file sys/bus/pci/.../driver_override (null)    a file of the kernel's, its text
 *   bar 0000:01:00.0 1234:5678 2 0x800 4 0x0       function, ids, BAR, offset, bytes, value
 *   tune hisi_ptt0_2 tune/qos_tx_p 1               an attribute of the driver's own PMU, its text
 *   idle                                           the driver has left its functions idle
 *
 * and of MPS and MRRS:
 *
 *   0000:01:00.0 1b36:000c devctl 0x70e0 0x2020    function, ids, register, mask, value
 *   done                                           nothing is under way
 */
#ifndef PV_UNDO_RECORD_H
#define PV_UNDO_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/regs/pcie.h"
#include "framework/undo/undolog.h"

#define PV_UNDO_NOBODY "-" /* the driver of a device without one */

enum pv_undo_kind {
	PV_UNDO_BOOT,
	PV_UNDO_ATTR,
	PV_UNDO_REG,
	PV_UNDO_REFERENCE,
	PV_UNDO_BIND,
	PV_UNDO_FILE,
	PV_UNDO_BAR,
	PV_UNDO_TUNE,
	PV_UNDO_IDLE,
	PV_UNDO_COMMAND,
	PV_UNDO_DEVCTL,
	PV_UNDO_DONE,
	PV_UNDO_KINDS,
};

/* A line. Members that its kind does not have are 0. */
struct pv_undo_record {
	enum pv_undo_kind kind;
	pv_bdf bdf;	  /* of reg and bar */
	const char *name; /* of the function of command and devctl; domain numbers of its reader */
	uint32_t ids;	  /* Vendor ID, and Device ID << 16 */
	uint64_t bar, off, bytes, mask, was;
	const char *bus, *device, *driver, *path;
	const char *text; /* rest of the line */
};

/* Reads a line without its newline, and cuts it into the strings of *r. Returns false if no kind has such lines. */
bool pv_undo_parse(char *line, struct pv_undo_record *r);
/* Appends a line; it is on disk when this returns 0. -EPERM: a text of several lines cannot be recorded. */
int pv_undo_append(struct pv_undolog *j, const struct pv_undo_record *r, struct pv_error *e);

/* r: NULL for a line that pv_undo_parse() does not take. */
typedef int (*pv_undo_fn)(void *ctx, const struct pv_undo_record *r, const char *line);
/* Calls fn with each line of `text`, the last one first or the first one first, until it returns an error. */
int pv_undo_each(const char *text, bool backwards, pv_undo_fn fn, void *ctx);

#endif
