/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the functions of a machine in the order of Linux: all slots of a bus, then the buses below each of its bridges.
 * Firmware has assigned bus numbers; a bridge with impossible numbers is not followed. A bus is named by the BDF of its
 * first function, which includes the domain.
 */
#include <stdlib.h>

#include "drivers/core/pcie.h"
#include "drivers/regs/pcie.h"
#include "drivers/user/sys.h"
#include "drivers/user/sys_internal.h"

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
	/* A VF shows no vendor (PCIe 5.0 9.3.4.1.1): its header type shows whether it exists. */
	if (func->is_vf)
		return pv_cfg_read8(&func->cfg, PCI_HEADER_TYPE) != 0xff;
	return pv_pcie_present(&func->cfg);
}

pv_bdf pv_scan_bus_below(const struct pv_func *bridge)
{
	return PCI_IN_DOMAIN(PCI_DOMAIN(bridge->bdf), PCI_BDF(bridge->secondary, 0, 0));
}

/* Functions of one bus. */
static bool on_bus(const struct pv_func *func, pv_bdf bus)
{
	return func->bdf >> 8 == bus >> 8;
}

/* Returns the host bridge of a root bus. NULL: no memory. */
static struct pv_mps_host *host_of(struct pv_sys *sys, pv_bdf bus)
{
	struct pv_host *host;

	for (host = sys->hosts; host; host = host->next)
		if (host->bus == bus)
			return &host->mps;
	host = calloc(1, sizeof(*host));
	if (!host)
		return NULL;
	host->bus = bus;
	host->next = sys->hosts;
	sys->hosts = host;
	return &host->mps;
}

static void link_func(struct pv_func **at, struct pv_func *func)
{
	func->next = *at;
	func->mps.next = *at ? &(*at)->mps : NULL;
	*at = func;
}

/* Depth first: after everything below `parent`, or at the end for the root. */
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

void pv_scan_free_hosts(struct pv_sys *sys)
{
	struct pv_host *host, *next;

	for (host = sys->hosts; host; host = next) {
		next = host->next;
		free(host);
	}
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
	pv_mps_init(&func->mps);
	func->type = func->mps.type;
}

static struct pv_cfg cfg_of(const struct pv_sys *sys, pv_bdf bdf)
{
	return (struct pv_cfg){sys->bus->ctx, bdf, sys->bus->cfg_read, sys->bus->cfg_write};
}

static struct pv_func *new_func(struct pv_sys *sys, pv_bdf bdf, struct pv_func *parent)
{
	struct pv_mps_host *host = parent ? parent->mps.host : host_of(sys, PCI_FIRST_ON_BUS(bdf));
	struct pv_func *func = host ? calloc(1, sizeof(*func)) : NULL;

	if (!func)
		return NULL;
	func->sys = sys;
	func->mps.host = host;
	func->bdf = bdf;
	func->cfg = cfg_of(sys, bdf);
	return func;
}

/* Returns the function at `bdf`, already known or new; NULL: none. */
static struct pv_func *scan_func(struct pv_sys *sys, pv_bdf bdf, struct pv_func *parent, found_fn found)
{
	struct pv_func *func = pv_scan_func(sys, bdf);
	struct pv_cfg cfg = cfg_of(sys, bdf);

	if (func || !pv_pcie_present(&cfg))
		return func;
	func = new_func(sys, bdf, parent);
	if (!func)
		return NULL;
	func->vendor = pv_cfg_read16(&func->cfg, PCI_VENDOR_ID);
	func->device = pv_cfg_read16(&func->cfg, PCI_DEVICE_ID);
	read_func(func, parent);
	insert(sys, func);
	found(sys, func);
	return func;
}

/* VFs that are enabled (PCIe 5.0 9.2.1.2), by firmware or by this driver: they answer, but show no vendor of their own.
 */
