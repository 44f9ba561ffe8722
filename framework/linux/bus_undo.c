/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Noting what the reference driver changes, and putting it back. */
#include "framework/linux/bus_undo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/regs/ptt.h"
#include "framework/linux/reference.h"
#include "framework/util/cleanup.h"

#define TEXT_MAX 512
#define NOBODY	 "-"
#define UNSET	 "(null)" /* what driver_override says when it says nothing */

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

static int read_ids(struct pv_linux *l, pv_bdf bdf, uint64_t *ids)
{
	return l->machine.ops->reg_read(&l->machine, bdf, -1, PCI_VENDOR_ID, 4, ids);
}

/* ---- noting ---- */

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

int pv_linux_note_bar(struct pv_linux *l, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes)
{
	uint64_t was, ids;

	if (!pv_linux_notes(l))
		return 0;
	int err = read_ids(l, bdf, &ids);
	if (!err)
		err = l->machine.ops->reg_read(&l->machine, bdf, (int)bar, off, bytes, &was);
	return err ? err
		   : append(l, "bar %s %04x:%04x %u 0x%" PRIx32 " %u 0x%" PRIx64 "\n", pv_bdf_name(bdf).s,
			    (unsigned)(ids & 0xffff), (unsigned)(ids >> 16), bar, off, bytes, was);
}

/* What the driver does not show it refuses to write, too. */
int pv_linux_note_tune(struct pv_linux *l, struct pv_driver *d, const char *pmu, const char *path)
{
	char was[TEXT_MAX];

	if (!pv_linux_notes(l) || strpbrk(path, " \n") || strpbrk(pmu, " \n"))
		return 0;
	if (d->ops->attr_read(d, pmu, path, was, sizeof(was)) < 0)
		return 0;
	return strchr(was, '\n') ? -EPERM : append(l, "tune %s %s %s\n", pmu, path, was);
}

/* ---- putting back ---- */

/* A file that is gone has taken its text with it. */
static int put_file(struct pv_linux *l, const char *path, const char *text)
{
	const struct pv_linux_path file = pv_linux_path(l, "%s", path);
	char now[TEXT_MAX], line[TEXT_MAX + 2];
	int n = pv_sysfs_read(file.s, now, sizeof(now));

	if (n == -ENOENT || (n >= 0 && !strcmp(now, text)))
		return 0;
	snprintf(line, sizeof(line), "%s\n", strcmp(text, UNSET) ? text : "");
	return pv_sysfs_write(file.s, line);
}

static int unbind(struct pv_linux *l, const char *bus, const char *device, const char *driver)
{
	return pv_sysfs_write(PV_LINUX_PATH(l, "sys/bus/%s/drivers/%s/unbind", bus, driver), device);
}

static int put_bind(struct pv_linux *l, const char *bus, const char *device, const char *driver)
{
	char now[PV_LINUX_NAME_MAX], there[TEXT_MAX];
	int err = 0;

	snprintf(there, sizeof(there), "%s", PV_LINUX_PATH(l, "sys/bus/%s/devices/%s", bus, device));
	pv_linux_bound_driver(l, bus, device, now);
	if (access(there, F_OK) || !strcmp(*now ? now : NOBODY, driver))
		return 0; /* it has left the machine, or its driver has it */
	if (*now)
		err = unbind(l, bus, device, now);
	if (!err && strcmp(driver, NOBODY))
		err = pv_sysfs_write(PV_LINUX_PATH(l, "sys/bus/%s/drivers/%s/bind", bus, driver), device);
	return err;
}

/* To be written is to act, for these: a level is set, a bit goes. The driver has left them at rest. */
static bool is_command(uint32_t ids, unsigned bar, uint32_t off)
{
	return ids == (PTT_VENDOR_ID | (uint32_t)PTT_DEVICE_ID << 16) && bar == PTT_BAR &&
	       (off == PTT_TUNING_CTRL || off == PTT_TUNING_DATA || off == PTT_TRACE_INT_STAT);
}

struct bar_line {
	pv_bdf bdf;
	unsigned vendor, device, bar, bytes;
	uint32_t off;
	uint64_t was;
};

static int put_value(struct pv_linux *l, const struct bar_line *c)
{
	uint64_t now;
	int err = l->machine.ops->reg_read(&l->machine, c->bdf, (int)c->bar, c->off, c->bytes, &now);

	return err || now == c->was ? err : pv_linux_write_bar(l, c->bdf, (int)c->bar, c->off, c->bytes, c->was);
}

