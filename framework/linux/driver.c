/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver table of a running Linux. Here: probe results, sizes and hot-plug of the PCI core, and attribute files,
 * all through sysfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/linux/internal.h"
#include "framework/linux/undo.h"
#include "framework/util/cleanup.h"

#define DEVICES "sys/bus/pci/devices"

struct pv_linux *pv_linux_of_driver(struct pv_driver *d)
{
	return (struct pv_linux *)((char *)d - offsetof(struct pv_linux, driver));
}

static bool is_there(struct pv_linux *l, pv_bdf bdf)
{
	return !access(PV_LINUX_PATH(l, DEVICES "/%s", pv_bdf_name(bdf).s), F_OK);
}

/* ---- probing ---- */

/* PMUs of the same CXL device differ in their instance: cxl_pmu_mem0.1. */
static bool is_instance(const char *pmu, unsigned n)
{
	const char *dot = strncmp(pmu, "cxl_pmu_mem", 11) ? NULL : strchr(pmu, '.');

	return dot ? strtoul(dot + 1, NULL, 10) == n : n == 0;
}

static bool has_pmu(struct pv_linux *l, pv_bdf bdf, unsigned n)
{
	pv_linux_find_pmus(l);
	for (size_t i = 0; i < l->n_pmus; i++) {
		pv_bdf parent;

		if (!pv_linux_pmu_parent(l, l->pmu[i].name, &parent) && parent == bdf && is_instance(l->pmu[i].name, n))
			return true;
	}
	return false;
}

/* Parses the message of really_probe(): "probe with driver hisi_ptt failed with error -12". 0: not such a line. */
static int told_error(const char *line)
{
	static const char before[] = " failed with error -";
	const char *at = line ? strstr(line, before) : NULL;
	unsigned long err = at ? strtoul(at + strlen(before), NULL, 10) : 0;

	return err && err < 4096 ? -(int)err : 0;
}

/* Returns the newest warning about a device that contains `about`, or NULL. */
static const char *last_warning(struct pv_linux *l, const char *device, const char *about)
{
	const char *line, *found = NULL;

	for (size_t i = 0; (line = pv_kmsg_line(&l->log, i)); i++)
		if (strstr(line, device) && strstr(line, about))
			found = line;
	return found;
}

/*
 * Returns the last message about a device before the line `end` of the log: the driver's reason for the kernel's
 * message. NULL: none.
 */
static const char *warning_before(struct pv_linux *l, const char *device, const char *end)
{
	const char *line, *found = NULL;

	for (size_t i = 0; (line = pv_kmsg_line(&l->log, i)) && line != end; i++)
		if (strstr(line, device))
			found = line;
	return found && !told_error(found) ? found : NULL;
}

/* Finds the bound driver; "": none. */
static void bound_driver(struct pv_linux *l, pv_bdf bdf, char *name, size_t size)
{
	_autofree_ char *real = realpath(PV_LINUX_PATH(l, DEVICES "/%s/driver", pv_bdf_name(bdf).s), NULL);

	snprintf(name, size, "%s", real ? strrchr(real, '/') + 1 : "");
}

/* The device that cxl_pci creates for a CPMU and that cxl_pmu binds to: pmu_mem0.1. */
struct cxl_search {
	struct pv_linux *l;
	pv_bdf bdf;
	unsigned instance;
	char name[64];
};

static void note_cpmu(void *ctx, const char *name)
{
	struct cxl_search *s = ctx;
	unsigned mem, instance;
	int end = 0;
	pv_bdf bdf;

	if (sscanf(name, "pmu_mem%u.%u%n", &mem, &instance, &end) == 2 && !name[end] && instance == s->instance &&
	    !pv_linux_function_of(PV_LINUX_PATH(s->l, "sys/bus/cxl/devices/%s", name), &bdf) && bdf == s->bdf)
		snprintf(s->name, sizeof(s->name), "%s", name);
}

