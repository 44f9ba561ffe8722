/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records and restores each kind of line of the undo journal. */
#include "framework/linux/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "drivers/regs/ptt.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define TEXT_MAX PV_UNDO_TEXT
#define FILE_MAX (16 << 20)
#define NOBODY	 "-"
#define UNSET	 "(null)" /* what driver_override says when it says nothing */

bool pv_linux_notes(const struct pv_linux *l)
{
	return l->undo.fd >= 0;
}

static int append(struct pv_linux *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int append(struct pv_linux *l, const char *fmt, ...)
{
	char line[2 * TEXT_MAX + 64];
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	return n < (int)sizeof(line) ? pv_undolog_append(&l->undo, line, NULL) : -EPERM;
}

static bool is_word(const char *text)
{
	return strlen(text) < TEXT_MAX && !strpbrk(text, " \n");
}

static bool is_line(const char *text)
{
	return !strpbrk(text, "\n\r");
}

/* ---- attributes ---- */

/*
 * Attributes that cannot be restored (unreadable, or of several lines) are not written: -EPERM. A missing one: -ENOENT.
 */
int pv_linux_note_attr(struct pv_linux *l, const char *pmu, const char *path)
{
	char was[TEXT_MAX];

	if (!pv_linux_notes(l))
		return 0;
	if (!is_word(path) || !is_word(pmu))
		return -EPERM;
	int n = l->driver.ops->attr_read(&l->driver, pmu, path, was, sizeof(was));
	if (n == -ENOENT)
		return n;
	if (n < 0 || !is_line(was))
		return -EPERM;
	return append(l, "attr %s %s %s\n", pmu, path, was);
}

/* A PMU that is gone has taken its attributes with it. */
static int restore_attr(struct pv_linux *l, const char *line)
{
	char pmu[PV_LINUX_NAME_MAX], path[TEXT_MAX], now[TEXT_MAX];
	int n = 0;

	if (sscanf(line, "attr %63s %511s%n", pmu, path, &n) != 2 || line[n] != ' ')
		return -EBADMSG;
	const char *was = line + n + 1;
	int err = l->driver.ops->attr_read(&l->driver, pmu, path, now, sizeof(now));
	if (err == -ENODEV || err == -ENOENT || (err >= 0 && !strcmp(now, was)))
		return 0;
	return pv_linux_write_attr(l, pmu, path, was);
}

/* Journals a tune value, unless it is unreadable: the driver then refuses to write it, too. */
int pv_linux_note_tune(struct pv_linux *l, struct pv_driver *d, const char *pmu, const char *path)
{
	char was[TEXT_MAX];

	if (!pv_linux_notes(l) || !is_word(path) || !is_word(pmu))
		return 0;
	if (d->ops->attr_read(d, pmu, path, was, sizeof(was)) < 0)
		return 0;
	return strchr(was, '\n') ? -EPERM : append(l, "tune %s %s %s\n", pmu, path, was);
}

/* ---- registers ---- */

/* A register as it was. bar -1: configuration space. */
struct reg {
	pv_bdf bdf;
	unsigned vendor, device, bytes;
	int bar;
	uint32_t off;
	uint64_t was;
};

static int read_ids(struct pv_linux *l, pv_bdf bdf, uint64_t *ids)
{
	return l->machine.ops->reg_read(&l->machine, bdf, -1, PCI_VENDOR_ID, 4, ids);
}

static int note_register(struct pv_linux *l, pv_bdf bdf, int bar, uint32_t off, unsigned bytes)
{
	char kind[16] = "";
	uint64_t was, ids;

	if (!pv_linux_notes(l))
		return 0;
	int err = read_ids(l, bdf, &ids);
	if (!err)
		err = l->machine.ops->reg_read(&l->machine, bdf, bar, off, bytes, &was);
	if (err)
		return err;
	if (bar >= 0)
		snprintf(kind, sizeof(kind), " %d", bar);
	return append(l, "%s %s %04x:%04x%s 0x%" PRIx32 " %u 0x%" PRIx64 "\n", bar < 0 ? "reg" : "bar",
		      pv_bdf_name(bdf).s, (unsigned)(ids & 0xffff), (unsigned)(ids >> 16), kind, off, bytes, was);
}

/* Writes to BARs are refused: their effect is unknown and cannot be undone. */
int pv_linux_note_reg(struct pv_linux *l, pv_bdf bdf, int bar, uint32_t off, unsigned bytes)
{
	if (!pv_linux_notes(l))
		return 0;
	if (bar >= 0)
		return -EPERM;
	return note_register(l, bdf, bar, off, bytes);
}

int pv_linux_note_bar(struct pv_linux *l, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes)
{
	return note_register(l, bdf, (int)bar, off, bytes);
}

static bool parse_register(const char *line, bool has_bar, struct reg *r)
{
	char name[20];
	int at = 0, n = 0;

	*r = (struct reg){.bar = -1};
	if (sscanf(line, "%*s %19s %4x:%4x%n", name, &r->vendor, &r->device, &at) != 3 || !pv_bdf_scan(name, &r->bdf))
		return false;
	line += at;
	if (has_bar && (sscanf(line, " %d%n", &r->bar, &n) != 1 || r->bar < 0 || r->bar > 5))
		return false;
	line += n;
	return sscanf(line, " %" SCNx32 " %u %" SCNx64 "%n", &r->off, &r->bytes, &r->was, &n) == 3 && !line[n] &&
	       (r->bytes == 4 || r->bytes == 8 || (!has_bar && (r->bytes == 1 || r->bytes == 2)));
}

/* Returns true if another function, or none, is in its place now. */
static bool has_left(struct pv_linux *l, const struct reg *r)
{
	uint64_t ids;

	return read_ids(l, r->bdf, &ids) || ids != (r->vendor | (uint64_t)r->device << 16);
}

/* Byte by byte, and only what differs: bits that a 1 clears may stand beside what was written. */
static int restore_reg(struct pv_linux *l, const char *line)
{
	struct reg r;
	uint64_t now;
	int err = 0;

	if (!parse_register(line, false, &r))
		return -EBADMSG;
	if (has_left(l, &r))
		return 0;
	for (unsigned i = 0; i < r.bytes && !err; i++) {
		uint64_t was = r.was >> 8 * i & 0xff;

		err = l->machine.ops->reg_read(&l->machine, r.bdf, -1, r.off + i, 1, &now);
		if (!err && now != was)
			err = pv_linux_write_config(l, r.bdf, r.off + i, 1, was);
	}
	return err;
}

/* Writing these acts: it sets a level, or clears a bit. The driver has left them at rest. */
static bool is_command(const struct reg *r)
{
	return r->vendor == PTT_VENDOR_ID && r->device == PTT_DEVICE_ID && r->bar == PTT_BAR &&
	       (r->off == PTT_TUNING_CTRL || r->off == PTT_TUNING_DATA || r->off == PTT_TRACE_INT_STAT);
}

static int restore_value(struct pv_linux *l, const struct reg *r)
{
	uint64_t now;
	int err = l->machine.ops->reg_read(&l->machine, r->bdf, r->bar, r->off, r->bytes, &now);

	return err || now == r->was ? err : pv_linux_write_bar(l, r->bdf, r->bar, r->off, r->bytes, r->was);
}

/* Memory decoding is what the last driver has left it at. */
static int restore_bar(struct pv_linux *l, const char *line)
{
	uint64_t command = 0;
	struct reg r;

	if (!parse_register(line, true, &r))
		return -EBADMSG;
	if (has_left(l, &r) || is_command(&r))
		return 0;
	int err = l->machine.ops->reg_read(&l->machine, r.bdf, -1, PCI_COMMAND, 2, &command);
	bool off = !(command & PCI_COMMAND_MEMORY);
	if (!err && off)
		err = pv_linux_write_config(l, r.bdf, PCI_COMMAND, 2, command | PCI_COMMAND_MEMORY);
	if (!err)
		err = restore_value(l, &r);
	if (off)
		pv_linux_write_config(l, r.bdf, PCI_COMMAND, 2, command);
	return err;
}

/* ---- drivers and files of the kernel ---- */

int pv_linux_note_reference(struct pv_linux *l, const pv_bdf *functions, size_t n)
{
	_autofree_ char *line = NULL;
	size_t size;

	if (!pv_linux_notes(l))
		return 0;
	FILE *f = open_memstream(&line, &size);
	if (!f)
		return -ENOMEM;
	fprintf(f, "reference");
	for (size_t i = 0; i < n; i++)
		fprintf(f, " %s", pv_bdf_name(functions[i]).s);
	fprintf(f, "\n");
	return fclose(f) ? -ENOMEM : pv_undolog_append(&l->undo, line, NULL);
}

int pv_linux_note_idle(struct pv_linux *l)
{
	return pv_linux_notes(l) ? append(l, "idle\n") : 0;
}

void pv_linux_bound_driver(struct pv_linux *l, const char *bus, const char *device, char name[PV_LINUX_NAME_MAX])
{
	_autofree_ char *real = realpath(PV_LINUX_PATH(l, "sys/bus/%s/devices/%s/driver", bus, device), NULL);

	snprintf(name, PV_LINUX_NAME_MAX, "%s", real ? strrchr(real, '/') + 1 : "");
}

int pv_linux_note_bind(struct pv_linux *l, const char *bus, const char *device)
{
	char driver[PV_LINUX_NAME_MAX];

	if (!pv_linux_notes(l))
		return 0;
	pv_linux_bound_driver(l, bus, device, driver);
	return append(l, "bind %s %s %s\n", bus, device, *driver ? driver : NOBODY);
}

int pv_linux_note_file(struct pv_linux *l, const char *path)
{
	char was[TEXT_MAX];

	if (!pv_linux_notes(l))
		return 0;
	int n = pv_sysfs_read(PV_LINUX_PATH(l, "%s", path), was, sizeof(was));
	if (n < 0 || strchr(was, '\n'))
		return n < 0 ? n : -EPERM;
	return append(l, "file %s %s\n", path, was);
}

/* A file that is gone has taken its text with it. */
static int restore_file(struct pv_linux *l, const char *line)
{
	char path[TEXT_MAX], now[TEXT_MAX], write[TEXT_MAX + 2];
	int n = 0;

	if (sscanf(line, "file %511s%n", path, &n) != 1 || line[n] != ' ' || strncmp(path, "sys/", 4) ||
	    strstr(path, ".."))
		return -EBADMSG;
	const char *was = line + n + 1;
	const struct pv_linux_path file = pv_linux_path(l, "%s", path);
	n = pv_sysfs_read(file.s, now, sizeof(now));
	if (n == -ENOENT || (n >= 0 && !strcmp(now, was)))
		return 0;
	snprintf(write, sizeof(write), "%s\n", strcmp(was, UNSET) ? was : "");
	return pv_sysfs_write(file.s, write);
}

int pv_linux_unbind(struct pv_linux *l, const char *bus, const char *device, const char *driver)
{
	return pv_sysfs_write(PV_LINUX_PATH(l, "sys/bus/%s/drivers/%s/unbind", bus, driver), device);
}

static int restore_bind(struct pv_linux *l, const char *line)
{
	char bus[16], device[PV_LINUX_NAME_MAX], driver[PV_LINUX_NAME_MAX], now[PV_LINUX_NAME_MAX];
	int n = 0, err = 0;

	if (sscanf(line, "bind %15s %63s %63s%n", bus, device, driver, &n) != 3 || line[n])
		return -EBADMSG;
	pv_linux_bound_driver(l, bus, device, now);
	if (access(PV_LINUX_PATH(l, "sys/bus/%s/devices/%s", bus, device), F_OK) ||
	    !strcmp(*now ? now : NOBODY, driver))
		return 0; /* it has left the machine, or its driver has it */
	if (*now)
		err = pv_linux_unbind(l, bus, device, now);
	if (!err && strcmp(driver, NOBODY))
		err = pv_sysfs_write(PV_LINUX_PATH(l, "sys/bus/%s/drivers/%s/bind", bus, driver), device);
	return err;
}

/* ---- restoring ---- */

/* Lines of the driver's own are for pv_linux_settle(), before these. */
static int restore_nothing(struct pv_linux *l, const char *line)
{
	return strchr(line, ' ') ? 0 : -EBADMSG;
}

static int restore_idle(struct pv_linux *l, const char *line)
{
	return strcmp(line, "idle") ? -EBADMSG : 0;
}

static const struct record {
	const char *kind;
	int (*restore)(struct pv_linux *l, const char *line); /* -EBADMSG: not a line of this kind */
} records[] = {
	{"attr", restore_attr},	   {"reg", restore_reg},   {"bar", restore_bar},
	{"bind", restore_bind},	   {"file", restore_file}, {"reference", restore_nothing},
	{"tune", restore_nothing}, {"idle", restore_idle}, {"boot", restore_nothing},
};

static int restore_line(struct pv_linux *l, char *line, void *error)
{
	size_t n = strcspn(line, " ");
	int err = -EBADMSG;

	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		if (strlen(records[i].kind) == n && !strncmp(line, records[i].kind, n))
			err = records[i].restore(l, line);
	if (err == -EBADMSG)
		return pv_error(error, err, "%s: expected what was changed, got '%.80s'; look at it and remove it",
				l->undo.path, line);
	return err ? pv_error(error, err, "putting back '%.120s': %s; it is still in %s", line, pv_errno_name(err),
			      l->undo.path)
		   : 0;
}

int pv_linux_undo_each(struct pv_linux *l, const char *text, bool backwards,
		       int (*fn)(struct pv_linux *l, char *line, void *ctx), void *ctx)
{
	_autofree_ char *copy = strdup(text);
	size_t n = copy ? strlen(copy) : 0;
	int err = copy ? 0 : -ENOMEM;

	for (char *at = copy, *end; !backwards && !err && at && (end = strchr(at, '\n')); at = end + 1) {
		*end = 0;
		err = fn(l, at, ctx);
	}
	for (; backwards && !err && n; n--) {
		if (copy[n - 1] == '\n')
			copy[n - 1] = 0;
		if (n == 1 || copy[n - 2] == '\n')
			err = fn(l, copy + n - 1, ctx);
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
		err = l->settle(l, before, e);
	/* Which may have changed more. */
	if (!err)
		err = pv_file_read(l->undo.path, FILE_MAX, &text, &n, e);
	/* The last change first, so that the oldest value stays. */
	if (!err)
		err = pv_linux_undo_each(l, text, true, restore_line, e);
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
