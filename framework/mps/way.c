/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of TLPs through the tree, along the bridges above each function. */
#include "framework/mps/engine.h"
#include "framework/mps/facts.h"
#include "framework/mps/way_internal.h"

int pv_sends_bytes(const struct pv_pci_machine *m, const struct pv_pci_func *f)
{
	return pv_mps_of(pv_mps_decider(m, f));
}

int pv_takes_bytes(const struct pv_pci_machine *m, const struct pv_pci_func *f)
{
	const struct pv_pci_func *by = pv_mps_decider(m, f);
	int mps = pv_mps_of(by), mpss = pv_mpss_of(by);

	return mps < mpss ? mps : mpss;
}

/* Above a bridge from PCI to PCI Express is a PCI bus, which has no TLPs: the bridge makes those of its link anew. */
const struct pv_pci_func *pv_way_above(const struct pv_pci_func *f)
{
	if (pv_port_type(f) == PCI_EXP_TYPE_PCIE_BRIDGE)
		return NULL;
	return f->parent && pv_has_sizes(f->parent) ? f->parent : NULL;
}

const struct pv_pci_func *pv_way_top(const struct pv_pci_func *f)
{
	while (pv_way_above(f))
		f = pv_way_above(f);
	return f;
}

static bool is_at_or_above(const struct pv_pci_func *f, const struct pv_pci_func *below)
{
	while (below && below != f)
		below = pv_way_above(below);
	return below == f;
}

void pv_way_find(const struct pv_pci_func *from, const struct pv_pci_func *to, struct pv_way *way)
{
	const struct pv_pci_func *turn = from, *f;
	size_t i;

	way->n = 0;
	for (; !is_at_or_above(turn, to); turn = pv_way_above(turn))
		way->at[way->n++] = turn;
	if (turn == from || turn == to)
		way->at[way->n++] = turn;
	for (f = to; f != turn; f = pv_way_above(f))
		way->n++;
	for (f = to, i = way->n; f != turn; f = pv_way_above(f))
		way->at[--i] = f;
}

bool pv_is_sender(const struct pv_pci_func *f)
{
	int type = pv_port_type(f);

	return type == PCI_EXP_TYPE_ENDPOINT || type == PCI_EXP_TYPE_LEG_END || type == PCI_EXP_TYPE_PCI_BRIDGE;
}

bool pv_share_a_device(const struct pv_pci_func *a, const struct pv_pci_func *b)
{
	return a->parent == b->parent && pv_heads_link(a->parent);
}
