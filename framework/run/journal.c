/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Appends to a journal, and reads one that may end anywhere. */
#include "framework/run/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/json.h"

#define LINE_BYTES ((size_t)16 << 20) /* of a line; an event has at most PV_LINE_MAX */

static int journal_path(const char *folder, char path[PATH_MAX])
{
	return snprintf(path, PATH_MAX, "%s/" PV_JOURNAL_FILE, folder) >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* A runner that was killed may have left half a line. */
static int end_last_line(int fd)
{
	char last;
	off_t size = lseek(fd, 0, SEEK_END);

	if (size <= 0 || pread(fd, &last, 1, size - 1) != 1 || last == '\n')
		return 0;
	return pv_write_all(fd, "\n", 1);
}

/*
 * Tries a few times: a report holds a shared lock for a moment, to find out whether the run is active. A file system
 * without locks is no error.
 */
static int lock(int fd)
{
	const struct timespec moment = {.tv_nsec = 20 * 1000000L};

	for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB); tries++) {
		if (errno != EWOULDBLOCK)
			return errno == EINTR ? -EINTR : 0;
		if (tries == 5)
			return -EBUSY;
		nanosleep(&moment, NULL);
	}
	return 0;
}

int pv_journal_claim(const char *folder)
{
	char path[PATH_MAX];
	int err = pv_path_is_foreign(folder) ? -EPERM : journal_path(folder, path);
	int fd = err ? -1 : open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);

	if (fd < 0)
		return err ? err : -errno;
	err = lock(fd);
	if (err)
		close(fd);
	return err ? err : fd;
}

int pv_journal_open(struct pv_journal *j, const char *folder, int claim, struct pv_error *e)
{
	*j = (struct pv_journal){.fd = claim >= 0 ? claim : pv_journal_claim(folder)};
	int err = j->fd < 0 ? j->fd : end_last_line(j->fd);
	if (err == -EBUSY)
		return pv_error(e, err, "%s: cannot be resumed: another pcieval is running it", folder);
	return err ? pv_error(e, err, "%s/" PV_JOURNAL_FILE ": cannot be written: %s", folder, strerror(-err)) : 0;
}

void pv_journal_add(struct pv_journal *j, const char *ev, int case_index, json_object *o)
{
	pv_json_string(o, "ev", ev);
	if (case_index >= 0)
		pv_json_int(o, "case", case_index);
	const char *text = pv_json_line(o);
	char *line = NULL;
	int n = text ? asprintf(&line, "%s\n", text) : -1;
	if (!j->err)
		j->err = n < 0 ? -ENOMEM : pv_write_all(j->fd, line, (size_t)n);
	if (n >= 0)
		free(line);
	json_object_put(o);
}

void pv_journal_sync(struct pv_journal *j)
{
	/* EINVAL: not something that can be synced (a pipe). */
	if (fdatasync(j->fd) && errno != EINVAL && !j->err)
		j->err = -errno;
}

bool pv_journal_is_in(const struct pv_journal *j, const char *folder)
{
	char path[PATH_MAX];
	struct stat ours, there;

	if (journal_path(folder, path) || fstat(j->fd, &ours) || stat(path, &there))
		return true;
	return ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

int pv_journal_close(struct pv_journal *j)
{
	if (j->fd < 0)
		return j->err;
	pv_journal_sync(j);
	if (close(j->fd) && !j->err)
		j->err = -errno;
	j->fd = -1;
	return j->err;
}

bool pv_journal_exists(const char *folder)
{
	char path[PATH_MAX];

	return !journal_path(folder, path) && !access(path, F_OK);
}

bool pv_journal_is_claimed(const char *folder)
{
	char path[PATH_MAX];
	_autoclose_ int fd = journal_path(folder, path) ? -1 : open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
}

struct line {
	char *text; /* ends with a 0 byte */
	size_t n, room;
	bool whole; /* it had a newline, and another line may follow */
};

static int put(struct line *l, char c)
{
	if (l->n + 1 >= l->room) {
		size_t room = l->room ? 2 * l->room : 4096;
		char *more = room <= LINE_BYTES ? realloc(l->text, room) : NULL;

		if (!more)
			return room <= LINE_BYTES ? -ENOMEM : -EFBIG;
		l->text = more;
		l->room = room;
	}
	l->text[l->n++] = c;
	return 0;
}

/* Reads a line, without its newline. 0 or -errno. */
static int next_line(FILE *f, struct line *l)
{
	int c, err = 0;

	l->n = 0;
	while (!err && (c = getc_unlocked(f)) != EOF && c != '\n')
		err = put(l, (char)c);
	l->whole = !err && c == '\n';
	err = err ? err : put(l, '\0');
	l->n -= !err;
	return err;
}

static bool read_line(const char *line, size_t n, bool (*fn)(void *ctx, json_object *o), void *ctx)
{
	_autojson_ json_object *o = pv_json_parse(line, n, NULL);

	return json_object_is_type(o, json_type_object) && fn(ctx, o);
}

/* Reads all lines of a file. 0 or -errno. */
static int read_lines(FILE *f, bool (*fn)(void *ctx, json_object *o), void *ctx, size_t *damaged)
{
	struct line l = {.whole = true};
	int err = 0;

	errno = 0;
	while (!err && l.whole) {
		err = next_line(f, &l);
		if (!err && !read_line(l.text, l.n, fn, ctx) && l.whole)
			++*damaged;
	}
	free(l.text);
	return err || !ferror(f) ? err : errno ? -errno : -EIO;
}

int pv_journal_read(const char *folder, bool (*fn)(void *ctx, json_object *o), void *ctx, size_t *damaged,
		    struct pv_error *e)
{
	char path[PATH_MAX];
	int err = journal_path(folder, path);
	_autofclose_ FILE *f = err ? NULL : fopen(path, "re");

	if (!f && !err && errno == ENOENT)
		return 0;
	if (!err)
		err = f ? read_lines(f, fn, ctx, damaged) : -errno;
	return err ? pv_error(e, err, "%s/" PV_JOURNAL_FILE ": cannot be read: %s", folder, strerror(-err)) : 0;
}
