/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A journal for restoring changes: lines of text that are only appended, each on disk before its change is made. The
 * first line identifies the boot, since the changes do not outlive it:
 *
 *   boot 3c5d...        /proc/sys/kernel/random/boot_id
 *
 * A last line without its newline was being written when its process ended: its change was not made yet, and it is cut
 * off.
 */
#ifndef PV_UNDO_UNDOLOG_H
#define PV_UNDO_UNDOLOG_H

#include <stdbool.h>

#include "framework/util/error.h"

struct pv_undolog {
	const char *path;
	int fd;
	char *text;	/* lines after the first at opening */
	unsigned line;	/* number of the first of these */
	bool stale;	/* it was of an earlier boot, and has been emptied */
	char *contents; /* `text` is in it */
};

/*
 * Opens or creates it, and its folder; reads it and locks it. 0; -EBUSY: another process has it; -EBADMSG: its first
 * line is no boot ID, and it stays as it is; -errno.
 */
int pv_undolog_open(struct pv_undolog *j, const char *path, struct pv_error *e);
/* Appends text that ends with a newline; it is on disk when this returns 0. -errno: nothing of it is in the journal. */
int pv_undolog_append(struct pv_undolog *j, const char *text, struct pv_error *e);
/* Removes all lines but the first: everything is restored. */
int pv_undolog_empty(struct pv_undolog *j, struct pv_error *e);
int pv_undolog_remove(struct pv_undolog *j, struct pv_error *e);
/* Unlocks it. */
void pv_undolog_close(struct pv_undolog *j);

#endif
