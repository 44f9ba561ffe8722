/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The MPS and MRRS policies (docs/hardware-notes.md section 4, errata 6, 19, 27 and 28).
 */
#include "drivers/core/mps.h"

#include "drivers/core/pcie.h"
#include "drivers/regs/pcie.h"

enum { SIZE_MIN = 128 };

/* Returns the field n of a size of 128 << n bytes; -EINVAL: no such field. */
static int size_field(int bytes)
{
	int n;

	for (n = 0; n <= PCI_EXP_SIZE_FIELD_MAX; n++)
		if (bytes == SIZE_MIN << n)
			return n;
	return -PV_EINVAL;
}

static uint16_t devctl(const struct pv_mps_func *func)
{
	return func->pcie ? pv_cfg_read16(&func->cfg, func->pcie + PCI_EXP_DEVCTL) : 0;
}

static void devctl_set(const struct pv_mps_func *func, uint16_t mask, uint16_t value)
{
	if (func->pcie)
		pv_cfg_write16(&func->cfg, func->pcie + PCI_EXP_DEVCTL, (uint16_t)((devctl(func) & ~mask) | value));
}

static int mpss_bytes(const struct pv_mps_func *func)
{
	return SIZE_MIN << func->mpss;
}

static bool is_root_port(const struct pv_mps_func *func)
{
	return func->pcie && func->type == PCI_EXP_TYPE_ROOT_PORT;
}

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

/* ---- what a function is ---- */

enum quirk { QUIRK_MPSS_256 = 1, QUIRK_HOTPLUG = 2, QUIRK_NO_INC_MRRS = 4 };

/* Linux 6.12, drivers/pci/quirks.c and controller/pci-loongson.c. */
static const struct {
	uint16_t vendor, device;
	enum quirk quirk;
} quirks[] = {
	{0x1924, 0x0703, QUIRK_MPSS_256},    {0x1924, 0x6703, QUIRK_MPSS_256},	  {0x1924, 0x0710, QUIRK_MPSS_256},
	{0x1b21, 0x0612, QUIRK_MPSS_256},    {0x3388, 0x0020, QUIRK_HOTPLUG},	  {0x0014, 0x1a05, QUIRK_NO_INC_MRRS},
	{0x0014, 0x7a09, QUIRK_NO_INC_MRRS}, {0x0014, 0x7a19, QUIRK_NO_INC_MRRS}, {0x0014, 0x7a29, QUIRK_NO_INC_MRRS},
	{0x0014, 0x7a39, QUIRK_NO_INC_MRRS}, {0x0014, 0x7a49, QUIRK_NO_INC_MRRS}, {0x0014, 0x7a59, QUIRK_NO_INC_MRRS},
	{0x0014, 0x7a69, QUIRK_NO_INC_MRRS},
};

static bool has_quirk(const struct pv_mps_func *func, enum quirk quirk)
{
	unsigned i;

	for (i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++)
		if (quirks[i].quirk == quirk && quirks[i].vendor == func->vendor && quirks[i].device == func->device)
			return true;
	return false;
}

bool pv_mps_heads_link(const struct pv_mps_func *func)
{
	return func->pcie && (func->type == PCI_EXP_TYPE_ROOT_PORT || func->type == PCI_EXP_TYPE_DOWNSTREAM ||
			      func->type == PCI_EXP_TYPE_PCIE_BRIDGE);
}

/*
 * The port type as Linux keeps it. A switch port of the same direction as its bridge is taken for the other
 * direction, but the correction leaves type 0 (6.12, set_pcie_port_type()): such a port heads no link.
 */
static uint8_t port_type(const struct pv_mps_func *func, uint16_t flags)
{
	const struct pv_mps_func *up = func->bridge;
	uint8_t type = (flags & PCI_EXP_FLAGS_TYPE) >> PCI_EXP_FLAGS_TYPE_SHIFT;

	if (type == PCI_EXP_TYPE_DOWNSTREAM && up && pv_mps_heads_link(up))
		return PCI_EXP_TYPE_ENDPOINT;
	if (type == PCI_EXP_TYPE_UPSTREAM && up && up->pcie && up->type == PCI_EXP_TYPE_UPSTREAM)
		return PCI_EXP_TYPE_ENDPOINT;
	return type;
}

