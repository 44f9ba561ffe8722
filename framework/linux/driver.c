/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The driver table of a running Linux: attribute files here, the rest in the files that the table names. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "framework/linux/internal.h"
#include "framework/linux/undo.h"

struct pv_linux *pv_linux_of_driver(struct pv_driver *d)
{
	return (struct pv_linux *)((char *)d - offsetof(struct pv_linux, driver));
}

static const char *pmu_name(struct pv_driver *d, size_t n)
{
	struct pv_linux *l = pv_linux_of_driver(d);

	pv_linux_find_pmus(l);
	return n < l->n_pmus ? l->pmu[n].name : NULL;
}

static int pmu_parent(struct pv_driver *d, const char *pmu, pv_bdf *bdf)
{
	return pv_linux_pmu_parent(pv_linux_of_driver(d), pmu, bdf);
}

/* Paths stay in the PMU's folder. */
static bool stays_below(const char *path)
{
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/'))
			return false;
	}
	return *path != '/';
}

/* The path of an attribute; -ENODEV: no such PMU. */
static int attr_path(struct pv_driver *d, const char *pmu, const char *path, struct pv_linux_path *out)
{
	struct pv_linux *l = pv_linux_of_driver(d);
	uint32_t type;

	if (!*pmu || strchr(pmu, '/') || !stays_below(pmu))
		return -ENODEV;
	if (pv_sysfs_read_number(PV_LINUX_PATH(l, "sys/bus/event_source/devices/%s/type", pmu), &type))
		return -ENODEV;
	if (!stays_below(path))
		return -ENOENT;
	*out = pv_linux_path(l, "sys/bus/event_source/devices/%s/%s", pmu, path);
	return 0;
}

static int attr_read(struct pv_driver *d, const char *pmu, const char *path, char *buf, size_t size)
{
	struct pv_linux_path file;
	int err = attr_path(d, pmu, path, &file);

	return err ? err : pv_sysfs_read(file.s, buf, size);
}

int pv_linux_write_attr(struct pv_linux *l, const char *pmu, const char *path, const char *text)
{
	struct pv_linux_path file;
	int err = attr_path(&l->driver, pmu, path, &file);

	return err ? err : pv_sysfs_write(file.s, text);
}

static int attr_write(struct pv_driver *d, const char *pmu, const char *path, const char *text)
{
	struct pv_linux *l = pv_linux_of_driver(d);
	int err = pv_linux_note_attr(l, pmu, path);

	return err ? err : pv_linux_write_attr(l, pmu, path, text);
}

static int attr_list(struct pv_driver *d, const char *pmu, const char *dir, void (*fn)(void *, const char *), void *ctx)
{
	struct pv_linux_path folder;
	int err = attr_path(d, pmu, dir, &folder);

	return err ? err : pv_sysfs_list(folder.s, fn, ctx);
}

static const char *log_line(struct pv_driver *d, size_t n)
{
	return pv_kmsg_line(&pv_linux_of_driver(d)->log, n);
}

const struct pv_driver_ops pv_linux_driver_ops = {
	.probe_status = pv_linux_probe_status,
	.pmu_name = pmu_name,
	.pmu_parent = pmu_parent,
	.attr_read = attr_read,
	.attr_write = attr_write,
	.attr_list = attr_list,
	.event_open = pv_linux_event_open,
	.event_enable = pv_linux_event_enable,
	.event_disable = pv_linux_event_disable,
	.event_read = pv_linux_event_read,
	.event_close = pv_linux_event_close,
	.event_times = pv_linux_event_times,
	.event_poll = pv_linux_event_poll,
	.event_mmap = pv_linux_event_mmap,
	.event_hold = pv_linux_event_hold,
	.event_take = pv_linux_event_take_bytes,
	.event_records = pv_linux_event_records,
	.get_size = pv_linux_get_size,
	.set_size = pv_linux_set_size,
	.slot_event = pv_linux_slot_event,
	.gone = pv_linux_gone,
	.rescan = pv_linux_rescan,
	.remove = pv_linux_remove,
	.set_vfs = pv_linux_set_vfs,
	.log_line = log_line,
};
