/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A saved machine: a file with QEMU's state (devices and CPUs), the guest's console output so far, and the non-zero
 * pages of its RAM, or those that differ from another saved machine, on which it then lies. It contains a key of its inputs and checksums: a file that is truncated, damaged or made from
 * other inputs is not used. A machine that cannot be saved has such a file, too, so that this is not tried again each
 * time.
 */
#ifndef PV_QEMU_SAVED_H
#define PV_QEMU_SAVED_H

#include <stddef.h>
#include <stdint.h>

#include "fixtures/qemu/fabric.h"
#include "framework/util/error.h"

/* What a file is made of. */
struct pv_saved_parts {
	const char *key; /* what the machine was made from */
	const void *state;
	size_t state_bytes;
	const char *console; /* the guest's console output; without a state: the reason */
	size_t console_bytes;
	int ram_fd; /* a memfd; not read without a state */
	size_t ram_bytes;
	const struct pv_saved *under; /* the machine whose pages are left out; NULL: none, pages of zeros are */
	const void *record;	      /* what else belongs to the machine */
	size_t record_bytes;
};

struct pv_saved_run;

struct pv_saved {
	int fd;
	uint64_t sum;	   /* of all that is in it, that of the pages by their sums */
	const uint8_t *at; /* the file; NULL: not open */
	size_t bytes;
	const char *console;
	size_t console_bytes;
	size_t state_at,
		state_bytes; /* the state; 0 bytes: this machine cannot be saved, for the reason in the console */
	const void *record;
	size_t record_bytes;
	const struct pv_saved_run *run;
	size_t runs;
	const uint64_t *page_sum; /* of each page that is in the file */
	size_t pages;
	size_t ram_bytes;
	const struct pv_saved *under; /* the machine that this one lies on, the opener's to set; NULL: on none */
};

/* Writes a file at `path`. 0 or -errno. */
int pv_saved_write(const char *path, const struct pv_saved_parts *parts, struct pv_error *e);

/*
 * Opens the file in `fd` and takes ownership of it. 0; -EBADMSG: it is damaged, or was not made from `key`. The sum of a
 * page is checked when it is copied: a case copies few of them.
 */
int pv_saved_open(struct pv_saved *s, int fd, const char *key);
/* Copies the pages into a memfd of ram_bytes, which is zero. 0; -EBADMSG: a page is damaged; -errno. */
int pv_saved_fill(const struct pv_saved *s, int ram_fd);
/*
 * Makes RAM, which is mapped at `ram` and was filled once, with this machine or the one under it, what it was; `out` gets the ranges that differed, by their offset.
 * 0; -ENOSPC: there are more than `room`; -EBADMSG: a page that is to be copied is damaged; -errno.
 */
int pv_saved_restore(const struct pv_saved *s, int ram_fd, uint8_t *ram, struct pv_fabric_range *out, size_t room,
		     size_t *n);
void pv_saved_close(struct pv_saved *s);

#endif
