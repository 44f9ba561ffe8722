/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Restores each kind of line of a machine's undo journal: how, is one table. */
#include "framework/vfio/restore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/regs/ptt.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/vfio/bus_internal.h"
#include "framework/vfio/reference.h"

#define TEXT_MAX 512
#define FILE_MAX (16 << 20)
#define UNSET	 "(null)" /* what driver_override says when it says nothing */

/* ---- attributes and files ---- */

/* A PMU that is gone has taken its attributes with it. */
static bool is_restored(struct pv_driver *d, const struct pv_undo_record *r)
{
	char now[TEXT_MAX];
	int n = d->ops->attr_read(d, r->device, r->path, now, sizeof(now));

	return n == -ENODEV || n == -ENOENT || (n >= 0 && !strcmp(now, r->text));
}

static int restore_attr(struct pv_linux *l, const struct pv_undo_record *r)
{
	return is_restored(pv_linux_driver(l), r) ? 0 : pv_linux_write_attr(l, r->device, r->path, r->text);
}

/* A file that is gone has taken its text with it. */
static int restore_file(struct pv_linux *l, const struct pv_undo_record *r)
{
	const struct pv_linux_path file = pv_linux_path(l, "%s", r->path);
	char now[TEXT_MAX], write[TEXT_MAX + 2];
	int n = pv_sysfs_read(file.s, now, sizeof(now));

	if (n == -ENOENT || (n >= 0 && !strcmp(now, r->text)))
		return 0;
	snprintf(write, sizeof(write), "%s\n", strcmp(r->text, UNSET) ? r->text : "");
	return pv_sysfs_write(file.s, write);
}

static int restore_bind(struct pv_linux *l, const struct pv_undo_record *r)
{
	char now[PV_LINUX_NAME_MAX];
	int err = 0;

	pv_vfio_bound_driver(l, r->bus, r->device, now);
	if (access(PV_LINUX_PATH(l, "sys/bus/%s/devices/%s", r->bus, r->device), F_OK) ||
	    !strcmp(*now ? now : PV_UNDO_NOBODY, r->driver))
		return 0; /* it has left the machine, or its driver has it */
	if (*now)
		err = pv_vfio_unbind(l, r->bus, r->device, now);
	if (!err && strcmp(r->driver, PV_UNDO_NOBODY))
		err = pv_sysfs_write(PV_LINUX_PATH(l, "sys/bus/%s/drivers/%s/bind", r->bus, r->driver), r->device);
	return err;
}

/* ---- registers ---- */

static int read_reg(struct pv_linux *l, pv_bdf bdf, int bar, uint64_t off, unsigned bytes, uint64_t *value)
{
	struct pv_machine *m = pv_linux_machine(l);

	return m->ops->reg_read(m, bdf, bar, (uint32_t)off, bytes, value);
}

/* Returns true if another function, or none, is in its place now. */
static bool has_left(struct pv_linux *l, const struct pv_undo_record *r)
{
	uint32_t ids;

	return pv_linux_read_ids(l, r->bdf, &ids) || ids != r->ids;
}

/* Byte by byte, and only what differs: bits that a 1 clears may stand beside what was written. */
static int restore_reg(struct pv_linux *l, const struct pv_undo_record *r)
{
	uint64_t now;
	int err = 0;

	if (has_left(l, r))
		return 0;
	for (unsigned i = 0; i < r->bytes && !err; i++) {
		uint64_t was = r->was >> 8 * i & 0xff;

		err = read_reg(l, r->bdf, -1, r->off + i, 1, &now);
		if (!err && now != was)
			err = pv_linux_write_config(l, r->bdf, (uint32_t)r->off + i, 1, was);
	}
	return err;
}

/* Writing these acts: it sets a level, or clears a bit. The driver has left them at rest. */
static bool is_command(const struct pv_undo_record *r)
{
	return r->ids == (PTT_VENDOR_ID | (uint32_t)PTT_DEVICE_ID << 16) && r->bar == PTT_BAR &&
	       (r->off == PTT_TUNING_CTRL || r->off == PTT_TUNING_DATA || r->off == PTT_TRACE_INT_STAT);
}

