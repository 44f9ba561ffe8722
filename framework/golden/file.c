/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files for the golden store. */
#include "framework/golden/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"

static int failed(struct pv_error *e, const char *doing, const char *path, int err)
{
	return pv_error(e, -err, "%s: %s: %s", path, doing, strerror(err));
}

int pv_file_read(const char *path, size_t max, void **data, size_t *len, struct pv_error *e)
{
	_autoclose_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st))
		return failed(e, "cannot be read", path, errno);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > max)
		return pv_error(e, -EFBIG, "%s: expected a file of at most %zu bytes", path, max);
	size_t size = (size_t)st.st_size, done = 0;
	_autofree_ char *buf = malloc(size + 1);
	if (!buf)
		return failed(e, "cannot be read", path, ENOMEM);
	while (done < size) {
		ssize_t n = read(fd, buf + done, size - done);
		if (n <= 0)
			return failed(e, "cannot be read", path, n ? errno : EIO);
		done += (size_t)n;
	}
	buf[size] = 0; /* so that text ends */
	*len = size;
	*data = steal(&buf);
	return 0;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return fsync(fd) ? -errno : 0;
}

int pv_file_write_aside(const char *path, const void *data, size_t len, struct pv_error *e)
{
	_autofree_ char *aside = NULL;
	if (asprintf(&aside, "%s.new", path) < 0)
		return failed(e, "cannot be written", path, ENOMEM);
	_autoclose_ int fd = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return failed(e, "cannot be written", aside, errno);
	int err = write_all(fd, data, len);
	if (err) {
		unlink(aside);
		return failed(e, "cannot be written", aside, -err);
	}
	return 0;
}

int pv_file_rename_aside(const char *path, struct pv_error *e)
{
	_autofree_ char *aside = NULL;
	if (asprintf(&aside, "%s.new", path) < 0)
		return failed(e, "cannot be written", path, ENOMEM);
	return rename(aside, path) ? failed(e, "cannot be put in place", path, errno) : 0;
}

int pv_file_write(const char *path, const void *data, size_t len, struct pv_error *e)
{
	int err = pv_file_write_aside(path, data, len, e);
	return err ? err : pv_file_rename_aside(path, e);
}