/* Each CPMU of a CXL device is a device of its own, which cxl_pmu binds or rejects. */
static int without_cxl_pmu(struct pv_linux *l, pv_bdf bdf, unsigned n)
{
	struct cxl_search s = {.l = l, .bdf = bdf, .instance = n};
	const char *line;
	int err;

	pv_sysfs_list(PV_LINUX_PATH(l, "sys/bus/cxl/devices"), note_cpmu, &s);
	if (!*s.name) {
		snprintf(l->why, sizeof(l->why), "cxl_pci is bound, and has found no CPMU %u", n);
		return -ENOENT;
	}
	line = last_warning(l, s.name, "");
	err = told_error(line);
	snprintf(l->why, sizeof(l->why), "%s",
		 line ? line : "cxl_pmu has not taken it, and the kernel's log says nothing");
	return err ? err : -ENODEV;
}

/*
 * The driver of every Root Port is pcieport. dwc_pcie_pmu does not bind to the port, and logs its name only if
 * registering a PMU fails.
 */
static int without_pmu(struct pv_linux *l, pv_bdf bdf, unsigned n)
{
	const char *line, *reason;
	char driver[64];
	bool port;
	int err;

	bound_driver(l, bdf, driver, sizeof(driver));
	if (!strcmp(driver, "cxl_pci"))
		return without_cxl_pmu(l, bdf, n);
	port = !strcmp(driver, "pcieport");
	line = last_warning(l, pv_bdf_name(bdf).s, port ? " registering " : "");
	err = told_error(line);
	if (port)
		driver[0] = '\0';
	reason = err ? warning_before(l, pv_bdf_name(bdf).s, line) : NULL;
	if (line)
		snprintf(l->why, sizeof(l->why), "%s%s%s", reason ? reason : "", reason ? "; " : "", line);
	else if (*driver)
		snprintf(l->why, sizeof(l->why), "%s is bound, but there is no PMU, and the kernel's log says nothing",
			 driver);
	else
		snprintf(l->why, sizeof(l->why), "no driver is bound, and the kernel's log says nothing");
	if (err)
		return err;
	return line || *driver ? -ENODEV : -ENOENT;
}

static int probe_status(struct pv_driver *d, pv_bdf bdf, unsigned n, const char **why)
{
	struct pv_linux *l = pv_linux_of_driver(d);

	*why = l->why;
	l->why[0] = '\0';
	if (has_pmu(l, bdf, n))
		return 0;
	if (is_there(l, bdf))
		return without_pmu(l, bdf, n);
	snprintf(l->why, sizeof(l->why), "no device %s", pv_bdf_name(bdf).s);
	return -ENOENT;
}

/* ---- MPS and MRRS ---- */

static int get_size(struct pv_driver *d, pv_bdf bdf, bool mrrs)
{
	uint8_t space[PV_LINUX_CONFIG_BYTES];
	int at = pv_linux_read_express(pv_linux_of_driver(d), bdf, space);

	if (at < 0)
		return at;
	unsigned control = pv_linux_config_word(space, at + PCI_EXP_DEVCTL);
	return (int)(mrrs ? PCI_EXP_SIZE_BYTES((control & PCI_EXP_DEVCTL_MRRS) >> PCI_EXP_DEVCTL_MRRS_SHIFT)
			  : PCI_EXP_SIZE_BYTES((control & PCI_EXP_DEVCTL_MPS) >> PCI_EXP_DEVCTL_MPS_SHIFT));
}

/*
 * Only drivers in the kernel can call pcie_set_mps() and pcie_set_readrq(): framework/far/module does, if it is loaded.
 */
static int set_size(struct pv_driver *d, pv_bdf bdf, bool mrrs, int bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%s %d", pv_bdf_name(bdf).s, bytes);
	int err = pv_sysfs_write(
		PV_LINUX_PATH(pv_linux_of_driver(d), "sys/module/pcieval/parameters/%s", mrrs ? "mrrs" : "mps"), text);
	return err == -ENOENT ? -EOPNOTSUPP : err;
}

/* ---- hot-plug ---- */

#define SETTLE_NS	50000000u
#define HOTPLUG_STEP_NS 10000000u
#define HOTPLUG_STEPS	500u /* 5 s: pciehp waits up to 1 s for the link, and 1 s more for the device */

