/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Atomic file replacement (write aside, sync, rename), and the few folder operations that a run needs.
 */
#ifndef PV_UTIL_FILE_H
#define PV_UTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "framework/util/error.h"

/* Writes all n bytes or returns -errno. Continues after interrupted and short writes. */
int pv_write_all(int fd, const void *data, size_t n);
/* Writes the folder of `path` to disk: a new name is there once it is. 0 or -errno. */
int pv_sync_folder(const char *path);

/*
 * Replaces the content of `path` by n bytes. The old content stays until the new one is complete and on disk. "-" is
 * standard output; devices and pipes are written directly; symbolic links are followed,
 * unless they are foreign.
 */
int pv_file_write(const char *path, const void *data, size_t n, struct pv_error *e);

/*
 * The same for content that is written to `fd` in pieces:
 *
 *	_cleanup_(pv_new_file_drop) struct pv_new_file f;
 *	if (pv_new_file_open(&f, path, &e) || write to f.fd || pv_new_file_keep(&f, &e)) ...
 *
 * The old content stays until keep(), and for good without it.
 */
struct pv_new_file {
	int fd;
	char *path, *aside; /* final and temporary name; aside NULL: none */
	bool whole;	    /* a regular file: not standard output, a device or a pipe */
};
int pv_new_file_open(struct pv_new_file *f, const char *path, struct pv_error *e);
int pv_new_file_keep(struct pv_new_file *f, struct pv_error *e);
void pv_new_file_drop(struct pv_new_file *f);

/*
 * Returns true if this file, folder or link, or a link on the way to it, belongs to another user, in a world-writable
 * folder that is not theirs: they may have put it there on purpose. The rule of fs.protected_symlinks
 * (Documentation/admin-guide/sysctl/fs.rst).
 */
bool pv_path_is_foreign(const char *path);
/* For messages about such a path. */
#define PV_FOREIGN_LINK "it is, or lies behind, a link of another user's in a folder that everybody may write to"

/* Reports early what pv_file_write() would report: tries to create a file beside `path`, and removes it. */
int pv_file_check_writable(const char *path, struct pv_error *e);

/*
 * Returns true if both are the path of one regular file, which need not exist yet, or both are "-": what was written to
 * the one would replace what was written to the other. Hard links are different: each is replaced by itself.
 */
bool pv_file_is_same(const char *a, const char *b);

/* Returns the name of a file for messages: "standard input" for "-". */
const char *pv_file_name(const char *path);
/* Opens a file for reading; "-": standard input. Returns a descriptor, which the caller closes, or -errno. */
int pv_file_open(const char *path);
/*
 * Reads a whole file, as pv_file_open() opens it, and appends a 0 byte, which *n does not count. -EFBIG above `max`.
 * The caller frees *out.
 */
int pv_file_read(const char *path, size_t max, char **out, size_t *n, struct pv_error *e);

/* Extends `*hash` (hash.h) by the contents of a file, whatever its size. 0 or -errno. */
int pv_file_hash(const char *path, uint64_t *hash);

/* Like `mkdir -p`. Returns 0 if the folder exists; -EPERM if it is foreign, as above. */
int pv_mkdir_all(const char *path, mode_t mode);

/*
 * Returns 0 if the folder, which links may lead to, has no entries but `except` (NULL: none at all); -ENOTEMPTY, or
 * another -errno. Changes nothing.
 */
int pv_folder_check_empty(const char *path, const char *except);

/* Like `rm -r` without following symbolic links. Returns 0 if there is nothing. */
int pv_remove_all(const char *path);

#endif
