/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole-file writing by temporary file, fsync and rename; reading with a limit; folders. */
#include "framework/util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"

int pv_write_all(int fd, const void *data, size_t n)
{
	const char *p = data;
	while (n) {
		ssize_t w = write(fd, p, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -errno;
		p += w;
		n -= (size_t)w;
	}
	return 0;
}

/* Where the bytes really go: the target of a symbolic link, else the path itself. NULL: no memory. */
static char *final_path(const char *path)
{
	char *real = realpath(path, NULL);
	return real ? real : strdup(path);
}

static int folder_of(const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');
	int n = slash ? snprintf(out, size, "%.*s", slash == path ? 1 : (int)(slash - path), path)
		      : snprintf(out, size, ".");
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* A temporary file in the folder of `path`, so that rename(2) stays on one file system. */
static int temporary_beside(const char *path, char *name, size_t size)
{
	char folder[PATH_MAX];
	int err = folder_of(path, folder, sizeof(folder));
	if (err)
		return err;
	int n = snprintf(name, size, "%s/.pcieval-XXXXXX", folder);
	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	int fd = mkostemp(name, O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void sync_folder(const char *path)
{
	char folder[PATH_MAX];
	if (folder_of(path, folder, sizeof(folder)))
		return;
	_autoclose_ int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		fsync(fd);
}

static int write_renamed(const char *path, const void *data, size_t n)
{
	char name[PATH_MAX];
	int fd = temporary_beside(path, name, sizeof(name));
	if (fd < 0)
		return fd;
	mode_t mask = umask(0);
	umask(mask);
	int err = pv_write_all(fd, data, n);
	if (!err && (fchmod(fd, 0666 & ~mask) || fsync(fd)))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(name, path))
		err = -errno;
	if (err)
		unlink(name);
	else
		sync_folder(path);
	return err;
}

static int write_in_place(const char *path, const void *data, size_t n)
{
	_autoclose_ int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 ? -errno : pv_write_all(fd, data, n);
}

int pv_file_write(const char *path, const void *data, size_t n, struct pv_error *e)
{
	int err;
	struct stat st;
	_autofree_ char *real = final_path(path);
	if (!real)
		err = -ENOMEM;
	else if (!strcmp(path, "-"))
		err = pv_write_all(STDOUT_FILENO, data, n);
	else if (!stat(real, &st) && S_ISDIR(st.st_mode))
		err = -EISDIR;
	else if (!stat(real, &st) && !S_ISREG(st.st_mode))
		err = write_in_place(real, data, n);
	else
		err = write_renamed(real, data, n);
	return err ? pv_error(e, err, "%s: cannot be written: %s", path, strerror(-err)) : 0;
}

static int try_temporary(const char *path)
{
	char name[PATH_MAX];
	int fd = temporary_beside(path, name, sizeof(name));
	if (fd < 0)
		return fd;
	close(fd);
	unlink(name);
	return 0;
}

int pv_file_check_writable(const char *path, struct pv_error *e)
{
	struct stat st;
	int err = 0;
	_autofree_ char *real = final_path(path);
	if (!real)
		err = -ENOMEM;
	else if (!strcmp(path, "-"))
		err = 0;
	else if (!*path)
		err = -ENOENT;
	else if (stat(real, &st))
		err = errno == ENOENT ? try_temporary(real) : -errno;
	else if (S_ISDIR(st.st_mode))
		err = -EISDIR;
	else if (access(real, W_OK))
		err = -errno;
	else if (S_ISREG(st.st_mode))
		err = try_temporary(real);
	return err ? pv_error(e, err, "%s: cannot be written: %s", path, strerror(-err)) : 0;
}

static int read_limited(FILE *f, size_t max, char **out, size_t *n)
{
	_autofree_ char *buf = NULL;
	size_t used = 0, size = 0;
	for (;;) {
		if (used + 1 >= size) {
			size = size ? size * 2 : 65536;
			char *more = realloc(buf, size);
			if (!more)
				return -ENOMEM;
			buf = more;
		}
		size_t got = fread(buf + used, 1, size - used - 1, f);
		used += got;
		if (used > max)
			return -EFBIG;
		if (!got)
			break;
	}
	if (ferror(f))
		return errno ? -errno : -EIO;
	buf[used] = 0;
	*out = steal(&buf);
	*n = used;
	return 0;
}

int pv_file_read(const char *path, size_t max, char **out, size_t *n, struct pv_error *e)
{
	_autofclose_ FILE *f = fopen(path, "re");
	int err = f ? read_limited(f, max, out, n) : -errno;
	return err ? pv_error(e, err, "%s: cannot be read: %s", path, strerror(-err)) : 0;
}

int pv_mkdir_all(const char *path, mode_t mode)
{
	char part[PATH_MAX];
	size_t len = strlen(path);
	if (!len || len >= sizeof(part))
		return len ? -ENAMETOOLONG : -ENOENT;
	for (size_t i = 1; i <= len; i++) {
		if (path[i] && path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = 0;
		if (mkdir(part, mode) && errno != EEXIST)
			return -errno;
	}
	struct stat st;
	if (stat(path, &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	return remove(path) && errno != ENOENT ? -1 : 0;
}

int pv_remove_all(const char *path)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) && errno != ENOENT)
		return -errno;
	return 0;
}
