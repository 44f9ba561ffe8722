/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are there whole or not at all: written beside their place, synced, renamed. And the few
 * folder operations that a run needs.
 */
#ifndef PV_UTIL_FILE_H
#define PV_UTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "framework/util/error.h"

/* Writes all of it or returns -errno. Interrupted and short writes are continued. */
int pv_write_all(int fd, const void *data, size_t n);

/*
 * Puts n bytes at `path`: the old content stays until the new one is complete and on disk. "-" is standard
 * output; devices and pipes are written as they are, symbolic links are followed.
 */
int pv_file_write(const char *path, const void *data, size_t n, struct pv_error *e);

/*
 * The same for what is written in pieces, to `fd`:
 *
 *	_cleanup_(pv_new_file_drop) struct pv_new_file f;
 *	if (pv_new_file_open(&f, path, &e) || write to f.fd || pv_new_file_keep(&f, &e)) ...
 *
 * Until keep() the old content stays; without it, nothing has happened.
 */
struct pv_new_file {
	int fd;
	char *path, *aside; /* the final place; its present name, NULL: none */
	bool whole;	    /* not standard output, a device or a pipe */
};
int pv_new_file_open(struct pv_new_file *f, const char *path, struct pv_error *e);
int pv_new_file_keep(struct pv_new_file *f, struct pv_error *e);
void pv_new_file_drop(struct pv_new_file *f);

/* Says now what pv_file_write() would say later: tries to create a file beside `path`. Leaves nothing behind. */
int pv_file_check_writable(const char *path, struct pv_error *e);

/* The whole file, with a 0 byte after it that n does not count. -EFBIG above `max`. The caller frees *out. */
int pv_file_read(const char *path, size_t max, char **out, size_t *n, struct pv_error *e);

/* As `mkdir -p`. 0 when it is there already. */
int pv_mkdir_all(const char *path, mode_t mode);

/* As `rm -r`, without following symbolic links. 0 when there is nothing. */
int pv_remove_all(const char *path);

#endif
