/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a function's configuration space for the oracle of MPS and MRRS, with Linux's quirks for some identifiers, and
 * writes the two fields (docs/hardware-notes.md section 4).
 */
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/oracle/mps_internal.h"

#define SIZE_MIN     128u
#define SIZE_LARGEST 4096u

static unsigned cfg8(const struct pv_cfg_image *c, unsigned at)
{
	return at < sizeof(c->data) ? c->data[at] : 0xff;
}

static unsigned cfg16(const struct pv_cfg_image *c, unsigned at)
{
	return cfg8(c, at) | cfg8(c, at + 1) << 8;
}

static uint32_t cfg32(const struct pv_cfg_image *c, unsigned at)
{
	return cfg16(c, at) | (uint32_t)cfg16(c, at + 2) << 16;
}

/* Returns the offset of the PCI Express capability, 0: none. The list is hostile: at most as many steps as fit. */
static unsigned find_pcie(const struct pv_cfg_image *c)
{
	unsigned at = cfg8(c, PCI_CAPABILITIES) & 0xfc;

	if (!(cfg16(c, PCI_STATUS) & PCI_STATUS_CAP_LIST))
		return 0;
	for (int i = 0; i < 48 && at >= 0x40 && cfg8(c, at) != 0xff; i++, at = cfg8(c, at + 1) & 0xfc)
		if (cfg8(c, at) == PCI_CAP_ID_EXP)
			return at;
	return 0;
}

static unsigned find_extended(const struct pv_cfg_image *c, unsigned id)
{
	unsigned at = PCI_EXT_CAP_START;

	for (int i = 0; i < 960 && at >= PCI_EXT_CAP_START; i++) {
		uint32_t header = cfg32(c, at);

		if (PCI_EXT_CAP_ID(header) == id)
			return at;
		at = PCI_EXT_CAP_NEXT(header);
	}
	return 0;
}

/* ---- quirks by id ---- */

enum quirk { QUIRK_MPSS_256, QUIRK_HOTPLUG, QUIRK_KEEP_MRRS };

static const struct {
	uint16_t vendor, device;
	enum quirk what;
} quirks[] = {
	{0x1924, 0x0703, QUIRK_MPSS_256},  {0x1924, 0x6703, QUIRK_MPSS_256},  {0x1924, 0x0710, QUIRK_MPSS_256},
	{0x1b21, 0x0612, QUIRK_MPSS_256},  {0x3388, 0x0020, QUIRK_HOTPLUG},   {0x0014, 0x1a05, QUIRK_KEEP_MRRS},
	{0x0014, 0x7a09, QUIRK_KEEP_MRRS}, {0x0014, 0x7a19, QUIRK_KEEP_MRRS}, {0x0014, 0x7a29, QUIRK_KEEP_MRRS},
	{0x0014, 0x7a39, QUIRK_KEEP_MRRS}, {0x0014, 0x7a49, QUIRK_KEEP_MRRS}, {0x0014, 0x7a59, QUIRK_KEEP_MRRS},
	{0x0014, 0x7a69, QUIRK_KEEP_MRRS},
};

static void apply_quirks(const struct pv_cfg_image *c, struct pv_mps_node *f)
{
	for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++) {
		if (cfg16(c, PCI_VENDOR_ID) != quirks[i].vendor || cfg16(c, PCI_DEVICE_ID) != quirks[i].device)
			continue;
		f->hotplug |= quirks[i].what == QUIRK_HOTPLUG;
		f->no_larger_mrrs |= quirks[i].what == QUIRK_KEEP_MRRS;
		if (quirks[i].what == QUIRK_MPSS_256)
			f->mpss = 256;
	}
}

/* ---- a function ---- */

static void read_pcie(const struct pv_cfg_image *c, unsigned cap, struct pv_mps_node *f)
{
	f->pcie = true;
	f->flags = (uint16_t)cfg16(c, cap + PCI_EXP_FLAGS);
	f->type = (f->flags & PCI_EXP_FLAGS_TYPE) >> PCI_EXP_FLAGS_TYPE_SHIFT;
	f->mpss = PCI_EXP_SIZE_BYTES(cfg32(c, cap + PCI_EXP_DEVCAP) & PCI_EXP_DEVCAP_MPSS);
	f->devctl = (uint16_t)cfg16(c, cap + PCI_EXP_DEVCTL);
	f->slot = cfg32(c, cap + PCI_EXP_SLTCAP);
	f->forwards_ari = (f->flags & PCI_EXP_FLAGS_VERS) > 1 && cfg32(c, cap + PCI_EXP_DEVCAP2) & PCI_EXP_DEVCAP2_ARI;
}

static void read_vfs(const struct pv_cfg_image *c, struct pv_mps_node *f)
{
	unsigned at = find_extended(c, PCI_EXT_CAP_ID_SRIOV);

	if (!at || !(cfg16(c, at + PCI_SRIOV_CTRL) & PCI_SRIOV_CTRL_VFE))
		return;
	f->vf_count = (uint16_t)cfg16(c, at + PCI_SRIOV_NUM_VF);
	f->vf_first = (uint16_t)cfg16(c, at + PCI_SRIOV_VF_OFFSET);
	f->vf_stride = (uint16_t)cfg16(c, at + PCI_SRIOV_VF_STRIDE);
}

