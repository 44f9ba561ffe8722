/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding the functions of a machine, in the order of Linux: all slots of a bus, then what is below each of
 * its bridges. Bus numbers are the firmware's; a bridge whose numbers cannot be right is not followed.
 */
#include <stdlib.h>

#include "drivers/core/pcie.h"
#include "drivers/regs/pcie.h"
#include "drivers/user/sys_priv.h"

enum {
	BUS_LAST = 255,
	SLOTS = 32,
	FUNCTIONS = 8,
	VF_VENDOR_NONE = 0xffff,
};

typedef void (*found_fn)(struct pv_sys *sys, struct pv_func *func);

struct pv_func *pv_scan_func(const struct pv_sys *sys, pv_bdf bdf)
{
	struct pv_func *func;

	for (func = sys->funcs; func; func = func->next)
		if (func->bdf == bdf && !func->gone)
			return func;
	return NULL;
}

bool pv_func_is_below(const struct pv_func *func, const struct pv_func *bridge)
{
	for (func = func->parent; func; func = func->parent)
		if (func == bridge)
			return true;
	return false;
}

struct pv_cfg pv_func_cfg(const struct pv_func *func)
{
	return func->cfg;
}

bool pv_scan_present(const struct pv_func *func)
{
	/* A VF shows no vendor (PCIe 5.0 9.3.4.1.1): its header type tells whether it is there. */
	if (func->is_vf)
		return pv_cfg_read8(&func->cfg, PCI_HEADER_TYPE) != 0xff;
	return pv_pcie_present(&func->cfg);
}

static void link_func(struct pv_func **at, struct pv_func *func)
{
	func->next = *at;
	func->mps.next = *at ? &(*at)->mps : NULL;
	*at = func;
}

/* Depth first: behind everything below `parent`, at the root behind everything. */
static void insert(struct pv_sys *sys, struct pv_func *func)
{
	struct pv_func **at = &sys->funcs;
	struct pv_func *prev = NULL;

	if (func->parent)
		while (*at && *at != func->parent) {
			prev = *at;
			at = &prev->next;
		}
	while (*at && (!func->parent || *at == func->parent || pv_func_is_below(*at, func->parent))) {
		prev = *at;
		at = &prev->next;
	}
	link_func(at, func);
	if (prev)
		prev->mps.next = &func->mps;
}

void pv_scan_forget(struct pv_sys *sys, struct pv_func *func)
{
	struct pv_func **at = &sys->funcs;
	struct pv_func *prev = NULL;

	while (*at && *at != func) {
		prev = *at;
		at = &prev->next;
	}
	if (!*at)
		return;
	*at = func->next;
	if (prev)
		prev->mps.next = func->mps.next;
	free(func);
}

static void read_bridge(struct pv_func *func)
{
	func->is_bridge = (pv_cfg_read8(&func->cfg, PCI_HEADER_TYPE) & PCI_HEADER_TYPE_MASK) == PCI_HEADER_TYPE_BRIDGE;
	if (!func->is_bridge)
		return;
	func->secondary = pv_cfg_read8(&func->cfg, PCI_SECONDARY_BUS);
	func->subordinate = pv_cfg_read8(&func->cfg, PCI_SUBORDINATE_BUS);
}

static void read_func(struct pv_func *func, struct pv_func *parent)
{
	func->parent = parent;
	func->class = pv_cfg_read32(&func->cfg, PCI_REVISION) >> 8;
	func->pcie = (uint8_t)pv_pcie_find_cap(&func->cfg, PCI_CAP_ID_EXP);
	if (!func->is_vf)
		read_bridge(func);
	func->mps.cfg = func->cfg;
	func->mps.pcie = func->pcie;
	func->mps.vendor = func->vendor;
	func->mps.device = func->device;
	func->mps.is_vf = func->is_vf;
	func->mps.is_bridge = func->is_bridge;
	func->mps.bridge = parent ? &parent->mps : NULL;
	pv_mps_init(&func->sys->mps, &func->mps);
	func->type = func->mps.type;
}

static struct pv_func *new_func(struct pv_sys *sys, pv_bdf bdf)
{
	struct pv_func *func = calloc(1, sizeof(*func));

	if (!func)
		return NULL;
	func->sys = sys;
	func->bdf = bdf;
	func->cfg = (struct pv_cfg){sys->bus->ctx, bdf, sys->bus->cfg_read, sys->bus->cfg_write};
	return func;
}