static void note_function(void *ctx, const char *name)
{
	pv_bdf bdf;
	size_t n = pv_bdf_scan(name, &bdf);

	if (n && !name[n]) /* "0000:00:10.0:pcie004" is a service of the port itself */
		*(bool *)ctx = true;
}

/* The folder of a function below `port` is in the folder of the port. */
static bool slot_is_filled(struct pv_linux *l, pv_bdf port)
{
	bool found = false;

	pv_sysfs_list(PV_LINUX_PATH(l, DEVICES "/%s", pv_bdf_name(port).s), note_function, &found);
	return found;
}

struct same_bus {
	pv_bdf bdf;
	bool found;
};

static void note_same_bus(void *ctx, const char *name)
{
	struct same_bus *s = ctx;
	pv_bdf bdf;

	s->found |= pv_bdf_scan(name, &bdf) && bdf >> 8 == s->bdf >> 8;
}

/* pciehp removes all functions on the bus of its slot. A root bus has no slot. */
static bool is_gone(struct pv_linux *l, pv_bdf bdf)
{
	struct same_bus s = {.bdf = bdf};

	if (!access(PV_LINUX_PATH(l, "sys/devices/pci%04x:%02x", PCI_DOMAIN(bdf), PCI_BUS(bdf)), F_OK))
		return !is_there(l, bdf);
	pv_sysfs_list(PV_LINUX_PATH(l, DEVICES), note_same_bus, &s);
	return !s.found;
}

/* Drivers do part of their work asynchronously: hisi_ptt updates its filters in a work item. */
static int settle(struct pv_linux *l, int err)
{
	return err ? err : pv_linux_wait(l, SETTLE_NS);
}

/* Waits until the device has appeared or disappeared; pciehp notices by itself. */
static int await(struct pv_linux *l, bool (*wanted)(struct pv_linux *, pv_bdf), pv_bdf bdf, int otherwise)
{
	for (unsigned i = 0; i < HOTPLUG_STEPS; i++) {
		int err = wanted(l, bdf) ? 1 : pv_linux_wait(l, HOTPLUG_STEP_NS);

		if (err)
			return settle(l, err < 0 ? err : 0);
	}
	return otherwise;
}

static int slot_event(struct pv_driver *d, pv_bdf port)
{
	struct pv_linux *l = pv_linux_of_driver(d);

	return is_there(l, port) ? await(l, slot_is_filled, port, -ENODEV) : -ENODEV;
}

static int gone(struct pv_driver *d, pv_bdf bdf)
{
	return await(pv_linux_of_driver(d), is_gone, bdf, -ETIMEDOUT);
}

static int rescan(struct pv_driver *d)
{
	struct pv_linux *l = pv_linux_of_driver(d);

	return settle(l, pv_sysfs_write(PV_LINUX_PATH(l, "sys/bus/pci/rescan"), "1"));
}

static int set_vfs(struct pv_driver *d, pv_bdf pf, unsigned n)
{
	struct pv_linux *l = pv_linux_of_driver(d);
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	if (!is_there(l, pf))
		return -ENODEV;
	return settle(l, pv_sysfs_write(PV_LINUX_PATH(l, DEVICES "/%s/sriov_numvfs", pv_bdf_name(pf).s), text));
}

static int remove_function(struct pv_driver *d, pv_bdf bdf)
{
	struct pv_linux *l = pv_linux_of_driver(d);
	int err = pv_sysfs_write(PV_LINUX_PATH(l, DEVICES "/%s/remove", pv_bdf_name(bdf).s), "1");

	return settle(l, err == -ENOENT ? -ENODEV : err);
}

/* ---- PMUs and their attributes ---- */

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

/* Builds the path of an attribute; -ENODEV: no such PMU. */
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
	.probe_status = probe_status,
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
	.get_size = get_size,
	.set_size = set_size,
	.slot_event = slot_event,
	.gone = gone,
	.rescan = rescan,
	.remove = remove_function,
	.set_vfs = set_vfs,
	.log_line = log_line,
};