static int restore_value(struct pv_linux *l, const struct pv_undo_record *r)
{
	uint64_t now;
	int err = read_reg(l, r->bdf, (int)r->bar, r->off, (unsigned)r->bytes, &now);

	return err || now == r->was
		       ? err
		       : pv_linux_write_bar(l, r->bdf, (int)r->bar, (uint32_t)r->off, (unsigned)r->bytes, r->was);
}

/*
 * Memory decoding is on meanwhile, and then what the last driver has left it at. That is in the journal first: if it
 * cannot be put back, the next restore does it.
 */
static int restore_undecoded(struct pv_linux *l, const struct pv_undo_record *r, uint64_t command)
{
	int err = pv_linux_note_reg(l, r->bdf, -1, PCI_COMMAND, 2);

	if (!err)
		err = pv_linux_write_config(l, r->bdf, PCI_COMMAND, 2, command | PCI_COMMAND_MEMORY);
	if (err)
		return err;
	err = restore_value(l, r);
	int left = pv_linux_write_config(l, r->bdf, PCI_COMMAND, 2, command);
	return err ? err : left;
}

static int restore_bar(struct pv_linux *l, const struct pv_undo_record *r)
{
	uint64_t command = 0;

	if (has_left(l, r) || is_command(r))
		return 0;
	int err = read_reg(l, r->bdf, -1, PCI_COMMAND, 2, &command);
	if (err)
		return err;
	return command & PCI_COMMAND_MEMORY ? restore_value(l, r) : restore_undecoded(l, r, command);
}

/* ---- what a driver that was killed has left ---- */

struct left {
	pv_bdf *functions; /* of the last driver */
	size_t n;
	bool busy;  /* it did not come to its end */
	bool tuned; /* what only the driver can put back */
};

static int read_functions(const char *names, struct left *left)
{
	size_t n;

	free(left->functions);
	left->functions = calloc(strlen(names) / 8 + 1, sizeof(*left->functions));
	left->n = 0;
	if (!left->functions)
		return -ENOMEM;
	for (; (n = pv_bdf_scan(names, &left->functions[left->n])); names += n + (names[n] == ' '))
		left->n++;
	return 0;
}

static int note_left(void *ctx, const struct pv_undo_record *r, const char *line)
{
	struct left *left = ctx;

	if (!r)
		return 0;
	left->busy = (left->busy && r->kind != PV_UNDO_IDLE) || r->kind == PV_UNDO_REFERENCE;
	left->tuned |= r->kind == PV_UNDO_TUNE;
	return r->kind == PV_UNDO_REFERENCE ? read_functions(r->text, left) : 0;
}

static int leave_vfio(void *ctx, const struct pv_undo_record *r, const char *line)
{
	struct pv_linux *l = ctx;
	char now[PV_LINUX_NAME_MAX];

	if (!r || r->kind != PV_UNDO_BIND || strcmp(r->bus, "pci") || !strcmp(r->driver, PV_VFIO_DRIVER))
		return 0;
	pv_vfio_bound_driver(l, r->bus, r->device, now);
	return strcmp(now, PV_VFIO_DRIVER) ? 0 : pv_vfio_unbind(l, r->bus, r->device, now);
}

struct tunes {
	struct pv_driver *d;
	int err; /* of the first one that is not restored */
};

/* A value that cannot be restored keeps nothing else from it. */
static int restore_tune(void *ctx, const struct pv_undo_record *r, const char *line)
{
	struct tunes *t = ctx;

	if (!r || r->kind != PV_UNDO_TUNE || is_restored(t->d, r))
		return 0;
	int err = t->d->ops->attr_write(t->d, r->device, r->path, r->text);
	t->err = t->err ? t->err : err;
	return 0;
}

/* A driver that came to its end has left its functions at rest; then only the tune values need it. */
static int start_again(struct pv_linux *l, const struct left *left, const char *text, int *tunes, struct pv_error *e)
{
	struct pv_vfio_reference *r;
	int err = pv_vfio_reference_settle(&r, l, left->functions, left->n, e);

	if (err) {
		*tunes = left->tuned ? err : 0;
		return left->busy ? err : 0;
	}
	struct tunes t = {pv_vfio_reference_driver(r), 0};
	err = pv_undo_each(text, true, restore_tune, &t);
	pv_vfio_reference_end(r);
	*tunes = t.err;
	return err;
}

/*
 * Before any line is restored: the functions come to rest, and leave vfio-pci. *tunes: error of a tune value that is
 * not restored.
 */
