/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of apply: lines of the kinds devctl, command and done (framework/undo/record.h), each on disk before its
 * write reaches the device. The oldest line of a register is what restore puts back, so a journal of several applies
 * leads back to the start.
 */
#ifndef PV_MPS_UNDO_H
#define PV_MPS_UNDO_H

#include <stdbool.h>
#include <stddef.h>

#include "framework/undo/record.h"

struct pv_undo {
	const char *path;
	struct pv_undolog journal;
	struct pv_undo_record *list; /* what the journal had when it was opened */
	size_t n;
	size_t n_done;	/* of them, those before the last "done" */
	bool stale;	/* it was of an earlier boot, and has been emptied */
	bool under_way; /* there are others: a process ended in the middle */
};

/* Opens the journal, or makes it, reads it and locks it. 0; -EBUSY: another process has it; -EBADMSG: not a journal. */
int pv_undo_open(struct pv_undo *undo, const char *path, struct pv_error *e);
void pv_undo_close(struct pv_undo *undo);

#endif
