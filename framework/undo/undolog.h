/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A journal of what is about to be changed, to find the way back: lines of text that are only ever appended, each on
 * disk before what it tells of is done. The first line has the boot that it is of, since what it tells of does not
 * outlive a boot:
 *
 *   boot 3c5d...        /proc/sys/kernel/random/boot_id
 *
 * A last line without its newline was being written when its process ended: nothing had been done yet, and it is cut
 * off.
 */
#ifndef PV_UNDO_UNDOLOG_H
#define PV_UNDO_UNDOLOG_H

#include <stdbool.h>

#include "framework/util/error.h"

struct pv_undolog {
	const char *path;
	int fd;
	char *text;	/* lines after the first, when it was opened */
	unsigned line;	/* number of the first of these */
	bool stale;	/* it was of an earlier boot, and has been emptied */
	char *contents; /* `text` is in it */
};

/* Opens or makes it, and its folder; reads it and locks it. 0, or -errno: -EBUSY: another process has it. */
int pv_undolog_open(struct pv_undolog *j, const char *path, struct pv_error *e);
/* Appends text that ends with a newline; it is on disk when this returns 0. */
int pv_undolog_append(struct pv_undolog *j, const char *text, struct pv_error *e);
/* Takes all lines but the first away: everything is as it was. */
int pv_undolog_empty(struct pv_undolog *j, struct pv_error *e);
int pv_undolog_remove(struct pv_undolog *j, struct pv_error *e);
/* Unlocks it. */
void pv_undolog_close(struct pv_undolog *j);

#endif
