/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an MPS policy makes of a machine (docs/hardware-notes.md section 4), from its configuration space:
 * the tree from the bus numbers, step 1 as functions are found, step 2 below each top PCIe bridge.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/oracle/oracle.h"
#include "framework/util/cleanup.h"

#define BUSES	     256
#define SIZE_MIN     128u
#define SIZE_LARGEST 4096u

struct function {
	uint16_t bdf;
	bool pcie, vf, bridge, hotplug;
	uint8_t type;			    /* PCI_EXP_TYPE_* */
	uint8_t secondary;		    /* bridges; 0: not configured */
	uint16_t mpss, mps, mrrs, mrrs_max; /* bytes */
};

struct machine {
	enum pv_oracle_policy policy;
	struct function *f; /* n of them */
	size_t n;
	int *by_bdf;	  /* 65536 indices, -1: nothing there */
	int above[BUSES]; /* the bridge whose secondary bus it is, -1: none */
	bool seen[BUSES]; /* scanned: bus numbers may lie, and must not lead in circles */
};

/* ---- configuration space ---- */

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

/* Offset of the PCI Express capability, 0: none. The list is hostile: at most as many steps as fit. */
static unsigned find_pcie(const struct pv_cfg_image *c)
{
	unsigned at = cfg8(c, PCI_CAPABILITIES) & 0xfc;

	if (!(cfg16(c, PCI_STATUS) & PCI_STATUS_CAP_LIST))
		return 0;
	for (int i = 0; i < 48 && at >= 0x40; i++, at = cfg8(c, at + 1) & 0xfc)
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

/* A downstream-facing port or a bridge towards PCIe: those that can carry a slot. */
static bool can_have_slot(uint8_t type)
{
	return type == PCI_EXP_TYPE_ROOT_PORT || type == PCI_EXP_TYPE_DOWNSTREAM || type == PCI_EXP_TYPE_PCIE_BRIDGE;
}

static void read_function(const struct pv_cfg_image *c, struct function *f)
{
	unsigned header = cfg8(c, PCI_HEADER_TYPE) & PCI_HEADER_TYPE_MASK, cap = find_pcie(c), control;

	f->bdf = c->bdf;
	f->vf = c->vf || (cfg16(c, PCI_VENDOR_ID) == 0xffff && cap); /* SR-IOV 3.4.1: a VF's IDs read ffffh */
	f->bridge = header == PCI_HEADER_TYPE_BRIDGE;
	f->secondary = f->bridge ? cfg8(c, PCI_SECONDARY_BUS) : 0;
	if (!cap)
		return;
	control = cfg16(c, cap + PCI_EXP_DEVCTL);
	f->pcie = true;
	f->type = (cfg16(c, cap + PCI_EXP_FLAGS) & PCI_EXP_FLAGS_TYPE) >> PCI_EXP_FLAGS_TYPE_SHIFT;
	f->mpss = PCI_EXP_SIZE_BYTES(cfg32(c, cap + PCI_EXP_DEVCAP) & PCI_EXP_DEVCAP_MPSS);
	f->mps = PCI_EXP_SIZE_BYTES((control & PCI_EXP_DEVCTL_MPS) >> PCI_EXP_DEVCTL_MPS_SHIFT);
	f->mrrs = PCI_EXP_SIZE_BYTES((control & PCI_EXP_DEVCTL_MRRS) >> PCI_EXP_DEVCTL_MRRS_SHIFT);
	f->hotplug = can_have_slot(f->type) && cfg32(c, cap + PCI_EXP_SLTCAP) & PCI_EXP_SLTCAP_HPC;
}

static struct function *function_at(struct machine *m, unsigned bdf)
{
	int i = m->by_bdf[bdf & 0xffff];

	return i < 0 ? NULL : &m->f[i];
}

/* A PF tells where its VFs are, also when they do not tell themselves. */
static void mark_vfs(struct machine *m, const struct pv_cfg_image *c)
{
	unsigned at = find_extended(c, PCI_EXT_CAP_ID_SRIOV);
	unsigned count = at ? cfg16(c, at + PCI_SRIOV_NUM_VF) : 0;
	unsigned bdf = at ? c->bdf + cfg16(c, at + PCI_SRIOV_VF_OFFSET) : 0;

	for (unsigned i = 0; i < count && bdf <= 0xffff; i++, bdf += cfg16(c, at + PCI_SRIOV_VF_STRIDE)) {
		struct function *f = function_at(m, bdf);

		if (f && bdf != c->bdf)
			f->vf = true;
	}
}

/* ---- the tree ---- */

static int build(struct machine *m, const struct pv_cfg_image *before, const uint16_t *mrrs_max)
{
	for (unsigned i = 0; i <= 0xffff; i++)
		m->by_bdf[i] = -1;
	for (unsigned b = 0; b < BUSES; b++)
		m->above[b] = -1;
	for (size_t i = 0; i < m->n; i++) {
		if (m->by_bdf[before[i].bdf] >= 0)
			return -EINVAL;
		m->by_bdf[before[i].bdf] = (int)i;
		read_function(&before[i], &m->f[i]);
		m->f[i].mrrs_max = mrrs_max ? mrrs_max[i] : SIZE_LARGEST;
	}
	for (size_t i = 0; i < m->n; i++) {
		uint8_t secondary = m->f[i].secondary;

		mark_vfs(m, &before[i]);
		if (secondary && secondary != PCI_BUS(before[i].bdf) && m->above[secondary] < 0)
			m->above[secondary] = (int)i;
	}
	return 0;
}

static struct function *bridge_above(struct machine *m, const struct function *f)
{
	int i = m->above[PCI_BUS(f->bdf)];

	return i < 0 ? NULL : &m->f[i];
}

/* A size that the function does not support is refused: the register stays. */
static bool set_mps(struct function *f, unsigned bytes)
{
	if (bytes > SIZE_LARGEST || bytes > f->mpss)
		return false;
	f->mps = (uint16_t)bytes;
	return true;
}

/* ---- step 1: each function as it is found ---- */

static void found(struct machine *m, struct function *f)
{
	struct function *bridge = bridge_above(m, f);

	if (!f->pcie || f->vf)
		return;
	if (f->type == PCI_EXP_TYPE_RC_END) {
		set_mps(f, m->policy == PV_POLICY_PEER2PEER ? SIZE_MIN : f->mpss);
		return;
	}
	if (!bridge || !bridge->pcie || f->mps == bridge->mps || m->policy != PV_POLICY_DEFAULT)
		return;
	if (f->mpss < bridge->mps && bridge->type == PCI_EXP_TYPE_ROOT_PORT)
		set_mps(bridge, f->mpss);
	set_mps(f, bridge->mps);
}

/* Linux finds all functions of a bus first and goes down its bridges after that. */
static void scan_bus(struct machine *m, unsigned bus)
{
	if (m->seen[bus])
		return;
	m->seen[bus] = true;
	for (unsigned devfn = 0; devfn < 256; devfn++) {
		struct function *f = function_at(m, bus << 8 | devfn);

		if (f)
			found(m, f);
	}
	for (unsigned devfn = 0; devfn < 256; devfn++) {
		struct function *f = function_at(m, bus << 8 | devfn);

		if (f && f->secondary && m->above[f->secondary] == (int)(f - m->f))
			scan_bus(m, f->secondary);
	}
}

/* ---- step 2: below each top PCIe bridge ---- */

struct below {
	struct machine *m;
	unsigned common; /* peer2peer, safe: MPS of all */
};

static void find_common(struct below *b, struct function *f)
{
	if (!f->pcie || f->vf)
		return;
	if (f->mpss < b->common)
		b->common = f->mpss;
	if (f->hotplug && f->type != PCI_EXP_TYPE_ROOT_PORT)
		b->common = SIZE_MIN;
}

/* MRRS = MPS, halved until the device holds it. */
static void set_mrrs_to_mps(struct function *f)
{
	unsigned bytes = f->mps;

	while (bytes > f->mrrs_max && bytes >= SIZE_MIN)
		bytes /= 2;
	if (bytes >= SIZE_MIN)
		f->mrrs = (uint16_t)bytes;
}

static void configure(struct below *b, struct function *f)
{
	struct function *above = bridge_above(b->m, f);
	unsigned bytes = b->common;

	if (!f->pcie || f->vf)
		return;
	if (b->m->policy == PV_POLICY_PERFORMANCE) {
		unsigned limit = above && above->pcie ? above->mps : above ? SIZE_MIN : f->mpss;

		bytes = f->type == PCI_EXP_TYPE_ROOT_PORT || f->mpss < limit ? f->mpss : limit;
	}
	set_mps(f, bytes);
	if (b->m->policy == PV_POLICY_PERFORMANCE)
		set_mrrs_to_mps(f);
}

/* Calls fn for a bridge and all below it, a bus at a time from the top: parents come before children. */
static void walk_below(struct below *b, struct function *top, void (*fn)(struct below *b, struct function *f))
{
	bool listed[BUSES] = {false};
	uint8_t queue[BUSES];
	unsigned head = 0, tail = 0;

	fn(b, top);
	listed[top->secondary] = true;
	queue[tail++] = top->secondary;
	while (head < tail) {
		unsigned bus = queue[head++];

		for (unsigned devfn = 0; devfn < 256; devfn++) {
			struct function *f = function_at(b->m, bus << 8 | devfn);

			if (!f)
				continue;
			fn(b, f);
			if (!f->secondary || listed[f->secondary])
				continue;
			listed[f->secondary] = true;
			queue[tail++] = f->secondary;
		}
	}
}

/* No PCIe bridge above it: what is below is configured from here. Bounded, since bus numbers may lie. */
static bool is_top_bridge(struct machine *m, const struct function *f)
{
	const struct function *up = f;

	if (!f->bridge || !f->pcie || !f->secondary)
		return false;
	for (int i = 0; i < BUSES && (up = bridge_above(m, up)); i++)
		if (up->pcie)
			return false;
	return true;
}

static void configure_below(struct machine *m, struct function *top)
{
	struct below b = {.m = m, .common = SIZE_MIN};

	if (m->policy == PV_POLICY_SAFE) {
		b.common = SIZE_LARGEST;
		walk_below(&b, top, find_common);
	}
	walk_below(&b, top, configure);
}

static void apply(struct machine *m)
{
	for (unsigned bus = 0; bus < BUSES; bus++)
		if (m->above[bus] < 0)
			scan_bus(m, bus);
	if (m->policy == PV_POLICY_TUNE_OFF || m->policy == PV_POLICY_DEFAULT)
		return;
	for (unsigned bdf = 0; bdf <= 0xffff; bdf++) {
		struct function *f = function_at(m, bdf);

		if (f && is_top_bridge(m, f))
			configure_below(m, f);
	}
}

int pv_oracle_mps(enum pv_oracle_policy p, const struct pv_cfg_image *before, size_t n, const uint16_t *mrrs_max,
		  struct pv_mps_expect *out)
{
	_autofree_ struct function *f = calloc(n ? n : 1, sizeof(*f));
	_autofree_ int *by_bdf = calloc(0x10000, sizeof(*by_bdf));
	_autofree_ struct machine *m = calloc(1, sizeof(*m));
	int r;

	if (!f || !by_bdf || !m)
		return -ENOMEM;
	m->policy = p;
	m->f = f;
	m->n = n;
	m->by_bdf = by_bdf;
	r = build(m, before, mrrs_max);
	if (r)
		return r;
	apply(m);
	for (size_t i = 0; i < n; i++)
		out[i] = (struct pv_mps_expect){f[i].bdf, f[i].pcie ? f[i].mps : 0, f[i].pcie ? f[i].mrrs : 0};
	return 0;
}
