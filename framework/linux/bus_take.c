/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking a function from the kernel's driver, and giving it back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/linux/bus_inside.h"
#include "framework/util/cleanup.h"

/* The driver that is bound; "": none. */
static void bound_driver(struct pv_linux_bus *b, pv_bdf bdf, char *name, size_t size)
{
	_autofree_ char *real =
		realpath(PV_LINUX_PATH(b->l, "sys/bus/pci/devices/%s/driver", pv_pci_name(bdf).s), NULL);

	snprintf(name, size, "%s", real ? strrchr(real, '/') + 1 : "");
}

/* What the function is used through is said once for each: it decides what can be tested. */
static void note_way(pv_bdf bdf, int err)
{
	if (!err)
		fprintf(stderr, "pcieval-far: %s: VFIO without an IOMMU: MSI, and DMA to physical addresses\n",
			pv_pci_name(bdf).s);
	else
		fprintf(stderr, "pcieval-far: %s: not through VFIO (%s): interrupts are polled, and no DMA\n",
			pv_pci_name(bdf).s, pv_errno_name(err));
}

int pv_linux_bus_take(struct pv_linux_bus *b, struct pv_linux_func *f)
{
	const struct pv_pci_name name = pv_pci_name(f->bdf);
	int err = 0;

	if (f->taken)
		return 0;
	bound_driver(b, f->bdf, f->was, sizeof(f->was));
	if (*f->was)
		err = pv_sysfs_write(PV_LINUX_PATH(b->l, "sys/bus/pci/drivers/%s/unbind", f->was), name.s);
	f->taken = !err;
	if (!err)
		note_way(f->bdf, pv_linux_vfio_take(b, f));
	return err;
}

void pv_linux_bus_give_back(struct pv_linux_bus *b, struct pv_linux_func *f)
{
	if (f->vfio.bound)
		pv_linux_vfio_give_back(b, f);
	if (f->taken && *f->was)
		pv_sysfs_write(PV_LINUX_PATH(b->l, "sys/bus/pci/drivers/%s/bind", f->was), pv_pci_name(f->bdf).s);
	f->taken = false;
}
