/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function in the hands of vfio-pci, with an IOMMU or without: what this process gets of it are MSIs, and that
 * nobody else has the function. BARs and configuration space are reached through sysfs. Opening and closing a function
 * resets it, unless its reset methods are taken away first: a secondary bus reset would take its port's state along.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "drivers/core/pcie.h"
#include "drivers/regs/pcie.h"
#include "framework/util/cleanup.h"
#include "framework/vfio/bus_internal.h"

#define DRIVER	"sys/bus/pci/drivers/" PV_VFIO_DRIVER
#define UNSAFE	"sys/module/vfio/parameters/enable_unsafe_noiommu_mode"
#define NOIOMMU "noiommu-"

/* ---- IOMMU groups ---- */

/*
 * IOMMU groups as VFIO has them: what an IOMMU cannot keep apart, opened once for all functions that are used. A
 * function without an IOMMU has a group to itself, "noiommu-N".
 *
 * Behind an IOMMU, DMA reaches nothing but memory that was mapped here, one to one: at the bus address that is its
 * physical one. For a PTT nothing else will do, whose DMA works with direct mappings only (Linux:
 * arm_smmu_def_domain_type()).
 */

/* The last user closes it, which ends its mappings. NULL: nothing. */
static void group_put(struct pv_vfio_bus *b, struct pv_vfio_group *g)
{
	struct pv_vfio_group **at = &b->groups;

	if (!g || --g->users)
		return;
	while (*at && *at != g)
		at = &(*at)->next;
	if (*at)
		*at = g->next;
	pv_closep(&g->fd);
	pv_closep(&g->container);
	free(g);
}

/* -EBUSY: other functions of the group are in the hands of the kernel's drivers. */
static int check_viable(int group)
{
	struct vfio_group_status status = {.argsz = sizeof(status)};

	if (ioctl(group, VFIO_GROUP_GET_STATUS, &status))
		return -errno;
	return status.flags & VFIO_GROUP_FLAGS_VIABLE ? 0 : -EBUSY;
}

static int open_files(struct pv_vfio_bus *b, struct pv_vfio_group *g)
{
	g->fd = open(PV_LINUX_PATH(b->l, "dev/vfio/" NOIOMMU "%s", g->number), O_RDWR | O_CLOEXEC);
	g->iommu = g->fd < 0 && errno == ENOENT;
	if (g->iommu)
		g->fd = open(PV_LINUX_PATH(b->l, "dev/vfio/%s", g->number), O_RDWR | O_CLOEXEC);
	if (g->fd < 0)
		return -errno;
	int err = check_viable(g->fd);
	if (err)
		return err;
	g->container = open(PV_LINUX_PATH(b->l, "dev/vfio/vfio"), O_RDWR | O_CLOEXEC);
	return g->container < 0 || ioctl(g->fd, VFIO_GROUP_SET_CONTAINER, &g->container) ||
			       ioctl(g->container, VFIO_SET_IOMMU, g->iommu ? VFIO_TYPE1v2_IOMMU : VFIO_NOIOMMU_IOMMU)
		       ? -errno
		       : 0;
}

static int open_new(struct pv_vfio_bus *b, const char *number, struct pv_vfio_group **out)
{
	struct pv_vfio_group *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	*g = (struct pv_vfio_group){.next = b->groups, .fd = -1, .container = -1, .users = 1};
	snprintf(g->number, sizeof(g->number), "%s", number);
	b->groups = g;
	int err = open_files(b, g);
	if (err)
		group_put(b, g);
	else
		*out = g;
	return err;
}

/*
 * Opens the IOMMU group of a function that vfio-pci has, or counts one more user of it. 0; -EPERM: it has none; -EBUSY:
 * another function of it is in use; -errno.
 */
static int group_get(struct pv_vfio_bus *b, pv_bdf bdf, struct pv_vfio_group **out)
{
	_autofree_ char *real =
		realpath(PV_LINUX_PATH(b->l, "sys/bus/pci/devices/%s/iommu_group", pv_bdf_name(bdf).s), NULL);
	const char *number = real ? strrchr(real, '/') + 1 : NULL;

	if (!number)
		return -EPERM;
	for (struct pv_vfio_group *g = b->groups; g; g = g->next)
		if (!strcmp(g->number, number)) {
			g->users++;
			*out = g;
			return 0;
		}
	return open_new(b, number, out);
}

