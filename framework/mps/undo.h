/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of apply (framework/undo/undolog.h): what a register field was before it was written, on disk before the
 * write reaches the device. A line a field:
 *
 *   0000:01:00.0 1b36:000c devctl 0x70e0 0x2020     function, ids, register, mask, what it was
 *   done                                            nothing is under way
 *
 * The oldest line of a field is what restore puts back, so a journal of several applies leads back to the start.
 */
#ifndef PV_MPS_UNDO_H
#define PV_MPS_UNDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/pci/machine.h"
#include "framework/util/error.h"
#include "framework/undo/undolog.h"

enum pv_undo_reg { PV_UNDO_COMMAND, PV_UNDO_DEVCTL };

struct pv_undo_entry {
	char name[PV_PCI_NAME_BYTES];
	uint16_t vendor, device;
	enum pv_undo_reg reg;
	uint16_t mask, was;
};

struct pv_undo {
	const char *path;
	struct pv_undolog journal;
	struct pv_undo_entry *list; /* what the journal had when it was opened */
	size_t n;
	size_t n_done;	/* of them, those before the last "done" */
	bool stale;	/* it was of an earlier boot, and has been emptied */
	bool under_way; /* there are others: a process ended in the middle */
};

/* Opens the journal, or makes it, reads it and locks it. 0; -EBUSY: another process has it; -EBADMSG: not a journal. */
int pv_undo_open(struct pv_undo *undo, const char *path, struct pv_error *e);
/* Appends an entry; it is on disk when this returns 0. */
int pv_undo_add(struct pv_undo *undo, const struct pv_undo_entry *entry, struct pv_error *e);
/* Nothing is under way any more. */
int pv_undo_done(struct pv_undo *undo, struct pv_error *e);
/* Removes the journal: all is as it was. */
int pv_undo_remove(struct pv_undo *undo, struct pv_error *e);
void pv_undo_close(struct pv_undo *undo);

#endif
