/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of apply, with lines of the kinds devctl, command and done (framework/undo/record.h). Each line is on
 * disk before its write reaches the device. Restore uses the oldest line of a register, so a journal of several applies
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
	struct pv_undo_record *list; /* records in the journal when it was opened */
	size_t n;
	size_t n_done;		      /* number of records before the last "done" */
	bool stale;		      /* it belonged to an earlier boot, and was emptied */
	bool under_way;		      /* records follow the last "done": an apply was interrupted */
	unsigned damaged, damaged_at; /* lines that are none of these records, and the number of the first one */
};

/*
 * Opens the journal, or creates it, reads it and locks it. 0; -EBUSY: another process has it; -EBADMSG: not a journal,
 * as its first line says. Damaged lines after the first are counted.
 */
int pv_undo_open(struct pv_undo *undo, const char *path, struct pv_error *e);
/* Says that lines are damaged: -EBADMSG. 0: none is. */
int pv_undo_damage(const struct pv_undo *undo, struct pv_error *e);
void pv_undo_close(struct pv_undo *undo);

#endif
