/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IOMMU groups as VFIO has them: what an IOMMU cannot keep apart, opened once for all functions that are used. A
 * function without an IOMMU has a group to itself, "noiommu-N".
 *
 * Behind an IOMMU, DMA reaches nothing but memory that was mapped here, one to one: at the bus address that is its
 * physical one. For a PTT nothing else will do, whose DMA works with direct mappings only (Linux:
 * arm_smmu_def_domain_type()).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/vfio/bus_internal.h"

#define NOIOMMU "noiommu-"

void pv_linux_group_put(struct pv_linux_bus *b, struct pv_linux_group *g)
{
	struct pv_linux_group **at = &b->groups;

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

static int open_files(struct pv_linux_bus *b, struct pv_linux_group *g)
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

static int open_new(struct pv_linux_bus *b, const char *number, struct pv_linux_group **out)
{
	struct pv_linux_group *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	*g = (struct pv_linux_group){.next = b->groups, .fd = -1, .container = -1, .users = 1};
	snprintf(g->number, sizeof(g->number), "%s", number);
	b->groups = g;
	int err = open_files(b, g);
	if (err)
		pv_linux_group_put(b, g);
	else
		*out = g;
	return err;
}

int pv_linux_group_get(struct pv_linux_bus *b, pv_bdf bdf, struct pv_linux_group **out)
{
	_autofree_ char *real =
		realpath(PV_LINUX_PATH(b->l, "sys/bus/pci/devices/%s/iommu_group", pv_bdf_name(bdf).s), NULL);
	const char *number = real ? strrchr(real, '/') + 1 : NULL;

	if (!number)
		return -EPERM;
	for (struct pv_linux_group *g = b->groups; g; g = g->next)
		if (!strcmp(g->number, number)) {
			g->users++;
			*out = g;
			return 0;
		}
	return open_new(b, number, out);
}

bool pv_linux_group_map(const struct pv_linux_group *g, void *at, size_t bytes, uint64_t physical)
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

void pv_linux_group_unmap(const struct pv_linux_group *g, size_t bytes, uint64_t physical)
{
	struct vfio_iommu_type1_dma_unmap unmap = {.argsz = sizeof(unmap), .iova = physical, .size = bytes};

	if (g->iommu)
		ioctl(g->container, VFIO_IOMMU_UNMAP_DMA, &unmap);
}
