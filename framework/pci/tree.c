/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the bridge above each function by bus numbers. These grow downwards, so no dump can make a list loop. VFs may
 * be on buses that are no bridge's secondary bus (PCIe 5.0 9.2.1.2): they are below the bridge whose bus range has
 * them.
 */
#include <errno.h>
#include <stdlib.h>

#include "drivers/core/pcie.h"
#include "framework/pci/internal.h"

enum { BUSES = 256 };

/* The bridge that heads a bus, by domain and number. */
struct heads {
	struct pv_pci_func **of;
};

static struct pv_pci_func **head_at(struct heads *h, pv_bdf bdf)
{
	return &h->of[(size_t)PCI_DOMAIN(bdf) * BUSES + PCI_BUS(bdf)];
}

/* A bridge that leads to its own bus or to an earlier one is followed nowhere; of two to one bus the first counts. */
static void find_heads(struct pv_pci_machine *m, struct heads *h)
{
	for (size_t i = 0; i < m->n; i++) {
		struct pv_pci_func *f = &m->funcs[i], **head;
		unsigned bus = pv_pci_get(f, PCI_SECONDARY_BUS, 1);

		if (!f->is_bridge || bus <= PCI_BUS(f->bdf))
			continue;
		head = head_at(h, PCI_IN_DOMAIN(PCI_DOMAIN(f->bdf), PCI_BDF(bus, 0, 0)));
		if (!*head)
			*head = f;
	}
}

/* ---- virtual functions ---- */

static void mark_vfs_of(struct pv_pci_machine *m, struct pv_pci_func *pf, const struct pv_cfg *cfg, uint32_t cap)
{
	unsigned count = pv_cfg_read16(cfg, cap + PCI_SRIOV_NUM_VF);
	unsigned offset = pv_cfg_read16(cfg, cap + PCI_SRIOV_VF_OFFSET);
	unsigned stride = pv_cfg_read16(cfg, cap + PCI_SRIOV_VF_STRIDE);

	for (unsigned n = 0; n < count && offset; n++) {
		unsigned rid = PCI_RID(pf->bdf) + offset + n * stride;
		struct pv_pci_func *vf;

		if (rid > 0xffff)
			return;
		vf = pv_pci_find(m, PCI_IN_DOMAIN(PCI_DOMAIN(pf->bdf), rid));
		if (!vf || vf == pf || vf->is_vf || pv_pci_get(vf, PCI_VENDOR_ID, 2) != 0xffff)
			continue;
		vf->is_vf = true;
		vf->pf = pf;
	}
}

static void mark_vfs(struct pv_pci_machine *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct pv_pci_func *pf = &m->funcs[i];
		struct pv_bus bus = pv_pci_machine_bus(m);
		struct pv_cfg cfg = {m, pf->bdf, bus.cfg_read, bus.cfg_write};
		uint32_t cap = pf->known == PCI_CFG_BYTES && pf->pcie
				       ? pv_pcie_next_ext_cap(&cfg, 0, PCI_EXT_CAP_ID_SRIOV)
				       : 0;

		if (!pf->is_vf && cap && cap <= PCI_CFG_BYTES - 64 &&
		    pv_cfg_read16(&cfg, cap + PCI_SRIOV_CTRL) & PCI_SRIOV_CTRL_VFE)
			mark_vfs_of(m, pf, &cfg, cap);
	}
	/* Where the PF's capability is not known: only a VF shows no vendor and yet is there (9.3.4.1.1). */
	for (size_t i = 0; i < m->n; i++) {
		struct pv_pci_func *f = &m->funcs[i];

		f->is_vf = f->is_vf || (!f->gone && f->known && pv_pci_get(f, PCI_VENDOR_ID, 2) == 0xffff);
		f->is_bridge = f->is_bridge && !f->is_vf;
	}
}

/* ---- parents ---- */

/* The bridge above a bus that no bridge heads but one reaches: the one with the highest secondary bus. NULL: none. */
static struct pv_pci_func *bridge_around(struct heads *h, const struct pv_pci_func *f)
{
	for (unsigned bus = PCI_BUS(f->bdf); bus > 0; bus--) {
		struct pv_pci_func *head = *head_at(h, PCI_IN_DOMAIN(PCI_DOMAIN(f->bdf), PCI_BDF(bus, 0, 0)));

		if (head && pv_pci_get(head, PCI_SUBORDINATE_BUS, 1) >= PCI_BUS(f->bdf))
			return head;
	}
	return NULL;
}

/* ARI: function 0 has the capability, the others share its device (PCIe 5.0 6.13). */
static void spread_ari(struct pv_pci_machine *m, struct pv_pci_func *f)
{
	const struct pv_pci_func *first = pv_pci_find(m, f->bdf & ~0xffu);

	f->is_ari = f->is_ari && f->parent && first && first->is_ari;
}

static void add_child(struct pv_pci_machine *m, struct pv_pci_func *f, struct pv_pci_func **last)
{
	struct pv_pci_func **at = &last[f->parent ? f->parent - m->funcs : (long)m->n];

	if (*at)
		(*at)->sibling = f;
	else if (f->parent)
		f->parent->child = f;
	*at = f;
}

static void find_parents(struct pv_pci_machine *m, struct heads *h)
{
	for (size_t i = 0; i < m->n; i++)
		m->funcs[i].parent = bridge_around(h, &m->funcs[i]);
	for (size_t i = m->n; i-- > 0;)
		spread_ari(m, &m->funcs[i]);
}

int pv_pci_connect(struct pv_pci_machine *m)
{
	struct heads h = {calloc((m->n_domains + 1) * BUSES, sizeof(*h.of))};
	struct pv_pci_func **last = calloc(m->n + 1, sizeof(*last));
	int err = h.of && last ? 0 : -ENOMEM;

	if (!err) {
		mark_vfs(m);
		find_heads(m, &h);
		find_parents(m, &h);
		for (size_t i = 0; i < m->n; i++)
			add_child(m, &m->funcs[i], last);
	}
	free(h.of);
	free(last);
	return err;
}

struct pv_pci_func *pv_pci_first_root(const struct pv_pci_machine *m)
{
	struct pv_pci_func *f = m->funcs;

	while (f < m->funcs + m->n && f->parent)
		f++;
	return f < m->funcs + m->n ? f : NULL;
}

struct pv_pci_func *pv_pci_next_root(const struct pv_pci_func *f)
{
	return f->sibling;
}
