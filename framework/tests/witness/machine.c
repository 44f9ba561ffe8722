/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines of the witness: bus numbers, configuration space, and their text. */
#include "framework/tests/witness/machine.h"

#include <string.h>

#include "drivers/regs/pcie.h"

#define CLASS_BRIDGE  0x060400u
#define CLASS_NETWORK 0x020000u
#define CAP_ID_PM     0x01
#define PM_CAP	      0x40

bool pv_witness_is_pcie(const struct pv_witness_function *f)
{
	return f->kind < PV_WITNESS_CONVENTIONAL;
}

bool pv_witness_is_bridge(const struct pv_witness_function *f)
{
	return f->kind == PV_WITNESS_CONVENTIONAL_BRIDGE ||
	       (f->kind >= PCI_EXP_TYPE_ROOT_PORT && f->kind <= PCI_EXP_TYPE_PCIE_BRIDGE);
}

bool pv_witness_is_below(const struct pv_witness_machine *m, int i, int bridge)
{
	for (i = m->f[i].parent; i >= 0; i = m->f[i].parent)
		if (i == bridge)
			return true;
	return false;
}

pv_bdf pv_witness_bdf(const struct pv_witness_function *f)
{
	return (pv_bdf)f->bus << 8 | f->devfn;
}

/* Numbers the functions on one bus and what is below them; returns the highest bus number used. */
static uint8_t number_bus(struct pv_witness_machine *m, int parent, uint8_t bus)
{
	uint8_t last = bus;

	for (int i = parent + 1; i < m->n; i++)
		if (m->f[i].parent == parent && (parent >= 0 || m->f[i].root == bus))
			m->f[i].bus = bus;
	for (int i = parent + 1; i < m->n; i++) {
		struct pv_witness_function *f = &m->f[i];

		if (f->parent != parent || f->bus != bus || !pv_witness_is_bridge(f))
			continue;
		f->secondary = last + 1;
		last = number_bus(m, i, f->secondary) + f->spare;
		f->subordinate = last;
	}
	return last;
}

void pv_witness_number(struct pv_witness_machine *m)
{
	for (int i = 0; i < m->n; i++)
		if (m->f[i].parent < 0)
			number_bus(m, -1, m->f[i].root);
}

static void put16(struct pv_cfg_image *c, unsigned at, unsigned v)
{
	c->data[at] = v & 0xff;
	c->data[at + 1] = v >> 8 & 0xff;
}

static void put32(struct pv_cfg_image *c, unsigned at, uint32_t v)
{
	put16(c, at, v & 0xffff);
	put16(c, at + 2, v >> 16);
}

static void put_pcie(const struct pv_witness_function *f, struct pv_cfg_image *c)
{
	unsigned at = f->cap;

	c->data[PM_CAP + 1] = f->cap;
	put16(c, at, PCI_CAP_ID_EXP);
	put16(c, at + PCI_EXP_FLAGS,
	      f->cap_version | f->kind << PCI_EXP_FLAGS_TYPE_SHIFT | (f->slot ? PCI_EXP_FLAGS_SLOT : 0));
	put32(c, at + PCI_EXP_DEVCAP, f->mpss);
	put16(c, at + PCI_EXP_DEVCTL,
	      PCI_EXP_DEVCTL_RELAX | f->mps << PCI_EXP_DEVCTL_MPS_SHIFT | f->mrrs << PCI_EXP_DEVCTL_MRRS_SHIFT);
	put32(c, at + PCI_EXP_SLTCAP, f->hotplug ? PCI_EXP_SLTCAP_HPC : 0);
	put32(c, at + PCI_EXP_DEVCAP2, f->forwards_ari ? PCI_EXP_DEVCAP2_ARI : 0);
}

static void put_sriov(const struct pv_witness_function *f, struct pv_cfg_image *c)
{
	unsigned at = PCI_EXT_CAP_START;

	if (!f->vfs)
		return;
	put32(c, at, PCI_EXT_CAP_ID_SRIOV | 1 << 16);
	put16(c, at + PCI_SRIOV_CTRL, PCI_SRIOV_CTRL_VFE);
	put16(c, at + PCI_SRIOV_INITIAL_VF, f->vfs);
	put16(c, at + PCI_SRIOV_TOTAL_VF, f->vfs);
	put16(c, at + PCI_SRIOV_NUM_VF, f->vfs);
	put16(c, at + PCI_SRIOV_VF_OFFSET, 4);
	put16(c, at + PCI_SRIOV_VF_STRIDE, 1);
}

