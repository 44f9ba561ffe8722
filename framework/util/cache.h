/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder of files that are made once and then found by name, by any number of processes at a time. A file gets its
 * name when it is complete; one process makes it while others wait; the least recently used files are removed.
 */
#ifndef PV_UTIL_CACHE_H
#define PV_UTIL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "framework/util/error.h"

#define PV_CACHE_BYTES (8ull << 30) /* maximum size of the folder */
#define PV_CACHE_NAME  17	    /* bytes of a name with its NUL */
#define PV_CACHE_DAYS  30	    /* until an unused file is removed */

struct pv_cache_user {
	void *ctx;
	/* Returns true and takes ownership of `fd` if the file is good; otherwise it is made again. */
	bool (*use)(void *ctx, int fd);
	/* Writes the file at `path`. 0 or -errno. */
	int (*make)(void *ctx, const char *path, struct pv_error *e);
};

/* Names a file by a hash of what it is made from. Keys may collide: the file must contain its key. */
void pv_cache_name(const char *key, char name[PV_CACHE_NAME]);
/* Uses the file `name` of `folder`, after making it if it is missing. 0 or -errno. */
int pv_cache_get(const char *folder, const char *name, const struct pv_cache_user *user, struct pv_error *e);
/* Removes a file, unless another process is making it. */
void pv_cache_drop(const char *folder, const char *name);
/* Removes files not used for `days`, then the least recently used ones until the rest takes at most `bytes`. */
void pv_cache_prune(const char *folder, uint64_t bytes, unsigned days);

#endif