bool pv_vfio_group_map(const struct pv_vfio_group *g, void *at, size_t bytes, uint64_t physical)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.vaddr = (uintptr_t)at,
		.iova = physical,
		.size = bytes,
	};

	if (!g->iommu || !ioctl(g->container, VFIO_IOMMU_MAP_DMA, &map))
		return true;
	fprintf(stderr, "pcieval-far: mapping 0x%zx bytes at 0x%" PRIx64 " one to one in IOMMU group %s: %s\n", bytes,
		physical, g->number, pv_errno_name(-errno));
	return false;
}

void pv_vfio_group_unmap(const struct pv_vfio_group *g, size_t bytes, uint64_t physical)
{
	struct vfio_iommu_type1_dma_unmap unmap = {.argsz = sizeof(unmap), .iova = physical, .size = bytes};

	if (g->iommu)
		ioctl(g->container, VFIO_IOMMU_UNMAP_DMA, &unmap);
}

/* ---- taking and giving back ---- */

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Attributes of the function's folder; those that this kernel or this function lacks need not be written. */
static int write_if_there(struct pv_vfio_bus *b, pv_bdf bdf, const char *file, const char *text)
{
	int err = pv_sysfs_write(PV_LINUX_PATH(b->l, "sys/bus/pci/devices/%s/%s", pv_bdf_name(bdf).s, file), text);

	return err == -ENOENT ? 0 : err;
}

static int change(struct pv_vfio_bus *b, pv_bdf bdf, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s", pv_bdf_name(bdf).s, file);
	int err = pv_vfio_note_file(b->l, path);
	return err == -ENOENT ? 0 : err ? err : write_if_there(b, bdf, file, text);
}

/* Allows VFIO without an IOMMU for a function that has none, if the change is journalled. Binding vfio-pci makes its
 * group. */
static int allow_noiommu(struct pv_vfio_bus *b, pv_bdf bdf)
{
	const struct pv_linux_path group =
		pv_linux_path(b->l, "sys/bus/pci/devices/%s/iommu_group", pv_bdf_name(bdf).s);
	char now[8];

	if (!pv_linux_notes(b->l) || !access(group.s, F_OK) ||
	    pv_sysfs_read(PV_LINUX_PATH(b->l, UNSAFE), now, sizeof(now)) < 0 || *now == 'Y')
		return 0;
	int err = pv_vfio_note_file(b->l, UNSAFE);
	return err ? err : pv_sysfs_write(PV_LINUX_PATH(b->l, UNSAFE), "Y\n");
}

static int bind(struct pv_vfio_bus *b, pv_bdf bdf)
{
	int err = allow_noiommu(b, bdf);

	if (!err)
		err = change(b, bdf, "reset_method", "\n");

	if (!err)
		err = change(b, bdf, "driver_override", PV_VFIO_DRIVER "\n");
	return err ? err : pv_sysfs_write(PV_LINUX_PATH(b->l, DRIVER "/bind"), pv_bdf_name(bdf).s);
}

static void unbind(struct pv_vfio_bus *b, pv_bdf bdf)
{
	pv_sysfs_write(PV_LINUX_PATH(b->l, DRIVER "/unbind"), pv_bdf_name(bdf).s);
	write_if_there(b, bdf, "driver_override", "\n");
	write_if_there(b, bdf, "reset_method", "default\n");
}

static int open_device(struct pv_vfio_bus *b, struct pv_vfio_func *f)
{
	int err = group_get(b, f->bdf, &f->vfio.group);

	if (err)
		return err;
	f->vfio.device = ioctl(f->vfio.group->fd, VFIO_GROUP_GET_DEVICE_FD, pv_bdf_name(f->bdf).s);
	return f->vfio.device < 0 ? -errno : 0;
}

/* The kernel waits for these to be closed before it removes the function. */
void pv_vfio_device_close(struct pv_vfio_bus *b, struct pv_vfio_func *f)
{
	for (unsigned v = 0; v < PV_BUS_VECTORS; v++)
		close_one(&f->vfio.event[v]);
	close_one(&f->vfio.device);
	group_put(b, f->vfio.group);
	f->vfio.group = NULL;
}