/* The next function of the bus, 0: none. */
static unsigned next_function(const struct pv_witness_machine *m, const struct pv_witness_function *f)
{
	unsigned next = 0;

	for (int i = 0; i < m->n; i++)
		if (m->f[i].bus == f->bus && m->f[i].devfn > f->devfn && (!next || m->f[i].devfn < next))
			next = m->f[i].devfn;
	return next;
}

static void put_ari(const struct pv_witness_machine *m, const struct pv_witness_function *f, struct pv_cfg_image *c)
{
	if (!f->ari)
		return;
	put32(c, PCI_EXT_CAP_START, PCI_EXT_CAP_ID_ARI | 1 << 16);
	put16(c, PCI_EXT_CAP_START + PCI_ARI_CAP, next_function(m, f) << 8);
}

static bool is_multi_function(const struct pv_witness_machine *m, const struct pv_witness_function *f)
{
	for (int i = 0; i < m->n; i++) {
		const struct pv_witness_function *o = &m->f[i];

		if (o->bus == f->bus && PCI_SLOT(o->devfn) == PCI_SLOT(f->devfn) && PCI_FUNC(o->devfn) && !o->vf)
			return true;
	}
	return false;
}

void pv_witness_image(const struct pv_witness_machine *m, int i, struct pv_cfg_image *out)
{
	const struct pv_witness_function *f = &m->f[i];
	bool bridge = pv_witness_is_bridge(f);

	memset(out, 0, sizeof(*out));
	out->bdf = pv_witness_bdf(f);
	out->devctl_ro = f->devctl_ro;
	out->mrrs_max = (uint16_t)PCI_EXP_SIZE_BYTES(f->mrrs_max);
	put32(out, PCI_VENDOR_ID, f->vf ? 0xffffffff : f->id);
	put16(out, PCI_STATUS, PCI_STATUS_CAP_LIST);
	put32(out, PCI_REVISION, (bridge ? CLASS_BRIDGE : CLASS_NETWORK) << 8);
	out->data[PCI_HEADER_TYPE] = (bridge ? PCI_HEADER_TYPE_BRIDGE : 0) |
				     (!f->hides && is_multi_function(m, f) ? PCI_HEADER_MULTI_FUNCTION : 0);
	out->data[PCI_CAPABILITIES] = PM_CAP;
	out->data[PM_CAP] = CAP_ID_PM;
	if (bridge) {
		out->data[PCI_PRIMARY_BUS] = f->bus;
		out->data[PCI_SECONDARY_BUS] = f->secondary;
		out->data[PCI_SUBORDINATE_BUS] = f->subordinate;
	}
	if (!pv_witness_is_pcie(f))
		return;
	put_pcie(f, out);
	put_sriov(f, out);
	put_ari(m, f, out);
}

/* ---- text ---- */

static void print_function(const struct pv_witness_machine *m, int i, FILE *to)
{
	struct pv_cfg_image c;

	pv_witness_image(m, i, &c);
	fprintf(to, "f %04x %x %x", c.bdf, c.devctl_ro, m->f[i].mrrs_max);
	for (unsigned at = 0; at < sizeof(c.data); at += 4) {
		uint32_t v;

		memcpy(&v, c.data + at, 4);
		if (v)
			fprintf(to, " %x=%x", at, v);
	}
	fprintf(to, "\n");
}

void pv_witness_print(const struct pv_witness_machine *m, FILE *to)
{
	fprintf(to, "machine %s\n", pv_mps_policy_word(m->policy));
	for (int e = 0; e < m->events; e++) {
		unsigned slot = m->event[e].slot >= 0 ? pv_witness_bdf(&m->f[m->event[e].slot]) : 0;

		for (int i = 0; i < m->n; i++)
			if (m->f[i].arrives & 1u << e)
				print_function(m, i, to);
		if (m->event[e].how == PV_MPS_AT_BOOT)
			fprintf(to, "boot\n");
		else if (m->event[e].how == PV_MPS_AT_RESCAN)
			fprintf(to, "rescan\n");
		else
			fprintf(to, "%s %04x\n", m->event[e].how == PV_MPS_UNPLUG ? "unplug" : "hotplug", slot);
	}
	fprintf(to, "end\n");
}