/* The function at `bdf`, known already or new; NULL: nobody. */
static struct pv_func *scan_func(struct pv_sys *sys, pv_bdf bdf, struct pv_func *parent, found_fn found)
{
	struct pv_func *func = pv_scan_func(sys, bdf);

	if (func)
		return func;
	func = new_func(sys, bdf);
	if (!func)
		return NULL;
	if (!pv_pcie_present(&func->cfg)) {
		free(func);
		return NULL;
	}
	func->vendor = pv_cfg_read16(&func->cfg, PCI_VENDOR_ID);
	func->device = pv_cfg_read16(&func->cfg, PCI_DEVICE_ID);
	read_func(func, parent);
	insert(sys, func);
	found(sys, func);
	return func;
}

/* The VFs that firmware enabled (PCIe 5.0 9.2.1.2): they answer, but show no vendor of their own. */
static void scan_vfs(struct pv_sys *sys, struct pv_func *pf, found_fn found)
{
	uint32_t cap = pv_pcie_next_ext_cap(&pf->cfg, 0, PCI_EXT_CAP_ID_SRIOV);
	unsigned n, count, offset, stride;

	if (!cap || !(pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_CTRL) & PCI_SRIOV_CTRL_VFE))
		return;
	count = pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_NUM_VF);
	offset = pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_VF_OFFSET);
	stride = pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_VF_STRIDE);
	for (n = 0; n < count; n++) {
		unsigned rid = pf->bdf + offset + n * stride;
		struct pv_func *vf = pv_scan_func(sys, (uint16_t)rid);

		/* Other buses than the PF's are not given to VFs here. */
		if (!offset || PCI_BUS(rid) != PCI_BUS(pf->bdf) || rid > 0xffff)
			return;
		if (vf)
			continue;
		vf = new_func(sys, (uint16_t)rid);
		if (!vf)
			return;
		vf->is_vf = true;
		vf->pf = pf;
		if (!pv_scan_present(vf)) {
			free(vf);
			continue;
		}
		vf->vendor = pf->vendor;
		vf->device = pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_VF_DEVICE_ID);
		read_func(vf, pf->parent);
		insert(sys, vf);
		found(sys, vf);
	}
}

/* Returns true if the port can forward to functions above 7. The first version of its capability ends before these bits. */
static bool supports_ari(const struct pv_func *port)
{
	return (pv_cfg_read16(&port->cfg, port->pcie + PCI_EXP_FLAGS) & PCI_EXP_FLAGS_VERS) > 1 &&
	       pv_cfg_read32(&port->cfg, port->pcie + PCI_EXP_DEVCAP2) & PCI_EXP_DEVCAP2_ARI;
}

/*
 * Makes the port forward requests to functions above 7 if port and device both know ARI (PCIe 5.0 6.13 and 7.8.7), and
 * switches off what firmware may have left on: a device of the old kind would answer as 32 devices.
 * Returns the offset of the device's ARI capability, 0: functions are numbered in the old way.
 */
static uint32_t enable_ari(const struct pv_func *port, const struct pv_func *first)
{
	uint32_t cap = pv_pcie_next_ext_cap(&first->cfg, 0, PCI_EXT_CAP_ID_ARI), at = port->pcie + PCI_EXP_DEVCTL2;
	uint16_t ctl, wanted;

	if (!supports_ari(port))
		return 0;
	ctl = pv_cfg_read16(&port->cfg, at);
	wanted = (uint16_t)((ctl & ~PCI_EXP_DEVCTL2_ARI) | (cap ? PCI_EXP_DEVCTL2_ARI : 0));
	if (wanted != ctl)
		pv_cfg_write16(&port->cfg, at, wanted);
	return cap;
}

static struct pv_func *scan_func_and_vfs(struct pv_sys *sys, pv_bdf bdf, struct pv_func *parent, found_fn found)
{
	struct pv_func *func = scan_func(sys, bdf, parent, found);

	if (func && !func->is_vf)
		scan_vfs(sys, func, found);
	return func;
}