static int settle(struct pv_linux *l, const char *text, int *tunes, struct pv_error *e)
{
	struct left left = {0};
	int err = pv_undo_each(text, false, note_left, &left);

	if (!err && left.n && (left.busy || left.tuned))
		err = start_again(l, &left, text, tunes, e);
	free(left.functions);
	if (!err)
		err = pv_undo_each(text, false, leave_vfio, l);
	return err ? pv_error(e, err, "leaving the reference driver's functions idle: %s; they are still in %s",
			      pv_errno_name(err), pv_linux_undolog(l)->path)
		   : 0;
}

/* ---- the journal ---- */

/* Lines of the driver's own are for settle(), before these. */
static int restore_nothing(struct pv_linux *l, const struct pv_undo_record *r)
{
	return 0;
}

static int (*const restore[PV_UNDO_KINDS])(struct pv_linux *l, const struct pv_undo_record *r) = {
	[PV_UNDO_BOOT] = restore_nothing,      [PV_UNDO_ATTR] = restore_attr,	 [PV_UNDO_REG] = restore_reg,
	[PV_UNDO_REFERENCE] = restore_nothing, [PV_UNDO_BIND] = restore_bind,	 [PV_UNDO_FILE] = restore_file,
	[PV_UNDO_BAR] = restore_bar,	       [PV_UNDO_TUNE] = restore_nothing, [PV_UNDO_IDLE] = restore_nothing,
};

struct work {
	struct pv_linux *l;
	struct pv_error *e; /* the first line that is not restored */
	size_t left;	    /* number of such lines */
};

/* A line that cannot be restored keeps no other from it. */
static int restore_line(void *ctx, const struct pv_undo_record *r, const char *line)
{
	struct work *w = ctx;
	const char *path = pv_linux_undolog(w->l)->path;
	bool known = r && restore[r->kind];
	int err = known ? restore[r->kind](w->l, r) : -EBADMSG;

	if (!err || w->left++)
		return 0;
	if (known)
		pv_error(w->e, err, "putting back '%.120s': %s; it is still in %s", line, pv_errno_name(err), path);
	else
		pv_error(w->e, err, "%s: expected what was changed, got '%.80s'; look at it and remove it", path, line);
	return 0;
}

static int restore_lines(struct pv_linux *l, const char *text, struct pv_error *e)
{
	struct work w = {.l = l, .e = e};
	int err = pv_undo_each(text, true, restore_line, &w);

	if (w.left > 1)
		pv_error_context(e, "%zu lines are not put back, the first: ", w.left);
	return err || !w.left ? err : e->code;
}

/* Text behind a NUL byte would be lost. */
static int read_journal(const char *path, char **text, struct pv_error *e)
{
	size_t n;
	int err = pv_file_read(path, FILE_MAX, text, &n, e);

	if (!err && memchr(*text, 0, n))
		return pv_error(e, -EBADMSG, "%s: expected what was changed, got a NUL byte; look at it and remove it",
				path);
	return err;
}

int pv_restore_all(struct pv_linux *l, struct pv_error *e)
{
	_autofree_ char *before = NULL, *text = NULL;
	struct pv_undolog *j = pv_linux_undolog(l);
	int tunes = 0;

	if (!pv_linux_notes(l))
		return 0;
	int err = read_journal(j->path, &before, e);
	if (!err)
		err = settle(l, before, &tunes, e);
	/* Which may have changed more. */
	if (!err)
		err = read_journal(j->path, &text, e);
	/* The last change first, so that the oldest value stays. */
	if (!err)
		err = restore_lines(l, text, e);
	if (!err && tunes)
		err = pv_error(e, tunes, "putting back tune values: %s; they are still in %s", pv_errno_name(tunes),
			       j->path);
	return err ? err : pv_undolog_empty(j, e);
}

int pv_restore_begin(struct pv_linux *l, struct pv_error *e)
{
	int err = pv_linux_undo_open(l, e);

	return err ? err : pv_restore_all(l, e);
}

int pv_restore_end(struct pv_linux *l, struct pv_error *e)
{
	int err = pv_restore_all(l, e);

	if (!err && pv_linux_notes(l))
		err = pv_undolog_remove(pv_linux_undolog(l), e);
	pv_undolog_close(pv_linux_undolog(l));
	return err;
}
