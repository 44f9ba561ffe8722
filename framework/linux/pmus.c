/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PMUs in /sys/bus/event_source/devices: those under test, their order, and their devices. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/linux/internal.h"
#include "framework/util/cleanup.h"

#define EVENT_SOURCE "sys/bus/event_source/devices"

static bool is_ours(const char *name)
{
	static const char *const prefixes[] = {"hisi_ptt", "cxl_pmu_mem", "dwc_rootport_"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return strlen(name) < PV_LINUX_NAME_MAX;
	return false;
}

static void add(void *ctx, const char *name)
{
	struct pv_linux *l = ctx;
	struct pv_linux_pmu pmu;

	if (!is_ours(name) || pv_sysfs_read_number(PV_LINUX_PATH(l, EVENT_SOURCE "/%s/type", name), &pmu.type))
		return;
	if (l->n_pmus == l->pmus_room) {
		size_t room = l->pmus_room ? 2 * l->pmus_room : 64;
		struct pv_linux_pmu *more = reallocarray(l->pmu, room, sizeof(*more));

		if (!more)
			return;
		l->pmu = more;
		l->pmus_room = room;
	}
	snprintf(pmu.name, sizeof(pmu.name), "%s", name);
	l->pmu[l->n_pmus++] = pmu;
}

/* perf_pmu_register() assigns types in ascending order. */
static int by_type(const void *a, const void *b)
{
	const struct pv_linux_pmu *x = a, *y = b;

	return x->type < y->type ? -1 : x->type > y->type;
}

void pv_linux_find_pmus(struct pv_linux *l)
{
	l->n_pmus = 0;
	pv_sysfs_list(PV_LINUX_PATH(l, EVENT_SOURCE), add, l);
	if (l->n_pmus)
		qsort(l->pmu, l->n_pmus, sizeof(l->pmu[0]), by_type);
}

/* ---- parents ---- */

int pv_linux_function_of(const char *link, pv_bdf *bdf)
{
	_autofree_ char *real = realpath(link, NULL);
	int err = -ENODEV;

	for (const char *at = real ? strchr(real, '/') : NULL; at; at = strchr(at + 1, '/')) {
		pv_bdf found;
		size_t n = pv_bdf_scan(at + 1, &found);

		if (!n || (at[1 + n] && at[1 + n] != '/'))
			continue;
		*bdf = found;
		err = 0;
	}
	return err;
}

/* The parent of a DWC PMU is a platform device named after the Root Port: domain << 16 | BDF. */
static int named_root_port(const char *pmu, pv_bdf *bdf)
{
	return pv_bdf_of_dwc_pmu(pmu, bdf) ? -ENODEV : 0;
}

/* CXL PMUs have no parent before Linux 6.11: use that of the memory device with the same number. */
static int named_memdev(struct pv_linux *l, const char *pmu, pv_bdf *bdf)
{
	unsigned mem;

	if (sscanf(pmu, "cxl_pmu_mem%u.", &mem) != 1)
		return -ENODEV;
	return pv_linux_function_of(PV_LINUX_PATH(l, "sys/bus/cxl/devices/mem%u", mem), bdf);
}

int pv_linux_pmu_parent(struct pv_linux *l, const char *pmu, pv_bdf *bdf)
{
	int err = strchr(pmu, '/') ? -ENODEV : pv_linux_function_of(PV_LINUX_PATH(l, EVENT_SOURCE "/%s", pmu), bdf);

	if (err)
		err = named_root_port(pmu, bdf);
	return err ? named_memdev(l, pmu, bdf) : 0;
}
