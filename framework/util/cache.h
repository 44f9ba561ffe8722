/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are made once and then found by name, by any number of processes at a time: the saved machines. A file
 * gets its name when it is complete; one process makes it while others wait; files that were not used for a long time
 * are removed.
 */
#ifndef PV_QEMU_STORE_H
#define PV_QEMU_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "framework/util/error.h"

#define PV_STORE_BYTES (8ull << 30) /* kept at most */
#define PV_STORE_NAME  17	    /* bytes of a name with its NUL */
#define PV_STORE_DAYS  30	    /* a file is kept after its last use */

struct pv_store_user {
	void *ctx;
	/* Returns true and takes ownership of `fd` if the file is good; otherwise it is made again. */
	bool (*use)(void *ctx, int fd);
	/* Writes the file at `path`. 0 or -errno. */
	int (*make)(void *ctx, const char *path, struct pv_error *e);
};

/* Names a file for what it is made from. Others may get the same name: the file must say for whom it was made. */
void pv_store_name(const char *key, char name[PV_STORE_NAME]);
/* Uses the file `name` of `folder`, making what is missing. 0 or -errno. */
int pv_store_get(const char *folder, const char *name, const struct pv_store_user *user, struct pv_error *e);
/* Removes a file that turned out to be no good. */
void pv_store_drop(const char *folder, const char *name);
/* Removes files not used for `days`, then the least recently used ones until the rest takes at most `bytes`. */
void pv_store_prune(const char *folder, uint64_t bytes, unsigned days);

#endif
