/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Journals of what is about to be changed. */
#include "framework/undo/undolog.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"

enum { JOURNAL_MAX = 64 << 20, BOOT_MAX = 64 };

/* "boot ID" of this boot, or an empty ID where the kernel does not tell. */
static void boot_line(char line[BOOT_MAX])
{
	_autofree_ char *id = NULL;
	size_t n;

	if (pv_file_read("/proc/sys/kernel/random/boot_id", BOOT_MAX, &id, &n, NULL))
		n = 0;
	snprintf(line, BOOT_MAX, "boot %.*s", n ? (int)strcspn(id, "\n") : 0, n ? id : "");
}

static int fail(const struct pv_undolog *j, int err, struct pv_error *e)
{
	return pv_error(e, err, "the journal %s: %s", j->path, strerror(-err));
}

int pv_undolog_empty(struct pv_undolog *j, struct pv_error *e)
{
	char line[BOOT_MAX + 1];

	boot_line(line);
	strcat(line, "\n");
	int err = ftruncate(j->fd, 0) ? -errno : pv_write_all(j->fd, line, strlen(line));
	return err ? fail(j, err, e) : 0;
}

/* Whether a line of n characters is as boot_line() writes one, of any boot; `torn`: or begins as one. */
static bool is_boot_line(const char *line, size_t n, bool torn)
{
	static const size_t prefix = sizeof("boot ") - 1, id = 36;

	return (torn ? n <= prefix + id : n == prefix || n == prefix + id) &&
	       !strncmp(line, "boot ", n < prefix ? n : prefix) &&
	       (n <= prefix || strspn(line + prefix, "0123456789abcdef-") == n - prefix);
}

/* If the first line is damaged, nobody knows what the others are worth; or it is a file of somebody else. */
static int check_first_line(const struct pv_undolog *j, struct pv_error *e)
{
	size_t n = strcspn(j->contents, "\n");

	return is_boot_line(j->contents, n, !j->contents[n])
		       ? 0
		       : pv_error(e, -EBADMSG,
				  "%s:1: expected the boot ID that a journal begins with, got '%.*s'; nothing was "
				  "changed; look at the file, and remove it",
				  j->path, n < 80 ? (int)n : 80, j->contents);
}

/* Checks that the first line is from this boot; else empties the journal and writes a new first line. */
static int begin_boot(struct pv_undolog *j, struct pv_error *e)
{
	char line[BOOT_MAX];
	char *end = strchr(j->text, '\n');
	size_t n = end ? (size_t)(end - j->text) : 0;

	boot_line(line);
	if (n == strlen(line) && !strncmp(j->text, line, n)) {
		j->text = end + 1;
		j->line = 2;
		return 0;
	}
	j->stale = n;
	*j->text = '\0';
	return pv_undolog_empty(j, e);
}

/* Cuts off a last line that a process did not finish before it ended: the next line begins on its own. */
static int cut_last_line(struct pv_undolog *j, size_t n)
{
	const char *end = memrchr(j->contents, '\n', n);
	size_t whole = end ? (size_t)(end + 1 - j->contents) : 0;

	j->contents[whole] = '\0';
	return ftruncate(j->fd, (off_t)whole) ? -errno : 0;
}

static int read_journal(struct pv_undolog *j, struct pv_error *e)
{
	size_t n;
	int err = pv_file_read(j->path, JOURNAL_MAX, &j->contents, &n, e);

	if (err)
		return err;
	err = check_first_line(j, e);
	if (err)
		return err;
	err = cut_last_line(j, n);
	if (err)
		return fail(j, err, e);
	j->text = j->contents;
	j->line = 1;
	return begin_boot(j, e);
}

static int make_folder(const char *path)
{
	_autofree_ char *copy = strdup(path);

	return copy ? pv_mkdir_all(dirname(copy), 0755) : -ENOMEM;
}

/* Between open(2) and flock(2) the previous holder may unlink the file; writes would then go to a deleted inode. */
static bool is_at_its_path(const struct pv_undolog *j)
{
	struct stat ours, there;

	return !fstat(j->fd, &ours) && !lstat(j->path, &there) && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
}

static int open_and_lock(struct pv_undolog *j, struct pv_error *e)
{
	int err = make_folder(j->path);

	if (!err) {
		j->fd = open(j->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		err = j->fd < 0 ? -errno : 0;
	}
	if (!err)
		err = pv_sync_folder(j->path);
	if (err)
		return fail(j, err, e);
	return flock(j->fd, LOCK_EX | LOCK_NB) || !is_at_its_path(j)
		       ? pv_error(e, -EBUSY, "the journal %s: another pcieval is at work", j->path)
		       : 0;
}

int pv_undolog_open(struct pv_undolog *j, const char *path, struct pv_error *e)
{
	*j = (struct pv_undolog){.path = path, .fd = -1};
	int err = open_and_lock(j, e);

	if (!err)
		err = read_journal(j, e);
	if (err)
		pv_undolog_close(j);
	return err;
}

/* A full disk takes part of a line: the next line would be read as its end, and a wrong value restored. */
int pv_undolog_append(struct pv_undolog *j, const char *text, struct pv_error *e)
{
	off_t end = lseek(j->fd, 0, SEEK_END);
	int err = end < 0 ? -errno : pv_write_all(j->fd, text, strlen(text));

	if (!err && fdatasync(j->fd))
		err = -errno;
	if (err && end >= 0 && ftruncate(j->fd, end))
		err = -errno;
	return err ? fail(j, err, e) : 0;
}

int pv_undolog_remove(struct pv_undolog *j, struct pv_error *e)
{
	if (unlink(j->path))
		return fail(j, -errno, e);
	pv_sync_folder(j->path);
	return 0;
}

void pv_undolog_close(struct pv_undolog *j)
{
	pv_closep(&j->fd);
	j->fd = -1;
	free(j->contents);
	j->contents = j->text = NULL;
}
