/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of a snapshot: QEMU's state (devices and CPUs), the guest's console output so far, and the non-zero pages of
 * its RAM, or only those that differ from a base snapshot. It contains the key of what it was made from, and checksums:
 * a file that is truncated, damaged or made from other inputs is not used. A machine that cannot be saved has a file
 * without state, so that saving it is not tried again.
 */
#ifndef PV_QEMU_SNAPSHOT_FILE_H
#define PV_QEMU_SNAPSHOT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "fixtures/qemu/fabric.h"
#include "framework/util/error.h"

/* Contents of a file to be written. */
struct pv_snapshot_parts {
	const char *key; /* what the machine was made from */
	const void *state;
	size_t state_bytes;
	const char *console; /* the guest's console output; without a state: the reason */
	size_t console_bytes;
	int ram_fd; /* a memfd; not read without a state */
	size_t ram_bytes;
	const struct pv_snapshot_file *base; /* whose pages are left out; NULL: none, pages of zeros are */
	const void *log;		     /* MMIO log, see snapshot.h */
	size_t log_bytes;
};

struct pv_snapshot_run;

struct pv_snapshot_file {
	int fd;
	uint64_t sum;	   /* of the whole file; covers pages by their sums */
	const uint8_t *at; /* the file; NULL: not open */
	size_t bytes;
	const char *console;
	size_t console_bytes;
	size_t state_at, state_bytes; /* 0 bytes: the machine cannot be saved, `console` has the reason */
	const void *log;
	size_t log_bytes;
	const struct pv_snapshot_run *run;
	size_t runs;
	const uint64_t *page_sum; /* of each page in the file */
	size_t pages;
	size_t ram_bytes;
	const struct pv_snapshot_file *base; /* set by the user; NULL: none */
};

/* Writes a file at `path`. 0 or -errno. */
int pv_snapshot_file_write(const char *path, const struct pv_snapshot_parts *parts, struct pv_error *e);

/*
 * Opens the file in `fd`, which it takes over. 0; -EBADMSG: it is damaged, or was not made from `key`. Pages are
 * checked when they are copied: a case copies few of them.
 */
int pv_snapshot_file_open(struct pv_snapshot_file *s, int fd, const char *key);
/* Copies the pages into a zeroed memfd of ram_bytes. 0; -EBADMSG: a page is damaged; -errno. */
int pv_snapshot_file_fill(const struct pv_snapshot_file *s, int ram_fd);
/*
 * Restores RAM, mapped at `ram`, to this snapshot; it was filled with this snapshot or its base before. `out` gets the
 * ranges that changed, as offsets. 0; -ENOSPC: more than `room` ranges; -EBADMSG: a page to be copied is damaged;
 * -errno.
 */
int pv_snapshot_file_restore(const struct pv_snapshot_file *s, int ram_fd, uint8_t *ram, struct pv_fabric_range *out,
			     size_t room, size_t *n);
void pv_snapshot_file_close(struct pv_snapshot_file *s);

#endif
