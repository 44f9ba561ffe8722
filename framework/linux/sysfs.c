/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths below the root; attribute files and folders of sysfs. */
#include "framework/linux/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cleanup.h"

struct pv_linux_path pv_linux_path(const struct pv_linux *l, const char *fmt, ...)
{
	struct pv_linux_path path;
	size_t root = (size_t)snprintf(path.s, sizeof(path.s), "%s/", pv_linux_root(l));
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path.s + root, sizeof(path.s) - root, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path.s) - root)
		path.s[0] = '\0';
	return path;
}

/* Fills the buffer from a file. Returns the number of bytes; -ENOSPC if there are more. */
static ssize_t fill(int fd, char *buf, size_t size)
{
	size_t at = 0;

	for (;;) {
		ssize_t n = read(fd, buf + at, size - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : (ssize_t)at;
		at += (size_t)n;
		if (at == size)
			return -ENOSPC;
	}
}

int pv_sysfs_read(const char *path, char *buf, size_t size)
{
	_autoclose_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	/* One more than the text may have: its newline is removed. */
	_autofree_ char *text = malloc(size + 1);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = text ? fill(fd, text, size + 1) : -ENOMEM;
	if (n < 0)
		return (int)n;
	if (n && text[n - 1] == '\n')
		n--;
	if ((size_t)n >= size)
		return -ENOSPC;
	memcpy(buf, text, (size_t)n);
	buf[n] = '\0';
	return (int)n;
}

int pv_sysfs_read_number(const char *path, uint32_t *value)
{
	char text[32], *end;
	int n = pv_sysfs_read(path, text, sizeof(text));

	if (n < 0)
		return n;
	errno = 0;
	*value = (uint32_t)strtoul(text, &end, 0);
	return errno || end == text || *end ? -EINVAL : 0;
}

int pv_sysfs_write(const char *path, const char *text)
{
	_autoclose_ int fd = open(path, O_WRONLY | O_CLOEXEC);
	/* A write of no bytes would not reach the attribute: `echo >file` writes a newline. */
	const char *bytes = *text ? text : "\n";
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, bytes, strlen(bytes));
	if (n < 0)
		return -errno;
	return (size_t)n == strlen(bytes) ? 0 : -EIO;
}

static int not_dots(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int pv_sysfs_list(const char *path, void (*fn)(void *, const char *), void *ctx)
{
	struct dirent **entries;
	int n = scandir(path, &entries, not_dots, by_bytes);

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		fn(ctx, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return 0;
}