/* Memory decoding is what the last driver has left it at. */
static int put_bar(struct pv_linux *l, const struct bar_line *c)
{
	uint64_t ids, command = 0;

	if (read_ids(l, c->bdf, &ids) || ids != (c->vendor | (uint64_t)c->device << 16) ||
	    is_command((uint32_t)ids, c->bar, c->off))
		return 0;
	int err = l->machine.ops->reg_read(&l->machine, c->bdf, -1, PCI_COMMAND, 2, &command);
	bool off = !(command & PCI_COMMAND_MEMORY);
	if (!err && off)
		err = pv_linux_write_config(l, c->bdf, PCI_COMMAND, 2, command | PCI_COMMAND_MEMORY);
	if (!err)
		err = put_value(l, c);
	if (off)
		pv_linux_write_config(l, c->bdf, PCI_COMMAND, 2, command);
	return err;
}

static bool parse_bar(const char *line, struct bar_line *c)
{
	char name[20];
	int n = 0;

	return sscanf(line, "bar %19s %4x:%4x %u %" SCNx32 " %u %" SCNx64 "%n", name, &c->vendor, &c->device, &c->bar,
		      &c->off, &c->bytes, &c->was, &n) == 7 &&
	       !line[n] && pv_bdf_scan(name, &c->bdf) && c->bar <= 5 && (c->bytes == 4 || c->bytes == 8);
}

int pv_linux_put_taken(struct pv_linux *l, const char *line)
{
	char bus[16], device[PV_LINUX_NAME_MAX], driver[PV_LINUX_NAME_MAX], path[TEXT_MAX];
	struct bar_line c;
	int n = 0, err;

	if (!strcmp(line, "idle") || !strncmp(line, "reference ", 10) || !strncmp(line, "tune ", 5))
		return 1;
	if (parse_bar(line, &c))
		err = put_bar(l, &c);
	else if (sscanf(line, "bind %15s %63s %63s%n", bus, device, driver, &n) == 3 && !line[n])
		err = put_bind(l, bus, device, driver);
	else if (sscanf(line, "file %511s%n", path, &n) == 1 && line[n] == ' ' && !strncmp(path, "sys/", 4) &&
		 !strstr(path, ".."))
		err = put_file(l, path, line + n + 1);
	else
		return 0;
	return err ? err : 1;
}

/* ---- before that ---- */

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
	for (; *names == ' ' && (n = pv_bdf_scan(names + 1, &left->functions[left->n])); names += n + 1)
		left->n++;
	return *names ? -EBADMSG : 0;
}

static int note_left(struct pv_linux *l, char *line, void *left)
{
	struct left *of = left;

	if (!strncmp(line, "reference", 9)) {
		of->busy = true;
		return read_functions(line + 9, of);
	}
	of->busy &= strcmp(line, "idle") != 0;
	of->tuned |= !strncmp(line, "tune ", 5);
	return 0;
}

static int leave_vfio(struct pv_linux *l, char *line, void *ctx)
{
	char device[PV_LINUX_NAME_MAX], driver[PV_LINUX_NAME_MAX], now[PV_LINUX_NAME_MAX];

	if (sscanf(line, "bind pci %63s %63s", device, driver) != 2 || !strcmp(driver, PV_LINUX_VFIO))
		return 0;
	pv_linux_bound_driver(l, "pci", device, now);
	return strcmp(now, PV_LINUX_VFIO) ? 0 : unbind(l, "pci", device, now);
}

/* A PMU that is gone has taken its levels with it. */
static int put_tune(struct pv_linux *l, char *line, void *driver)
{
	char pmu[PV_LINUX_NAME_MAX], path[TEXT_MAX], now[TEXT_MAX];
	struct pv_driver *d = driver;
	int n = 0;

	if (sscanf(line, "tune %63s %511s%n", pmu, path, &n) != 2 || line[n] != ' ')
		return 0;
	int err = d->ops->attr_read(d, pmu, path, now, sizeof(now));
	if (err == -ENODEV || err == -ENOENT || (err >= 0 && !strcmp(now, line + n + 1)))
		return 0;
	return d->ops->attr_write(d, pmu, path, line + n + 1);
}

/* Backwards: the last line first, so that the oldest value stays. */
static int each_line(struct pv_linux *l, const char *text, bool backwards,
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

static int start_again(struct pv_linux *l, const struct left *left, const char *text, struct pv_error *e)
{
	struct pv_linux_reference *r;
	int err = pv_linux_reference_boot(&r, l, PV_BOOT_TUNE_OFF, left->functions, left->n, e);

	if (err)
		return err;
	err = each_line(l, text, true, put_tune, pv_linux_reference_driver(r));
	pv_linux_reference_end(r);
	return err;
}

int pv_linux_settle(struct pv_linux *l, const char *text, struct pv_error *e)
{
	struct left left = {0};
	int err = each_line(l, text, false, note_left, &left);

	l->settling = true;
	if (!err && left.n && (left.busy || left.tuned))
		err = start_again(l, &left, text, e);
	l->settling = false;
	free(left.functions);
	if (!err)
		err = each_line(l, text, false, leave_vfio, NULL);
	return err ? pv_error(e, err, "leaving the reference driver's functions idle: %s; they are still in %s",
			      pv_errno_name(err), l->undo.path)
		   : 0;
}