/*
 * vfio-pci takes the length that a capability of a vendor's says it has, and writes as many bytes to its map of
 * configuration space, whether they have room there or not (vfio_ecap_init() of Linux 6.12 and 7.3).
 */
static bool has_room(struct pv_vfio_bus *b, pv_bdf bdf)
{
	static const uint16_t ids[] = {PCI_EXT_CAP_ID_VSEC, PCI_EXT_CAP_ID_DVSEC};
	const struct pv_cfg cfg = {.ctx = b->bus.ctx, .bdf = bdf, .read = b->bus.cfg_read};
	_Static_assert(PCI_VSEC_HEADER == PCI_DVSEC_HEADER1, "one header for both");

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		for (uint32_t at = 0; (at = pv_pcie_next_ext_cap(&cfg, at, ids[i]));)
			if (at + (pv_cfg_read32(&cfg, at + PCI_VSEC_HEADER) >> 20) > PCI_CFG_BYTES)
				return false;
	return true;
}

int pv_vfio_device_take(struct pv_vfio_bus *b, struct pv_vfio_func *f)
{
	if (access(PV_LINUX_PATH(b->l, DRIVER), F_OK))
		return -ENOENT;
	if (!has_room(b, f->bdf))
		return -E2BIG;
	int err = strcmp(f->was, PV_VFIO_DRIVER) ? bind(b, f->bdf) : 0;
	f->vfio.bound = strcmp(f->was, PV_VFIO_DRIVER) != 0;
	if (!err)
		err = open_device(b, f);
	if (err && f->vfio.bound)
		pv_vfio_device_give_back(b, f);
	return err;
}

void pv_vfio_device_give_back(struct pv_vfio_bus *b, struct pv_vfio_func *f)
{
	pv_vfio_device_close(b, f);
	unbind(b, f->bdf);
	f->vfio.bound = false;
}

/* ---- MSI ---- */

static int msi_vectors(int device)
{
	struct vfio_irq_info info = {.argsz = sizeof(info), .index = VFIO_PCI_MSI_IRQ_INDEX};

	return ioctl(device, VFIO_DEVICE_GET_IRQ_INFO, &info) ? -errno : (int)info.count;
}

/* n 0: switches them off. */
static int set_events(int device, const int *event, unsigned n)
{
	struct {
		struct vfio_irq_set set;
		int32_t fd[PV_BUS_VECTORS];
	} irqs = {
		.set = {.argsz = sizeof(irqs.set) + n * sizeof(irqs.fd[0]),
			.flags = VFIO_IRQ_SET_ACTION_TRIGGER | (n ? VFIO_IRQ_SET_DATA_EVENTFD : VFIO_IRQ_SET_DATA_NONE),
			.index = VFIO_PCI_MSI_IRQ_INDEX,
			.count = n}};

	memcpy(irqs.set.data, event, n * sizeof(irqs.fd[0]));
	return ioctl(device, VFIO_DEVICE_SET_IRQS, &irqs) ? -errno : 0;
}

/* A device sends a power of two of messages (PCIe 5.0 7.7.1.2); of another number, an ITS keeps what is left over. */
static unsigned round_up(unsigned vectors)
{
	unsigned n = 1;

	while (n < vectors)
		n *= 2;
	return n;
}

int pv_vfio_device_irq_on(struct pv_vfio_func *f, unsigned vectors)
{
	int there = msi_vectors(f->vfio.device);
	unsigned n = round_up(vectors);

	if (there <= 0)
		return there ? there : -ENODEV;
	if ((unsigned)there < n || n > PV_BUS_VECTORS)
		return -ENOSPC;
	for (unsigned v = 0; v < n; v++) {
		f->vfio.event[v] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (f->vfio.event[v] < 0)
			return -errno;
	}
	return set_events(f->vfio.device, f->vfio.event, n);
}

void pv_vfio_device_irq_off(struct pv_vfio_func *f)
{
	set_events(f->vfio.device, f->vfio.event, 0);
	for (unsigned v = 0; v < PV_BUS_VECTORS; v++)
		close_one(&f->vfio.event[v]);
}