/* Scans the functions of an ARI device. Each names the next one; a list that does not ascend ends there. */
static void scan_ari(struct pv_sys *sys, struct pv_func *func, uint32_t cap, found_fn found)
{
	struct pv_func *parent = func->parent;
	unsigned number = 0, next;

	while (func && cap) {
		next = PCI_ARI_CAP_NFN(pv_cfg_read16(&func->cfg, cap + PCI_ARI_CAP));
		if (next <= number)
			return;
		number = next;
		func = scan_func_and_vfs(sys, (uint16_t)(PCI_BUS(func->bdf) << 8 | number), parent, found);
		cap = func ? pv_pcie_next_ext_cap(&func->cfg, 0, PCI_EXT_CAP_ID_ARI) : 0;
	}
}

static void scan_slot(struct pv_sys *sys, unsigned bus, unsigned slot, struct pv_func *parent, found_fn found)
{
	struct pv_func *func = scan_func_and_vfs(sys, PCI_BDF(bus, slot, 0), parent, found);
	uint32_t ari;
	unsigned fn;

	if (!func)
		return;
	ari = parent && pv_mps_heads_link(&parent->mps) ? enable_ari(parent, func) : 0;
	if (ari) {
		scan_ari(sys, func, ari, found);
		return;
	}
	if (!(pv_cfg_read8(&func->cfg, PCI_HEADER_TYPE) & PCI_HEADER_MULTI_FUNCTION))
		return;
	for (fn = 1; fn < FUNCTIONS; fn++)
		scan_func_and_vfs(sys, PCI_BDF(bus, slot, fn), parent, found);
}

/* Bus numbers of a tree grow downwards and stay inside the bridge above: so no bus is scanned twice. */
static bool bus_is_sane(struct pv_sys *sys, const struct pv_func *bridge, unsigned bus, unsigned limit)
{
	const struct pv_func *other;

	if (bridge->secondary <= bus || bridge->secondary > limit || bridge->subordinate < bridge->secondary)
		goto bad;
	for (other = sys->funcs; other; other = other->next)
		if (other != bridge && other->is_bridge && !other->gone && other->secondary == bridge->secondary &&
		    PCI_BUS(other->bdf) == bus && other->bdf < bridge->bdf)
			goto bad;
	return true;
bad:
	pv_sys_log(sys, 4, "%02x:%02x.%x: bus numbers %u-%u cannot be right below bus %u, nothing is looked for there",
		   PCI_BUS(bridge->bdf), PCI_SLOT(bridge->bdf), PCI_FUNC(bridge->bdf), bridge->secondary,
		   bridge->subordinate, bus);
	return false;
}

static void scan_bus(struct pv_sys *sys, unsigned bus, unsigned limit, struct pv_func *parent, found_fn found)
{
	/* A link has one device (PCIe 5.0 7.3.1): behind a port only device 0 is asked. */
	unsigned slot, slots = parent && pv_mps_heads_link(&parent->mps) ? 1 : SLOTS;
	struct pv_func *func;

	for (slot = 0; slot < slots; slot++)
		scan_slot(sys, bus, slot, parent, found);

	for (func = sys->funcs; func; func = func->next) {
		unsigned last = func->subordinate < limit ? func->subordinate : limit;

		if (func->gone || !func->is_bridge || PCI_BUS(func->bdf) != bus || func->parent != parent)
			continue;
		if (func->secondary && bus_is_sane(sys, func, bus, limit))
			scan_bus(sys, func->secondary, last, func, found);
	}
}

void pv_scan_below(struct pv_sys *sys, struct pv_func *port, void (*found)(struct pv_sys *sys, struct pv_func *func))
{
	unsigned limit = port->parent ? port->parent->subordinate : BUS_LAST;

	if (!bus_is_sane(sys, port, PCI_BUS(port->bdf), limit))
		return;
	scan_bus(sys, port->secondary, port->subordinate < limit ? port->subordinate : limit, port, found);
}

static bool bus_is_claimed(const struct pv_sys *sys, unsigned bus)
{
	const struct pv_func *func;

	for (func = sys->funcs; func; func = func->next)
		if (!func->gone && func->is_bridge && func->secondary && func->secondary <= bus &&
		    bus <= func->subordinate)
			return true;
	return false;
}

void pv_scan(struct pv_sys *sys, void (*found)(struct pv_sys *sys, struct pv_func *func))
{
	unsigned bus;

	/* Every bus that no bridge leads to is a root bus: machines with several Root Complexes have several. */
	for (bus = 0; bus <= BUS_LAST; bus++)
		if (!bus_is_claimed(sys, bus))
			scan_bus(sys, bus, BUS_LAST, NULL, found);
}
