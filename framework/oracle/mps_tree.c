/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a PCI domain as a tree by their bus numbers, while functions come and go. */
#include <errno.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/oracle/mps.h"

struct pv_mps_node *pv_tree_at(struct pv_tree *m, unsigned rid)
{
	int i = m->by_rid[PCI_RID(rid)];

	return i < 0 ? NULL : &m->f[i];
}

struct pv_mps_node *pv_tree_bridge_above(struct pv_tree *m, const struct pv_mps_node *f)
{
	int i = m->above[PCI_BUS(f->bdf)];

	return i < 0 ? NULL : &m->f[i];
}

/* Bounded, since bus numbers may lie. */
uint8_t pv_tree_root_bus(struct pv_tree *m, const struct pv_mps_node *f)
{
	const struct pv_mps_node *up = f;

	for (int i = 0; i < PV_TREE_BUSES && up; i++, up = pv_tree_bridge_above(m, f))
		f = up;
	return (uint8_t)PCI_BUS(f->bdf);
}

/* Marks a PF's VFs, also when they do not tell themselves. */
static void mark_vfs(struct pv_tree *m, const struct pv_mps_node *pf)
{
	unsigned rid = PCI_RID(pf->bdf) + pf->vf_first;

	for (unsigned i = 0; i < pf->vf_count && rid <= 0xffff; i++, rid += pf->vf_stride) {
		struct pv_mps_node *f = pv_tree_at(m, rid);

		if (f && f != pf)
			f->vf = true;
	}
}

/* A bus that two bridges claim belongs to the one with the lower number. */
static void link_bridge(struct pv_tree *m, const struct pv_mps_node *f)
{
	int *above = &m->above[f->secondary];

	if (!f->secondary || f->secondary == PCI_BUS(f->bdf))
		return;
	if (*above < 0 || m->f[*above].bdf > f->bdf)
		*above = (int)(f - m->f);
}

static void link_buses(struct pv_tree *m)
{
	for (unsigned b = 0; b < PV_TREE_BUSES; b++)
		m->above[b] = -1;
	for (size_t i = 0; i < m->n; i++) {
		if (!m->f[i].present)
			continue;
		mark_vfs(m, &m->f[i]);
		link_bridge(m, &m->f[i]);
	}
}

int pv_tree_add(struct pv_tree *m, const struct pv_cfg_image *images, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct pv_mps_node *f = &m->f[m->n++];

		*f = (struct pv_mps_node){0};
		if (PCI_DOMAIN(images[i].bdf) != m->domain)
			continue;
		if (pv_tree_at(m, images[i].bdf))
			return -EINVAL;
		pv_mps_node_read(&images[i], f);
		m->by_rid[PCI_RID(f->bdf)] = (int)(f - m->f);
	}
	link_buses(m);
	return 0;
}

void pv_tree_remove_all(struct pv_tree *m)
{
	m->n = 0;
	for (unsigned i = 0; i <= 0xffff; i++)
		m->by_rid[i] = -1;
	link_buses(m);
}

/* Bounded, since bus numbers may lie. */
static bool is_below(struct pv_tree *m, const struct pv_mps_node *f, const struct pv_mps_node *bridge)
{
	for (int i = 0; i < PV_TREE_BUSES && f; i++) {
		f = pv_tree_bridge_above(m, f);
		if (f == bridge)
			return true;
	}
	return false;
}

void pv_tree_remove_below(struct pv_tree *m, const struct pv_mps_node *bridge)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->f[i].present && &m->f[i] != bridge && is_below(m, &m->f[i], bridge)) {
			m->f[i].present = false;
			m->by_rid[PCI_RID(m->f[i].bdf)] = -1;
		}
	link_buses(m);
}

bool pv_tree_has_bus(struct pv_tree *m, const struct pv_mps_node *f)
{
	return f->secondary && m->above[f->secondary] == (int)(f - m->f);
}

void pv_tree_walk(struct pv_tree *m, unsigned bus, pv_tree_visit *fn, unsigned *value)
{
	if (m->seen[bus])
		return;
	m->seen[bus] = true;
	for (unsigned devfn = 0; devfn < 256; devfn++) {
		struct pv_mps_node *f = pv_tree_at(m, bus << 8 | devfn);

		if (f)
			fn(m, f, value);
	}
	for (unsigned devfn = 0; devfn < 256; devfn++) {
		struct pv_mps_node *f = pv_tree_at(m, bus << 8 | devfn);

		if (f && f->found && pv_tree_has_bus(m, f))
			pv_tree_walk(m, f->secondary, fn, value);
	}
}

/* ---- which functions are looked for ---- */

/* Returns true if the list of an ARI device leads to f. Linux ends the list where its numbers do not ascend. */
static bool is_named(struct pv_tree *m, const struct pv_mps_node *first, const struct pv_mps_node *f)
{
	const struct pv_mps_node *at = first;

	while (at && at != f) {
		unsigned next = at->ari ? at->ari_next : 0;

		if (next <= (at->bdf & 0xffu))
			return false;
		at = pv_tree_at(m, (first->bdf & 0xff00u) | next);
	}
	return at;
}

bool pv_tree_is_looked_for(struct pv_tree *m, const struct pv_mps_node *f)
{
	const struct pv_mps_node *bridge = pv_tree_bridge_above(m, f), *first = pv_tree_at(m, f->bdf & ~7u);

	if (bridge && pv_mps_node_heads_link(bridge)) {
		first = pv_tree_at(m, f->bdf & ~0xffu);
		if (bridge->forwards_ari && first && first->pcie && first->ari)
			return is_named(m, first, f);
		if (PCI_SLOT(f->bdf))
			return false;
	}
	return f == first || (first && first->multi);
}