/* Slot registers mean something only in a port that says it has a slot (PCIe 5.0 7.5.3.2). */
static bool has_hotplug_slot(const struct pv_mps_func *func, uint16_t flags)
{
	return func->is_bridge && pv_mps_heads_link(func) && flags & PCI_EXP_FLAGS_SLOT &&
	       pv_cfg_read32(&func->cfg, func->pcie + PCI_EXP_SLTCAP) & PCI_EXP_SLTCAP_HPC;
}

void pv_mps_init(struct pv_mps_func *func)
{
	uint16_t flags;

	func->type = 0;
	func->mpss = 0;
	func->hotplug = func->slot = false;
	if (has_quirk(func, QUIRK_NO_INC_MRRS))
		func->host->no_inc_mrrs = true;
	if (!func->pcie)
		return;

	flags = pv_cfg_read16(&func->cfg, func->pcie + PCI_EXP_FLAGS);
	func->type = port_type(func, flags);
	/* 6 and 7 are reserved. Linux uses them unchanged, as a size that no write can ask for. */
	func->mpss = pv_cfg_read32(&func->cfg, func->pcie + PCI_EXP_DEVCAP) & PCI_EXP_DEVCAP_MPSS;
	if (has_quirk(func, QUIRK_MPSS_256))
		func->mpss = 1;
	func->slot = has_hotplug_slot(func, flags);
	func->hotplug = func->slot || has_quirk(func, QUIRK_HOTPLUG);
}

/* ---- the interfaces ---- */

int pv_mps_get(const struct pv_mps_func *func)
{
	return SIZE_MIN << ((devctl(func) & PCI_EXP_DEVCTL_MPS) >> PCI_EXP_DEVCTL_MPS_SHIFT);
}

int pv_mrrs_get(const struct pv_mps_func *func)
{
	return SIZE_MIN << ((devctl(func) & PCI_EXP_DEVCTL_MRRS) >> PCI_EXP_DEVCTL_MRRS_SHIFT);
}

int pv_mps_set(const struct pv_mps_func *func, int bytes)
{
	int n = size_field(bytes);

	if (n < 0 || n > func->mpss)
		return -PV_EINVAL;
	devctl_set(func, PCI_EXP_DEVCTL_MPS, (uint16_t)(n << PCI_EXP_DEVCTL_MPS_SHIFT));
	return 0;
}

int pv_mrrs_set(const struct pv_mps *mps, const struct pv_mps_func *func, int bytes)
{
	if (size_field(bytes) < 0)
		return -PV_EINVAL;
	if (mps->policy == PV_MPS_PERFORMANCE)
		bytes = min_int(bytes, pv_mps_get(func));
	if (func->host->no_inc_mrrs && bytes > pv_mrrs_get(func))
		return -PV_EINVAL;
	devctl_set(func, PCI_EXP_DEVCTL_MRRS, (uint16_t)(size_field(bytes) << PCI_EXP_DEVCTL_MRRS_SHIFT));
	return 0;
}

/* ---- the policies ---- */

static void set_and_note(const struct pv_mps *mps, const struct pv_mps_func *func, int bytes)
{
	int was = pv_mps_get(func);
	int now;

	if (pv_mps_set(func, bytes)) {
		mps->note(mps->ctx, func, PV_MPS_NOTE_REFUSED, bytes, mpss_bytes(func));
		return;
	}
	now = pv_mps_get(func);
	if (now != bytes)
		mps->note(mps->ctx, func, PV_MPS_NOTE_NOT_HELD, bytes, now);
	else if (now != was)
		mps->note(mps->ctx, func, PV_MPS_NOTE_SET, now, was);
}