static void read_ari(const struct pv_cfg_image *c, struct pv_mps_node *f)
{
	unsigned at = find_extended(c, PCI_EXT_CAP_ID_ARI);

	f->ari = at;
	f->ari_next = at ? PCI_ARI_CAP_NFN(cfg16(c, at + PCI_ARI_CAP)) : 0;
}

void pv_mps_node_read(const struct pv_cfg_image *c, struct pv_mps_node *f)
{
	unsigned cap = find_pcie(c);

	*f = (struct pv_mps_node){.bdf = c->bdf, .present = true, .fixed = c->devctl_ro};
	f->mrrs_max = c->mrrs_max ? c->mrrs_max : PCI_EXP_SIZE_BYTES(7);
	f->vf = c->vf || (cfg16(c, PCI_VENDOR_ID) == 0xffff && cap); /* SR-IOV 3.4.1: a VF's IDs read ffffh */
	f->multi = cfg8(c, PCI_HEADER_TYPE) & PCI_HEADER_MULTI_FUNCTION;
	f->bridge = (cfg8(c, PCI_HEADER_TYPE) & PCI_HEADER_TYPE_MASK) == PCI_HEADER_TYPE_BRIDGE;
	f->secondary = f->bridge ? (uint8_t)cfg8(c, PCI_SECONDARY_BUS) : 0;
	if (cap)
		read_pcie(c, cap, f);
	read_vfs(c, f);
	read_ari(c, f);
	apply_quirks(c, f);
}

bool pv_mps_node_heads_link(const struct pv_mps_node *f)
{
	return f->pcie && (f->type == PCI_EXP_TYPE_ROOT_PORT || f->type == PCI_EXP_TYPE_DOWNSTREAM ||
			   f->type == PCI_EXP_TYPE_PCIE_BRIDGE);
}

/*
 * A Downstream Port right below a port that faces down, and an Upstream Port right below an Upstream Port, are
 * impossible. Linux means to swap their types, and clears them.
 */
static bool is_impossible(const struct pv_mps_node *f, const struct pv_mps_node *bridge)
{
	if (f->type == PCI_EXP_TYPE_DOWNSTREAM)
		return pv_mps_node_heads_link(bridge);
	return f->type == PCI_EXP_TYPE_UPSTREAM && bridge->pcie && bridge->type == PCI_EXP_TYPE_UPSTREAM;
}

void pv_mps_node_place(struct pv_mps_node *f, const struct pv_mps_node *bridge)
{
	if (!f->pcie)
		return;
	if (bridge && is_impossible(f, bridge))
		f->type = 0;
	if (f->bridge && pv_mps_node_heads_link(f) && f->flags & PCI_EXP_FLAGS_SLOT && f->slot & PCI_EXP_SLTCAP_HPC)
		f->hotplug = true;
}

/* ---- the two fields ---- */

unsigned pv_mps_node_mps(const struct pv_mps_node *f)
{
	return f->pcie ? PCI_EXP_SIZE_BYTES((f->devctl & PCI_EXP_DEVCTL_MPS) >> PCI_EXP_DEVCTL_MPS_SHIFT) : SIZE_MIN;
}

unsigned pv_mps_node_mrrs(const struct pv_mps_node *f)
{
	return PCI_EXP_SIZE_BYTES((f->devctl & PCI_EXP_DEVCTL_MRRS) >> PCI_EXP_DEVCTL_MRRS_SHIFT);
}

static unsigned code_of(unsigned bytes)
{
	unsigned code = 0;

	while (PCI_EXP_SIZE_BYTES(code) < bytes)
		code++;
	return code;
}

/* Writes a field of Device Control: bits that are hardwired stay. */
static uint16_t written(const struct pv_mps_node *f, uint16_t field, unsigned value)
{
	uint16_t takes = field & (uint16_t)~f->fixed;

	return (uint16_t)((f->devctl & ~takes) | (value & takes));
}

void pv_mps_node_set_mps(struct pv_mps_node *f, unsigned bytes)
{
	if (bytes <= SIZE_LARGEST && bytes <= f->mpss)
		f->devctl = written(f, PCI_EXP_DEVCTL_MPS, code_of(bytes) << PCI_EXP_DEVCTL_MPS_SHIFT);
}

/* Returns true if Linux does not write this MRRS. */
static bool is_refused(const struct pv_mps_node *f, unsigned bytes, bool no_larger)
{
	return bytes > SIZE_LARGEST || (no_larger && bytes > pv_mps_node_mrrs(f));
}

/* A size that Linux refuses is halved; one that it writes is written once, whether the device takes it or not. */
void pv_mps_node_set_mrrs_to_mps(struct pv_mps_node *f, bool no_larger)
{
	unsigned bytes = pv_mps_node_mps(f);
	uint16_t old = f->devctl;

	while (bytes != pv_mps_node_mrrs(f) && is_refused(f, bytes, no_larger))
		bytes /= 2;
	if (bytes == pv_mps_node_mrrs(f))
		return;
	f->devctl = written(f, PCI_EXP_DEVCTL_MRRS, code_of(bytes) << PCI_EXP_DEVCTL_MRRS_SHIFT);
	if (pv_mps_node_mrrs(f) > f->mrrs_max)
		f->devctl = old;
}
