/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way back from what is changed on a machine that is needed afterwards: attributes of PMUs and registers in configuration
 * space. What they were is in a file before they are written (framework/util/undolog.h), a line a change:
 *
 *   attr hisi_ptt0_0 tune/qos_tx_p 1                       PMU, attribute, its text
 *   reg 0000:01:00.0 1234:5678 0x88 2 0x2810               function, ids, offset, bytes, value
 *
 * Other lines are those of bus_undo.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "framework/linux/bus_undo.h"
#include "framework/linux/inside.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define TEXT_MAX 512
#define FILE_MAX (16 << 20)

/* ---- noting ---- */

bool pv_linux_notes(const struct pv_linux *l)
{
	return l->undo.fd >= 0;
}

static bool is_line(const char *text)
{
	return !strpbrk(text, "\n\r");
}

/* Attributes that cannot be restored (unreadable, or of several lines) are not written: -EPERM. A missing one: -ENOENT. */
int pv_linux_note_attr(struct pv_linux *l, const char *pmu, const char *path)
{
	char was[TEXT_MAX], line[2 * TEXT_MAX + 64];

	if (!pv_linux_notes(l))
		return 0;
	if (strlen(path) >= TEXT_MAX || strpbrk(path, " \n") || strpbrk(pmu, " \n"))
		return -EPERM;
	int n = l->driver.ops->attr_read(&l->driver, pmu, path, was, sizeof(was));
	if (n == -ENOENT)
		return n;
	if (n < 0 || !is_line(was))
		return -EPERM;
	snprintf(line, sizeof(line), "attr %s %s %s\n", pmu, path, was);
	return pv_undolog_append(&l->undo, line, NULL);
}

static int read_ids(struct pv_linux *l, pv_bdf bdf, uint64_t *ids)
{
	return l->machine.ops->reg_read(&l->machine, bdf, -1, PCI_VENDOR_ID, 4, ids);
}

/* Writes to BARs are refused: their effect is unknown and cannot be undone. */
int pv_linux_note_reg(struct pv_linux *l, pv_bdf bdf, int bar, uint32_t off, unsigned bytes)
{
	char line[128];
	uint64_t was, ids;
	int err;

	if (!pv_linux_notes(l))
		return 0;
	if (bar >= 0)
		return -EPERM;
	err = read_ids(l, bdf, &ids);
	if (!err)
		err = l->machine.ops->reg_read(&l->machine, bdf, bar, off, bytes, &was);
	if (err)
		return err;
	snprintf(line, sizeof(line), "reg %s %04x:%04x 0x%" PRIx32 " %u 0x%" PRIx64 "\n", pv_bdf_name(bdf).s,
		 (unsigned)(ids & 0xffff), (unsigned)(ids >> 16), off, bytes, was);
	return pv_undolog_append(&l->undo, line, NULL);
}

/* ---- putting back ---- */

struct change {
	char pmu[PV_LINUX_NAME_MAX], path[TEXT_MAX]; /* path "": a register */
	const char *text;
	pv_bdf bdf;
	unsigned vendor, device, bytes;
	uint32_t off;
	uint64_t was;
};

static bool parse(const char *line, struct change *c)
{
	char name[20];
	int n = 0;

	*c = (struct change){0};
	if (sscanf(line, "attr %63s %511s%n", c->pmu, c->path, &n) == 2 && line[n] == ' ') {
		c->text = line + n + 1;
		return true;
	}
	*c->path = 0;
	if (sscanf(line, "reg %19s %4x:%4x %" SCNx32 " %u %" SCNx64 "%n", name, &c->vendor, &c->device, &c->off,
		   &c->bytes, &c->was, &n) != 6 ||
	    line[n])
		return false;
	return pv_bdf_scan(name, &c->bdf) && (c->bytes == 1 || c->bytes == 2 || c->bytes == 4 || c->bytes == 8);
}

/* A PMU that is gone has taken its attributes with it. */
static int put_attr(struct pv_linux *l, const struct change *c)
{
	char now[TEXT_MAX];
	int n = l->driver.ops->attr_read(&l->driver, c->pmu, c->path, now, sizeof(now));

	if (n == -ENODEV || n == -ENOENT || (n >= 0 && !strcmp(now, c->text)))
		return 0;
	return pv_linux_write_attr(l, c->pmu, c->path, c->text);
}