void pv_mps_found(const struct pv_mps *mps, const struct pv_mps_func *func)
{
	const struct pv_mps_func *bridge = func->bridge;

	if (!func->pcie || func->is_vf)
		return;
	if (func->type == PCI_EXP_TYPE_RC_END) {
		set_and_note(mps, func, mps->policy == PV_MPS_PEER2PEER ? SIZE_MIN : mpss_bytes(func));
		return;
	}
	if (!bridge || !bridge->pcie || pv_mps_get(func) == pv_mps_get(bridge))
		return;
	if (mps->policy == PV_MPS_TUNE_OFF)
		mps->note(mps->ctx, func, PV_MPS_NOTE_MISMATCH, pv_mps_get(func), pv_mps_get(bridge));
	if (mps->policy != PV_MPS_DEFAULT)
		return;

	if (mpss_bytes(func) < pv_mps_get(bridge) && is_root_port(bridge))
		set_and_note(mps, bridge, mpss_bytes(func));
	set_and_note(mps, func, pv_mps_get(bridge));
}

static bool is_below(const struct pv_mps_func *func, const struct pv_mps_func *top)
{
	const struct pv_mps_func *up;

	for (up = func->bridge; up; up = up->bridge)
		if (up == top)
			return true;
	return false;
}

/* Returns the largest MPS that every function from `top` down supports, including functions that may be plugged in
 * later. */
static int safe_bytes(const struct pv_mps_func *top)
{
	const struct pv_mps_func *func = top;
	int bytes = mpss_bytes(top);

	do {
		if (func->pcie && !func->is_vf)
			bytes = min_int(bytes, func->hotplug && !is_root_port(func) ? SIZE_MIN : mpss_bytes(func));
		func = func->next;
	} while (func && is_below(func, top));
	return bytes;
}

static int wanted_bytes(const struct pv_mps *mps, const struct pv_mps_func *func, int common)
{
	if (mps->policy != PV_MPS_PERFORMANCE)
		return common;
	if (is_root_port(func) || !func->bridge)
		return mpss_bytes(func);
	return min_int(mpss_bytes(func), pv_mps_get(func->bridge));
}

/*
 * Writes MRRS = MPS once and does not read it back, as Linux. Halves only a size that may not be written at all: one
 * above 4096, or one that the host bridge refuses because it is larger than the present one.
 */
static void write_mrrs(const struct pv_mps *mps, const struct pv_mps_func *func)
{
	int bytes = pv_mps_get(func);

	while (bytes >= SIZE_MIN && pv_mrrs_get(func) != bytes) {
		if (!pv_mrrs_set(mps, func, bytes))
			return;
		mps->note(mps->ctx, func, PV_MPS_NOTE_MRRS, bytes, bytes > SIZE_MIN ? bytes / 2 : 0);
		bytes /= 2;
	}
}

/* Step 2 for a bridge and everything below it. */
static void configure_tree(const struct pv_mps *mps, const struct pv_mps_func *top)
{
	int common = mps->policy == PV_MPS_SAFE ? safe_bytes(top) : SIZE_MIN;
	const struct pv_mps_func *func = top;

	do {
		if (func->pcie && !func->is_vf) {
			set_and_note(mps, func, wanted_bytes(mps, func, common));
			if (mps->policy == PV_MPS_PERFORMANCE)
				write_mrrs(mps, func);
		}
		func = func->next;
	} while (func && is_below(func, top));
}

static bool has_step_2(const struct pv_mps *mps)
{
	return mps->policy != PV_MPS_TUNE_OFF && mps->policy != PV_MPS_DEFAULT;
}

void pv_mps_scanned(const struct pv_mps *mps, const struct pv_mps_func *first)
{
	const struct pv_mps_func *func;

	/* Nothing below a conventional bridge is configured. A bridge with an empty bus is. */
	for (func = first; func && has_step_2(mps); func = func->next)
		if (!func->bridge && func->is_bridge && func->pcie)
			configure_tree(mps, func);
}

void pv_mps_plugged(const struct pv_mps *mps, const struct pv_mps_func *port)
{
	if (has_step_2(mps) && port->pcie)
		configure_tree(mps, port);
}