void pv_scan_vfs(struct pv_sys *sys, struct pv_func *pf, found_fn found)
{
	uint32_t cap = pv_pcie_next_ext_cap(&pf->cfg, 0, PCI_EXT_CAP_ID_SRIOV);
	unsigned n, count, offset, stride;

	if (!cap || !(pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_CTRL) & PCI_SRIOV_CTRL_VFE))
		return;
	count = pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_NUM_VF);
	offset = pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_VF_OFFSET);
	stride = pv_cfg_read16(&pf->cfg, cap + PCI_SRIOV_VF_STRIDE);
	for (n = 0; n < count; n++) {
		pv_bdf bdf = pf->bdf + offset + n * stride;
		struct pv_func *vf = pv_scan_func(sys, bdf);

		/* This driver gives VFs no other bus than the PF's. */
		if (!offset || !on_bus(pf, bdf))
			return;
		if (vf)
			continue;
		vf = new_func(sys, bdf, pf->parent);
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

/*
 * Returns true if the port can forward to functions above 7. The first version of its capability ends before these
 * bits.
 */
static bool supports_ari(const struct pv_func *port)
{
	return (pv_cfg_read16(&port->cfg, port->pcie + PCI_EXP_FLAGS) & PCI_EXP_FLAGS_VERS) > 1 &&
	       pv_cfg_read32(&port->cfg, port->pcie + PCI_EXP_DEVCAP2) & PCI_EXP_DEVCAP2_ARI;
}

/*
 * Makes the port forward requests to functions above 7 if port and device both know ARI (PCIe 5.0 6.13 and 7.8.7), and
 * clears what firmware may have left set: a device without ARI would answer as 32 devices. Returns the offset of the
 * device's ARI capability; 0: functions are numbered without ARI.
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
		pv_scan_vfs(sys, func, found);
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
		func = scan_func_and_vfs(sys, PCI_FIRST_ON_BUS(func->bdf) | number, parent, found);
		cap = func ? pv_pcie_next_ext_cap(&func->cfg, 0, PCI_EXT_CAP_ID_ARI) : 0;
	}
}

static void scan_slot(struct pv_sys *sys, pv_bdf first, struct pv_func *parent, found_fn found)
{
	struct pv_func *func = scan_func_and_vfs(sys, first, parent, found);
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
		scan_func_and_vfs(sys, first + fn, parent, found);
}

/* Bus numbers of a tree grow downwards and stay inside the bridge above: so no bus is scanned twice. */
static bool bus_is_sane(struct pv_sys *sys, const struct pv_func *bridge, unsigned limit)
{
	unsigned bus = PCI_BUS(bridge->bdf);
	const struct pv_func *other;

	if (bridge->secondary <= bus || bridge->secondary > limit || bridge->subordinate < bridge->secondary)
		goto bad;
	for (other = sys->funcs; other; other = other->next)
		if (other != bridge && other->is_bridge && !other->gone && other->secondary == bridge->secondary &&
		    on_bus(other, bridge->bdf) && other->bdf < bridge->bdf)
			goto bad;
	return true;
bad:
	pv_sys_log(sys, 4, PCI_BDF_FMT ": bus numbers %u-%u cannot be right below bus %u, nothing is looked for there",
		   PCI_BDF_ARGS(bridge->bdf), bridge->secondary, bridge->subordinate, bus);
	return false;
}

static void scan_bus(struct pv_sys *sys, pv_bdf bus, unsigned limit, struct pv_func *parent, found_fn found)
{
	/* A link has one device (PCIe 5.0 7.3.1): behind a port only device 0 is asked. */
	unsigned slot, slots = parent && pv_mps_heads_link(&parent->mps) ? 1 : SLOTS;
	struct pv_func *func;

	for (slot = 0; slot < slots; slot++)
		scan_slot(sys, bus | slot << 3, parent, found);

	for (func = sys->funcs; func; func = func->next) {
		unsigned last = func->subordinate < limit ? func->subordinate : limit;

		if (func->gone || !func->is_bridge || !on_bus(func, bus) || func->parent != parent)
			continue;
		if (func->secondary && bus_is_sane(sys, func, limit))
			scan_bus(sys, pv_scan_bus_below(func), last, func, found);
	}
}

void pv_scan_below(struct pv_sys *sys, struct pv_func *port, void (*found)(struct pv_sys *sys, struct pv_func *func))
{
	unsigned limit = port->parent ? port->parent->subordinate : BUS_LAST;

	if (!bus_is_sane(sys, port, limit))
		return;
	scan_bus(sys, pv_scan_bus_below(port), port->subordinate < limit ? port->subordinate : limit, port, found);
}

static bool bus_is_claimed(const struct pv_sys *sys, pv_bdf bus)
{
	const struct pv_func *func;

	for (func = sys->funcs; func; func = func->next)
		if (!func->gone && func->is_bridge && func->secondary && PCI_DOMAIN(func->bdf) == PCI_DOMAIN(bus) &&
		    func->secondary <= PCI_BUS(bus) && PCI_BUS(bus) <= func->subordinate)
			return true;
	return false;
}

/* A bus that no bridge leads to is a root bus: machines with several Root Complexes have several. */
static void scan_root_bus(struct pv_sys *sys, pv_bdf bus, found_fn found)
{
	if (!bus_is_claimed(sys, bus))
		scan_bus(sys, bus, BUS_LAST, NULL, found);
}

void pv_scan(struct pv_sys *sys, void (*found)(struct pv_sys *sys, struct pv_func *func))
{
	unsigned number;
	size_t i;

	for (i = 0; i < sys->bus->n_buses; i++)
		scan_root_bus(sys, sys->bus->buses[i], found);
	for (number = 0; !i && number <= BUS_LAST; number++)
		scan_root_bus(sys, PCI_BDF(number, 0, 0), found);
}
