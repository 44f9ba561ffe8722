/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wraps libpci. Its error callback must not return, so it jumps back to guarded(); after setup, only guarded() calls
 * libpci. Callbacks have no context argument, so `current` is the access in use.
 */
#include "framework/pci/access.h"

#include <dirent.h>
#include <errno.h>
#include <pci/pci.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/pci/dump.h"
#include "framework/pci/split.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "framework/util/hint.h"

struct pv_pci_access {
	struct pci_access *lib;
	struct pci_dev **functions; /* sorted by BDF */
	size_t n;
	int fd; /* the checked dump; -1: none */
	struct pv_pci_notes notes;
	jmp_buf landing;
	char said[256];
};

static _Thread_local struct pv_pci_access *current;

/* ---- messages of libpci ---- */

static void keep_words(const char *fmt, va_list ap)
{
	vsnprintf(current->said, sizeof(current->said), fmt, ap);
}

static void on_error(char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void on_warning(char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void on_debug(char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void on_error(char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	keep_words(fmt, ap);
	va_end(ap);
	longjmp(current->landing, 1);
}

static void on_warning(char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	keep_words(fmt, ap);
	va_end(ap);
}

static void on_debug(char *fmt, ...)
{
}

struct transfer {
	size_t i;
	uint32_t off;
	void *data;
	unsigned n;
};

/* Runs a step inside libpci. -EIO also if libpci gives up; a->said has its message. */
static int guarded(struct pv_pci_access *a, int (*step)(struct pv_pci_access *a, struct transfer *t),
		   struct transfer *t)
{
	volatile int result = -EIO;

	current = a;
	a->said[0] = '\0';
	if (!setjmp(a->landing))
		result = step(a, t);
	current = NULL;
	return result;
}

const char *pv_pci_said(const struct pv_pci_access *a)
{
	return a->said;
}

/* ---- sources ---- */

/* Checks the names in a folder: libpci gives up on a name that it cannot parse, and leaks its memory. */
static int check_tree(const char *path, struct pv_error *e)
{
	char folder[1024];
	DIR *dir;
	const struct dirent *entry;
	unsigned domain, bus, device, function;
	int err = 0, n;

	snprintf(folder, sizeof(folder), "%s/devices", path);
	dir = opendir(folder);
	if (!dir)
		return pv_error(e, -errno, "%s: %s; expected a folder like /sys/bus/pci/devices", folder,
				strerror(errno));
	while (!err && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (sscanf(entry->d_name, "%x:%x:%x.%o%n", &domain, &bus, &device, &function, &n) < 4 ||
		    entry->d_name[n] || bus > 255 || device > 31 || function > 7)
			err = pv_error(e, -EINVAL, "%s: expected names like 0000:01:00.0, got '%s'", folder,
				       PV_SHOW(entry->d_name));
	}
	closedir(dir);
	return err;
}

static int use_tree(struct pv_pci_access *a, const char *path, bool writable, struct pv_error *e)
{
	const char *tree = path ? path : "/sys/bus/pci";
	int err = check_tree(tree, e);

	if (err)
		return err;
	a->lib->method = PCI_ACCESS_SYS_BUS_PCI;
	a->lib->writeable = writable;
	a->lib->buscentric = 1; /* ids come from configuration space: no other file is needed */
	if (pci_set_param(a->lib, (char *)"sysfs.path", (char *)tree))
		return pv_error(e, -ENOMEM, "%s: no memory", tree);
	return 0;
}

/* Reads, checks and copies a dump. libpci reads the copy, which cannot change after the check. */
static int copy_dump(struct pv_pci_access *a, enum pv_pci_source source, const char *path, struct pv_error *e)
{
	const char *name = pv_file_name(path);
	_autofree_ char *text = NULL;
	_autofclose_ FILE *out = NULL;
	size_t n, second = 0;
	int err = pv_file_read(path, PV_PCI_DUMP_BYTES_MAX, &text, &n, e);

	if (!err && source != PV_PCI_DUMP)
		err = pv_pci_dump_split(name, text, n, &second, e);
	if (err)
		return err;
	n = source == PV_PCI_FIRST ? second : n - second;
	a->fd = memfd_create("dump", MFD_CLOEXEC);
	out = a->fd < 0 ? NULL : fdopen(dup(a->fd), "w");
	if (!out)
		return pv_error(e, -errno, "%s: no place for a copy: %s", path, strerror(errno));
	err = pv_pci_dump_copy(name, source == PV_PCI_FIRST ? text : text + second, n, out, &a->notes, e);
	if (!err && fflush(out))
		err = pv_error(e, -errno, "%s: no place for a copy: %s", path, strerror(errno));
	return err;
}

static int use_dump(struct pv_pci_access *a, enum pv_pci_source source, const char *path, struct pv_error *e)
{
	char name[40];
	int err = copy_dump(a, source, path, e);

	if (err)
		return err;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", a->fd);
	a->lib->method = PCI_ACCESS_DUMP;
	if (pci_set_param(a->lib, (char *)"dump.name", name))
		return pv_error(e, -ENOMEM, "%s: no memory", path);
	return 0;
}

/* ---- functions ---- */

static int compare(const void *left, const void *right)
{
	const struct pci_dev *a = *(struct pci_dev *const *)left, *b = *(struct pci_dev *const *)right;

	if (a->domain != b->domain)
		return (unsigned)a->domain < (unsigned)b->domain ? -1 : 1;
	return (a->bus << 8 | a->dev << 3 | a->func) - (b->bus << 8 | b->dev << 3 | b->func);
}

static int scan(struct pv_pci_access *a, struct transfer *unused)
{
	pci_init(a->lib);
	pci_scan_bus(a->lib);
	return 0;
}

/*
 * Merges duplicates of a function: bug reporting tools write a listing and a dump into one file. A heading without
 * bytes gives way to one with bytes; identical bytes are merged.
 */
static int merge_twins(struct pv_pci_access *a, const char *name, struct pv_error *e)
{
	uint8_t before[PV_PCI_SPACE_BYTES], now[PV_PCI_SPACE_BYTES];
	size_t kept = 0;

	for (size_t i = 1; i < a->n; i++) {
		if (compare(&a->functions[kept], &a->functions[i])) {
			a->functions[++kept] = a->functions[i];
			continue;
		}
		unsigned n = pv_pci_read_space(a, kept, before), m = pv_pci_read_space(a, i, now);
		if (n && m && (n != m || memcmp(before, now, n) != 0))
			return pv_error(e, -EBADMSG,
					"%s: function %04x:%02x:%02x.%x is there twice, with different bytes; 'pcieval "
					"mps diff "
					"FILE' compares two",
					name, (unsigned)a->functions[i]->domain, a->functions[i]->bus,
					a->functions[i]->dev, a->functions[i]->func);
		if (!n)
			a->functions[kept] = a->functions[i];
	}
	a->n = a->n ? kept + 1 : 0;
	return 0;
}

static int sort_functions(struct pv_pci_access *a, const char *name, struct pv_error *e)
{
	struct pci_dev *d;
	size_t i = 0;

	for (d = a->lib->devices; d; d = d->next)
		a->n++;
	a->functions = calloc(a->n + 1, sizeof(*a->functions));
	if (!a->functions)
		return pv_error(e, -ENOMEM, "%s: no memory", name);
	for (d = a->lib->devices; d; d = d->next)
		a->functions[i++] = d;
	qsort(a->functions, a->n, sizeof(*a->functions), compare);
	return merge_twins(a, name, e);
}

/* Notes the drivers of a tree, from the links DIR/devices/NAME/driver. */
static int note_drivers(struct pv_pci_access *a, const char *tree)
{
	char path[1024], driver[1024];

	a->notes.list = calloc(a->n + 1, sizeof(*a->notes.list));
	if (!a->notes.list)
		return -ENOMEM;
	for (size_t i = 0; i < a->n; i++) {
		struct pv_pci_place p = pv_pci_place(a, i);
		ssize_t n;

		snprintf(path, sizeof(path), "%s/devices/%04x:%02x:%02x.%x/driver", tree, (unsigned)p.domain,
			 (unsigned)p.bus, (unsigned)p.device, (unsigned)p.function);
		n = readlink(path, driver, sizeof(driver) - 1);
		if (n <= 0)
			continue;
		driver[n] = '\0';
		const char *name = strrchr(driver, '/');
		struct pv_pci_note *note = &a->notes.list[a->notes.n++];
		note->place = p;
		snprintf(note->driver, sizeof(note->driver), "%.31s", name ? name + 1 : driver);
	}
	return 0;
}

static int open_source(struct pv_pci_access *a, enum pv_pci_source source, const char *path, bool writable,
		       struct pv_error *e)
{
	const char *name = path ? path : "/sys/bus/pci";
	int err;

	a->lib->error = on_error;
	a->lib->warning = on_warning;
	a->lib->debug = on_debug;
	err = source == PV_PCI_SYSFS ? use_tree(a, path, writable, e) : use_dump(a, source, path, e);
	if (err)
		return err;
	err = guarded(a, scan, NULL);
	if (err)
		return pv_error(e, err, "%s: libpci: %s", name, a->said);
	err = sort_functions(a, name, e);
	if (!err && source == PV_PCI_SYSFS && note_drivers(a, name))
		err = pv_error(e, -ENOMEM, "%s: no memory", name);
	return err;
}

struct pv_pci_access *pv_pci_open(enum pv_pci_source source, const char *path, bool writable, struct pv_error *e)
{
	struct pv_pci_access *a = calloc(1, sizeof(*a));

	if (!a) {
		pv_error(e, -ENOMEM, "no memory");
		return NULL;
	}
	a->fd = -1;
	a->lib = pci_alloc();
	if (!open_source(a, source, path, writable, e))
		return a;
	pv_pci_close(a);
	return NULL;
}

void pv_pci_close(struct pv_pci_access *a)
{
	if (!a)
		return;
	pci_cleanup(a->lib);
	free(a->functions);
	free(a->notes.list);
	pv_closep(&a->fd);
	free(a);
}

size_t pv_pci_count(const struct pv_pci_access *a)
{
	return a->n;
}

struct pv_pci_place pv_pci_place(const struct pv_pci_access *a, size_t i)
{
	const struct pci_dev *d = a->functions[i];

	return (struct pv_pci_place){(uint32_t)d->domain, d->bus, d->dev, d->func};
}

static int compare_places(const void *left, const void *right)
{
	const struct pv_pci_place *a = left, *b = &((const struct pv_pci_note *)right)->place;

	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	return (a->bus << 8 | a->device << 3 | a->function) - (b->bus << 8 | b->device << 3 | b->function);
}

const struct pv_pci_note *pv_pci_note(const struct pv_pci_access *a, size_t i)
{
	struct pv_pci_place place = pv_pci_place(a, i);

	return a->notes.n ? bsearch(&place, a->notes.list, a->notes.n, sizeof(*a->notes.list), compare_places) : NULL;
}

/* ---- bytes ---- */

static int read_block(struct pv_pci_access *a, struct transfer *t)
{
	return pci_read_block(a->functions[t->i], (int)t->off, t->data, (int)t->n) ? 0 : -EIO;
}

static int write_block(struct pv_pci_access *a, struct transfer *t)
{
	return pci_write_block(a->functions[t->i], (int)t->off, t->data, (int)t->n) ? 0 : -EIO;
}

int pv_pci_read(struct pv_pci_access *a, size_t i, uint32_t off, void *data, unsigned n)
{
	return guarded(a, read_block, &(struct transfer){i, off, data, n});
}

int pv_pci_write(struct pv_pci_access *a, size_t i, uint32_t off, const void *data, unsigned n)
{
	return guarded(a, write_block, &(struct transfer){i, off, (void *)data, n});
}

unsigned pv_pci_read_space(struct pv_pci_access *a, size_t i, uint8_t data[PV_PCI_SPACE_BYTES])
{
	static const unsigned sizes[] = {PV_PCI_SPACE_BYTES, 256, 128, 64};

	for (size_t k = 0; k < ARRAY_SIZE(sizes); k++)
		if (!pv_pci_read(a, i, 0, data, sizes[k]))
			return sizes[k];
	return 0;
}