/* Byte by byte, and only what differs: bits that a 1 clears may stand beside what was written. */
static int put_reg(struct pv_linux *l, const struct change *c)
{
	uint64_t ids, now;
	int err = 0;

	if (read_ids(l, c->bdf, &ids) || ids != (c->vendor | (uint64_t)c->device << 16))
		return 0; /* it has left the machine */
	for (unsigned i = 0; i < c->bytes && !err; i++) {
		uint64_t was = c->was >> 8 * i & 0xff;

		err = l->machine.ops->reg_read(&l->machine, c->bdf, -1, c->off + i, 1, &now);
		if (!err && now != was)
			err = pv_linux_write_config(l, c->bdf, c->off + i, 1, was);
	}
	return err;
}

static int put_one(struct pv_linux *l, const char *line, struct pv_error *e)
{
	struct change c;
	int err = pv_linux_put_taken(l, line);

	if (err > 0)
		return 0;
	if (!err && !parse(line, &c))
		return pv_error(e, -EBADMSG, "%s: expected what was changed, got '%.80s'; look at it and remove it",
				l->undo.path, line);
	if (!err)
		err = *c.path ? put_attr(l, &c) : put_reg(l, &c);
	return err ? pv_error(e, err, "putting back '%.120s': %s; it is still in %s", line, pv_errno_name(err),
			      l->undo.path)
		   : 0;
}

/* The last change first, so that the oldest value stays. */
static int put_lines(struct pv_linux *l, char *text, struct pv_error *e)
{
	int err = 0;

	for (char *end = strrchr(text, '\n'); end && !err; end = strrchr(text, '\n')) {
		*end = 0;
		char *begin = strrchr(text, '\n');
		const char *line = begin ? begin + 1 : text;

		if (strncmp(line, "boot ", 5))
			err = put_one(l, line, e);
		if (!begin)
			break;
	}
	return err;
}

int pv_linux_put_back(struct pv_linux *l, struct pv_error *e)
{
	_autofree_ char *before = NULL, *text = NULL;
	size_t n;

	if (l->undo.fd < 0)
		return 0;
	int err = pv_file_read(l->undo.path, FILE_MAX, &before, &n, e);
	if (!err)
		err = pv_linux_settle(l, before, e);
	/* Which may have changed more. */
	if (!err)
		err = pv_file_read(l->undo.path, FILE_MAX, &text, &n, e);
	if (!err)
		err = put_lines(l, text, e);
	return err ? err : pv_undolog_empty(&l->undo, e);
}

int pv_linux_keep_undo(struct pv_linux *l, struct pv_error *e)
{
	snprintf(l->undo_path, sizeof(l->undo_path), "%s", PV_LINUX_PATH(l, "run/pcieval/undo"));
	int err = pv_undolog_open(&l->undo, l->undo_path, e);

	return err ? err : pv_linux_put_back(l, e);
}

bool pv_linux_has_undo(struct pv_linux *l)
{
	return !access(PV_LINUX_PATH(l, "run/pcieval/undo"), F_OK);
}

/* A folder that everybody may open, and that is always there. */
int pv_linux_lock(struct pv_linux *l, struct pv_error *e)
{
	const struct pv_linux_path path = pv_linux_path(l, "sys/bus");

	l->lock_fd = open(path.s, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->lock_fd < 0)
		return pv_error(e, -errno, "%s: %s", path.s, strerror(errno));
	if (!flock(l->lock_fd, LOCK_EX | LOCK_NB))
		return 0;
	return pv_error(e, -EBUSY, "this machine: another pcieval is at work on it (it holds %s); wait for its end",
			path.s);
}

int pv_linux_end_undo(struct pv_linux *l, struct pv_error *e)
{
	int err = pv_linux_put_back(l, e);

	if (!err && l->undo.fd >= 0)
		err = pv_undolog_remove(&l->undo, e);
	pv_undolog_close(&l->undo);
	return err;
}
