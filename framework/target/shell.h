/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs (perf), files (sysfs, debugfs, perf.data) and modules of the system under test, beside its other tables.
 * Only targets with an operating system of their own have a shell.
 */
#ifndef PV_TARGET_SHELL_H
#define PV_TARGET_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PV_SHELL_ARGS_MAX 64u

/* Standard output or error of a program. The caller provides the room. */
struct pv_shell_output {
	char *text; /* ends with a 0 byte */
	size_t room, len;
	bool cut; /* there was more, which was dropped */
};

struct pv_shell {
	const struct pv_shell_ops *ops;
};

/* Each returns 0 (or the stated number) or -errno. */
struct pv_shell_ops {
	/*
	 * Runs a program until it ends. After `timeout_ms` of the system's own time it is killed: -ETIMEDOUT, with its
	 * output so far. argv ends with NULL; argv[0] is searched for in PATH. *status is that of waitpid(2). Its
	 * temporary files belong into the folder TMPDIR of its environment, which is removed with the session. NULL:
	 * the user does not allow programs.
	 */
	int (*run)(struct pv_shell *s, const char *const *argv, uint32_t timeout_ms, int *status,
		   struct pv_shell_output *out, struct pv_shell_output *err);
	/* Reads at most `room` bytes from `offset` on. Returns the number; 0 at the end. */
	int64_t (*file_read)(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room);
	/* Writes all bytes in one write(2), as sysfs wants it. A file that is not there is created if `create`. */
	int (*file_write)(struct pv_shell *s, const char *path, const void *data, size_t len, bool create);
	/* As insmod and rmmod. */
	int (*module_load)(struct pv_shell *s, const char *path, const char *parameters);
	int (*module_unload)(struct pv_shell *s, const char *name);
};

/*
 * Reads a file as a string of at most size - 1 bytes. Returns its length or -errno, and buf is a string in any case.
 * -EFBIG: the file is longer, and buf has its beginning; -EOPNOTSUPP: the shell has no files.
 */
int64_t pv_shell_read_text(struct pv_shell *s, const char *path, char *buf, size_t size);
/*
 * Reads a file from byte `from` on, up to its end. A 0 byte follows the *n bytes of *data. The caller frees *data in
 * any case. 0; -EFBIG: there are `max` bytes or more; -EOPNOTSUPP: there is no shell, or it has no files; -errno.
 */
int pv_shell_read_file(struct pv_shell *s, const char *path, uint64_t from, size_t max, char **data, size_t *n);
/* Writes a string to a file that exists, in one write(2). 0 or -errno. */
int pv_shell_write_text(struct pv_shell *s, const char *path, const char *text);

#endif
