/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking a function from the kernel's driver, and giving it back. */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "drivers/core/pcie.h"
#include "framework/util/cleanup.h"
#include "framework/vfio/bus_internal.h"

#define LEAVES_MS 50 /* within which pciehp has seen the reset */
#define BACK_MS	  5000

#define PORT_PMU "dwc_pcie_pmu" /* the kernel's driver of RAS D.E.S. counters, of platform devices of this name */

/* ---- rights ---- */

static const struct {
	unsigned bit;
	const char *name, *what;
} rights[] = {
	{CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "configuration space, physical addresses"},
	{CAP_SYS_RAWIO, "CAP_SYS_RAWIO", "VFIO without an IOMMU"},
	{CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE", "files of root in /sys"},
	{CAP_IPC_LOCK, "CAP_IPC_LOCK", "memory for DMA"},
};

static uint64_t rights_of_process(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	syscall(SYS_capget, &head, data);
	return data[0].effective | (uint64_t)data[1].effective << 32;
}

/* Below another root there are files, for which there are no such rights. */
int pv_vfio_bus_check_rights(struct pv_vfio_bus *b, struct pv_error *e)
{
	uint64_t has = rights_of_process();

	for (size_t i = 0; pv_linux_notes(b->l) && !*pv_linux_root(b->l) && i < sizeof(rights) / sizeof(rights[0]); i++)
		if (!(has >> rights[i].bit & 1))
			return pv_error(e, -EPERM,
					"taking functions from the kernel's drivers: expected the right %s (%s), got a "
					"process without it; let root do it",
					rights[i].name, rights[i].what);
	return 0;
}

/* ---- words ---- */

static const char *why_not(int err)
{
	switch (err) {
	case -ENOENT:
		return "the kernel has no vfio-pci; is its module loaded?";
	case -EBUSY:
		return "a function that the IOMMU cannot tell from it has a driver of the kernel";
	case -E2BIG:
		return "a capability says it is longer than configuration space, and vfio-pci would write beyond its "
		       "memory";
	default:
		return pv_errno_name(err);
	}
}

/* Reports once for each function how the driver accesses it, which decides what can be tested. */
static void note_way(const struct pv_vfio_func *f, int err)
{
	const struct pv_bdf_text name = pv_bdf_name(f->bdf);

	if (err)
		fprintf(stderr, "pcieval-far: %s: not through VFIO (%s): interrupts are polled, and no DMA\n", name.s,
			why_not(err));
	else if (f->vfio.group->iommu)
		fprintf(stderr, "pcieval-far: %s: VFIO with an IOMMU: MSI, and DMA to what is mapped, one to one\n",
			name.s);
	else
		fprintf(stderr,
			"pcieval-far: %s: VFIO without an IOMMU: MSI, and DMA to physical addresses; the kernel is "
			"tainted\n",
			name.s);
}

static int complain(const char *device, const char *driver, int err)
{
	fprintf(stderr, "pcieval-far: %s: taking it from %s: %s\n", device, driver, pv_errno_name(err));
	return err;
}

/* ---- drivers of devices ---- */

void pv_vfio_bound_driver(struct pv_linux *l, const char *bus, const char *device, char name[PV_LINUX_NAME_MAX])
{
	_autofree_ char *real = realpath(PV_LINUX_PATH(l, "sys/bus/%s/devices/%s/driver", bus, device), NULL);

	snprintf(name, PV_LINUX_NAME_MAX, "%s", real ? strrchr(real, '/') + 1 : "");
}

int pv_vfio_unbind(struct pv_linux *l, const char *bus, const char *device, const char *driver)
{
	return pv_sysfs_write(PV_LINUX_PATH(l, "sys/bus/%s/drivers/%s/unbind", bus, driver), device);
}

int pv_vfio_note_file(struct pv_linux *l, const char *path)
{
	char was[512];

	if (!pv_linux_notes(l))
		return 0;
	int n = pv_sysfs_read(PV_LINUX_PATH(l, "%s", path), was, sizeof(was));
	return n < 0 ? n : pv_linux_note(l, &(struct pv_undo_record){.kind = PV_UNDO_FILE, .path = path, .text = was});
}

/* ---- taking ---- */

static int unbind(struct pv_vfio_bus *b, const char *bus, const char *device, const char *driver)
{
	const struct pv_undo_record r = {
		.kind = PV_UNDO_BIND, .bus = bus, .device = device, .driver = *driver ? driver : PV_UNDO_NOBODY};
	int err = pv_linux_note(b->l, &r);

	if (!err && *driver && strcmp(driver, PV_VFIO_DRIVER))
		err = pv_vfio_unbind(b->l, bus, device, driver);
	return err ? complain(device, driver, err) : 0;
}

/*
 * Memory decoding, Bus Master and error reporting change with the driver. Noted before the binding, they are put back
 * after it.
 */
static int note_controls(struct pv_vfio_bus *b, pv_bdf bdf)
{
	const struct pv_cfg cfg = {.ctx = b, .bdf = bdf, .read = b->bus.cfg_read};
	uint32_t express = pv_pcie_find_cap(&cfg, PCI_CAP_ID_EXP);
	int err = pv_linux_note_reg(b->l, bdf, -1, PCI_COMMAND, 2);

	return err || !express ? err : pv_linux_note_reg(b->l, bdf, -1, express + PCI_EXP_DEVCTL, 2);
}

/* A function bound to a kernel driver was not taken by the killed driver: -EBUSY, nothing to put at rest. */
static int take_again(struct pv_vfio_bus *b, struct pv_vfio_func *f)
{
	bool vfio = !strcmp(f->was, PV_VFIO_DRIVER);

	if (*f->was && !vfio)
		return -EBUSY;
	f->taken = true;
	return vfio ? pv_vfio_device_take(b, f) : 0;
}

int pv_vfio_bus_take(struct pv_vfio_bus *b, struct pv_vfio_func *f)
{
	const struct pv_bdf_text name = pv_bdf_name(f->bdf);

	if (f->taken)
		return 0;
	pv_vfio_bound_driver(b->l, "pci", name.s, f->was);
	if (b->settling)
		return take_again(b, f);
	int err = note_controls(b, f->bdf);
	if (!err)
		err = unbind(b, "pci", name.s, f->was);
	f->taken = !err;
	if (!err)
		note_way(f, pv_vfio_device_take(b, f));
	return err;
}

/* Of a Root Port, dwc_pcie_pmu has only the counters, in a platform device with the number of the function. */
int pv_vfio_bus_take_ports(struct pv_vfio_bus *b, struct pv_error *e)
{
	char device[64], driver[PV_LINUX_NAME_MAX];
	int err = 0;

	for (size_t i = 0; pv_linux_notes(b->l) && !b->settling && !err && i < b->n; i++) {
		snprintf(device, sizeof(device), PORT_PMU ".%u", (unsigned)b->func[i].bdf);
		pv_vfio_bound_driver(b->l, "platform", device, driver);
		if (*driver)
			err = unbind(b, "platform", device, driver);
	}
	return err ? pv_error(e, err, "taking a Root Port's counters from " PORT_PMU ": %s", pv_errno_name(err)) : 0;
}

/* The owner of the undo journal restores journalled changes. */
void pv_vfio_bus_give_back(struct pv_vfio_bus *b, struct pv_vfio_func *f)
{
	if (pv_linux_notes(b->l)) {
		pv_vfio_device_close(b, f);
		return;
	}
	if (f->vfio.bound)
		pv_vfio_device_give_back(b, f);
	if (f->taken && *f->was)
		pv_sysfs_write(PV_LINUX_PATH(b->l, "sys/bus/pci/drivers/%s/bind", f->was), pv_bdf_name(f->bdf).s);
	f->taken = false;
}

/* ---- slots ---- */

struct search {
	struct pv_linux *l;
	struct pv_bdf_text function;
	bool found;
};

/* A slot's address is that of its functions without their number. */
static void look_at_slot(void *ctx, const char *slot)
{
	struct search *s = ctx;
	char address[PV_LINUX_NAME_MAX];
	int n = pv_sysfs_read(PV_LINUX_PATH(s->l, "sys/bus/pci/slots/%s/address", slot), address, sizeof(address));

	s->found |= n > 0 && !strncmp(address, s->function.s, (size_t)n);
}

static bool is_in_slot(struct pv_vfio_bus *b, pv_bdf bdf)
{
	struct search s = {b->l, pv_bdf_name(bdf), false};

	pv_sysfs_list(PV_LINUX_PATH(b->l, "sys/bus/pci/slots"), look_at_slot, &s);
	return s.found;
}

/* Until the function is there, or is not. */
static bool is_there_within(struct pv_vfio_bus *b, pv_bdf bdf, bool there, unsigned ms)
{
	const struct timespec tick = {.tv_nsec = 1000000};
	const struct pv_linux_path path = pv_linux_path(b->l, "sys/bus/pci/devices/%s", pv_bdf_name(bdf).s);

	for (; access(path.s, F_OK) == (there ? -1 : 0); ms--) {
		if (!ms)
			return false;
		nanosleep(&tick, NULL);
	}
	return true;
}

void pv_vfio_bus_await(struct pv_vfio_bus *b, const struct pv_vfio_func *f)
{
	if (!pv_linux_notes(b->l) || !f->taken || !is_in_slot(b, f->bdf) ||
	    !is_there_within(b, f->bdf, false, LEAVES_MS))
		return;
	if (!is_there_within(b, f->bdf, true, BACK_MS))
		fprintf(stderr,
			"pcieval-far: %s: it left its slot when it was given back, and has not come back within %d s\n",
			pv_bdf_name(f->bdf).s, BACK_MS / 1000);
}
