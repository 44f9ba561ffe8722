/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are there whole or not at all: written beside their place, synced, renamed. And the few
 * folder operations that a run needs.
 */
#ifndef PV_UTIL_FILE_H
#define PV_UTIL_FILE_H

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

/* Says now what pv_file_write() would say later: tries to create a file beside `path`. Leaves nothing behind. */
int pv_file_check_writable(const char *path, struct pv_error *e);

/* The whole file, with a 0 byte after it that n does not count. -EFBIG above `max`. The caller frees *out. */
int pv_file_read(const char *path, size_t max, char **out, size_t *n, struct pv_error *e);

/* As `mkdir -p`. 0 when it is there already. */
int pv_mkdir_all(const char *path, mode_t mode);

/* As `rm -r`, without following symbolic links. 0 when there is nothing. */
int pv_remove_all(const char *path);

#endif
