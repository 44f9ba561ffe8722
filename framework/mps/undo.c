/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and appending to the journal. */
#include "framework/mps/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"

enum { JOURNAL_MAX = 64 << 20, LINE_MAX_BYTES = 128, BOOT_MAX = 64 };

static const char *const regs[] = {[PV_UNDO_COMMAND] = "command", [PV_UNDO_DEVCTL] = "devctl"};
/* The fields that are ever written. A journal with others is not one of ours. */
static const uint16_t masks[] = {
	[PV_UNDO_COMMAND] = PCI_COMMAND_MASTER,
	[PV_UNDO_DEVCTL] = PCI_EXP_DEVCTL_MPS | PCI_EXP_DEVCTL_MRRS,
};

/* ---- reading ---- */

static bool parse(const char *line, struct pv_undo_entry *entry)
{
	char reg[16];
	unsigned vendor, device, mask, was;
	int n = 0;

	if (sscanf(line, "%19s %4x:%4x %15s %x %x%n", entry->name, &vendor, &device, reg, &mask, &was, &n) != 6 ||
	    line[n])
		return false;
	for (int i = PV_UNDO_COMMAND; i <= PV_UNDO_DEVCTL; i++)
		if (!strcmp(reg, regs[i]) && mask == masks[i] && !(was & ~mask)) {
			entry->reg = (enum pv_undo_reg)i;
			entry->vendor = (uint16_t)vendor;
			entry->device = (uint16_t)device;
			entry->mask = (uint16_t)mask;
			entry->was = (uint16_t)was;
			return true;
		}
	return false;
}

/* "boot ID" of this boot, or an empty ID where the kernel does not tell. */
static void boot_line(char line[BOOT_MAX])
{
	_autofree_ char *id = NULL;
	size_t n;

	if (pv_file_read("/proc/sys/kernel/random/boot_id", BOOT_MAX, &id, &n, NULL))
		n = 0;
	snprintf(line, BOOT_MAX, "boot %.*s", n ? (int)strcspn(id, "\n") : 0, n ? id : "");
}

/* Checks that the first line is from this boot; else empties the journal and writes a new first line. */
static int begin_boot(struct pv_undo *undo, char **text)
{
	char line[BOOT_MAX];
	char *end = strchr(*text, '\n');
	size_t n = end ? (size_t)(end - *text) : 0;

	boot_line(line);
	if (n == strlen(line) && !strncmp(*text, line, n)) {
		*text = end + 1;
		return 0;
	}
	if (n && strncmp(*text, "boot ", 5))
		return 0; /* not a journal: its first line is refused */
	undo->stale = n;
	**text = '\0';
	strcat(line, "\n");
	return ftruncate(undo->fd, 0) ? -errno : pv_write_all(undo->fd, line, strlen(line));
}

static int read_lines(struct pv_undo *undo, char *text, unsigned number, struct pv_error *e)
{
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, number++) {
		*end = '\0';
		if (!strcmp(line, "done"))
			undo->n_done = undo->n;
		else if (!parse(line, &undo->list[undo->n++]))
			return pv_error(
				e, -EBADMSG,
				"%s:%u: not a journal of pcieval mps; nothing was touched, look at it and remove it",
				undo->path, number);
	}
	undo->under_way = undo->n > undo->n_done;
	return 0;
}

/* What was being written when a process ended is cut off: the next line begins on its own. */
static int cut_last_line(struct pv_undo *undo, const char *text, size_t n)
{
	const char *end = memrchr(text, '\n', n);
	off_t whole = end ? end + 1 - text : 0;

	return ftruncate(undo->fd, whole) ? -errno : 0;
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static int read_journal(struct pv_undo *undo, struct pv_error *e)
{
	_autofree_ char *text = NULL;
	char *lines;
	size_t n;
	int err = pv_file_read(undo->path, JOURNAL_MAX, &text, &n, e);

	if (err)
		return err;
	undo->list = calloc(count_lines(text) + 1, sizeof(*undo->list));
	if (!undo->list)
		return pv_error(e, -ENOMEM, "%s: no memory", undo->path);
	lines = text;
	err = cut_last_line(undo, text, n);
	if (!err)
		err = begin_boot(undo, &lines);
	if (err)
		return pv_error(e, err, "%s: %s", undo->path, strerror(-err));
	return read_lines(undo, lines, lines > text ? 2 : 1, e);
}

/* A new name is on disk once its folder is. */
static int sync_folder(const char *path)
{
	_autofree_ char *copy = strdup(path);
	_autoclose_ int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	return fd < 0 || fsync(fd) ? -errno : 0;
}

static int make_folder(const char *path)
{
	_autofree_ char *copy = strdup(path);

	return copy ? pv_mkdir_all(dirname(copy), 0755) : -ENOMEM;
}

int pv_undo_open(struct pv_undo *undo, const char *path, struct pv_error *e)
{
	int err = make_folder(path);

	*undo = (struct pv_undo){.path = path, .fd = -1};
	if (!err) {
		undo->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		err = undo->fd < 0 ? -errno : 0;
	}
	if (!err)
		err = sync_folder(path);
	if (err) {
		pv_undo_close(undo);
		return pv_error(e, err, "the journal %s: %s", path, strerror(-err));
	}
	if (flock(undo->fd, LOCK_EX | LOCK_NB)) {
		pv_undo_close(undo);
		return pv_error(e, -EBUSY, "the journal %s: another pcieval mps is at work", path);
	}
	err = read_journal(undo, e);
	if (err)
		pv_undo_close(undo);
	return err;
}

/* ---- writing ---- */

static int append(struct pv_undo *undo, const char *line, struct pv_error *e)
{
	int err = pv_write_all(undo->fd, line, strlen(line));

	if (!err && fdatasync(undo->fd))
		err = -errno;
	return err ? pv_error(e, err, "the journal %s: %s", undo->path, strerror(-err)) : 0;
}

int pv_undo_add(struct pv_undo *undo, const struct pv_undo_entry *entry, struct pv_error *e)
{
	char line[LINE_MAX_BYTES];

	snprintf(line, sizeof(line), "%s %04x:%04x %s 0x%04x 0x%04x\n", entry->name, entry->vendor, entry->device,
		 regs[entry->reg], entry->mask, entry->was);
	return append(undo, line, e);
}

int pv_undo_done(struct pv_undo *undo, struct pv_error *e)
{
	return append(undo, "done\n", e);
}

int pv_undo_remove(struct pv_undo *undo, struct pv_error *e)
{
	if (unlink(undo->path))
		return pv_error(e, -errno, "the journal %s: %s", undo->path, strerror(errno));
	sync_folder(undo->path);
	return 0;
}

void pv_undo_close(struct pv_undo *undo)
{
	pv_closep(&undo->fd);
	undo->fd = -1;
	free(undo->list);
	undo->list = NULL;
	undo->n = 0;
}
