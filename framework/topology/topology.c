/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of a topology: their roles, and finding them. */
#include "framework/topology/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum pv_topo_role role_of(enum pv_node_kind kind)
{
	switch (kind) {
	case PV_NODE_ROOT_PORT:
	case PV_NODE_DOWNSTREAM:
		return PV_ROLE_PORT;
	case PV_NODE_PTT:
		return PV_ROLE_PTT;
	case PV_NODE_CXL_MEM:
		return PV_ROLE_CXL_MEM;
	default:
		return PV_ROLE_FUNCTION;
	}
}

void pv_topo_node_describe(struct pv_topo_node *node)
{
	const struct pv_node_conf *c = &node->conf;

	node->role = role_of(c->kind);
	node->bdf = c->bdf;
	node->parent = c->parent;
	node->secondary = c->secondary;
	node->subordinate = c->subordinate;
	node->vf = c->vf;
	node->hotplug = c->hotplug;
	node->slot = c->slot;
	node->mps = PCI_EXP_SIZE_BYTES(c->mps);
	node->mrrs = PCI_EXP_SIZE_BYTES(c->mrrs);
	node->speed = c->speed;
	node->width = c->width;
	node->rcb = c->rcb;
	node->sicl = c->sicl;
	node->core = c->core;
	node->time_is_distance = c->time == PV_PTT_TIME_DISTANCE;
	node->range_lower = PCI_IN_DOMAIN(PCI_DOMAIN(c->bdf), c->range_lower);
	node->range_upper = PCI_IN_DOMAIN(PCI_DOMAIN(c->bdf), c->range_upper);
}

static int compare_buses(const void *a, const void *b)
{
	return (*(const pv_bdf *)a > *(const pv_bdf *)b) - (*(const pv_bdf *)a < *(const pv_bdf *)b);
}

void pv_topology_describe(struct pv_topology *t)
{
	for (size_t i = 0; i < t->n; i++) {
		pv_topo_node_describe(&t->nodes[i]);
		t->buses[i] = PCI_FIRST_ON_BUS(t->nodes[i].bdf);
	}
	if (t->n)
		qsort(t->buses, t->n, sizeof(*t->buses), compare_buses);
	t->n_buses = 0;
	for (size_t i = 0; i < t->n; i++)
		if (!t->n_buses || t->buses[t->n_buses - 1] != t->buses[i])
			t->buses[t->n_buses++] = t->buses[i];
}

void pv_topology_free(struct pv_topology *t)
{
	if (!t)
		return;
	pv_arena_free(&t->arena);
	free(t);
}

const struct pv_topo_node *pv_topology_by_bdf(const struct pv_topology *t, pv_bdf bdf)
{
	const struct pv_topo_node *spare = NULL;

	for (size_t i = 0; i < t->n; i++) {
		if (t->nodes[i].bdf != bdf)
			continue;
		if (!t->nodes[i].spare)
			return &t->nodes[i];
		spare = &t->nodes[i];
	}
	return spare;
}

const struct pv_topo_node *pv_topology_node(const struct pv_topology *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->nodes[i].name, name))
			return &t->nodes[i];
	pv_bdf bdf;
	return pv_bdf_parse(name, &bdf) ? NULL : pv_topology_by_bdf(t, bdf);
}

const struct pv_topo_node *pv_topology_ptt(const struct pv_topology *t, const char *pmu)
{
	for (size_t i = 0; i < t->n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "hisi_ptt%u_%u", t->nodes[i].sicl, t->nodes[i].core);
		if (t->nodes[i].role == PV_ROLE_PTT && !strcmp(name, pmu))
			return &t->nodes[i];
	}
	return NULL;
}

uint64_t pv_topology_local_cpus(const struct pv_topology *t, pv_bdf bdf)
{
	const struct pv_topo_node *node = pv_topology_by_bdf(t, bdf);

	if (!node || node->numa_node < 0)
		return 0;
	unsigned first = pv_numa_first_cpu((unsigned)node->numa_node, t->numa_nodes, t->cpus);
	unsigned behind = pv_numa_first_cpu((unsigned)node->numa_node + 1, t->numa_nodes, t->cpus);
	return (UINT64_C(1) << behind) - (UINT64_C(1) << first);
}

const char *pv_topo_node_kind(const struct pv_topo_node *n)
{
	static const char *const words[] = {
#define X(id, word) word,
		PV_NODE_KINDS(X)
#undef X
	};

	return words[n->conf.kind];
}

bool pv_topo_node_is_bridge(const struct pv_topo_node *n)
{
	switch (n->conf.kind) {
	case PV_NODE_ROOT_PORT:
	case PV_NODE_UPSTREAM:
	case PV_NODE_DOWNSTREAM:
	case PV_NODE_PCI_BRIDGE:
	case PV_NODE_CONV_BRIDGE:
	case PV_NODE_PCIE_BRIDGE:
		return true;
	default:
		return false;
	}
}

bool pv_topo_node_heads_link(const struct pv_topo_node *n)
{
	return n->role == PV_ROLE_PORT || n->conf.kind == PV_NODE_PCIE_BRIDGE;
}

/*
 * The bus of a link has one device (PCIe 5.0 7.3.1): with ARI, and for VFs, its functions have several device numbers.
 */
static bool same_device(const struct pv_topology *t, const struct pv_topo_node *a, const struct pv_topo_node *b)
{
	if (a->parent != b->parent)
		return false;
	return a->bdf >> 3 == b->bdf >> 3 || (a->parent >= 0 && pv_topo_node_heads_link(&t->nodes[a->parent]));
}

bool pv_topology_below(const struct pv_topology *t, const struct pv_topo_node *node, const struct pv_topo_node *root)
{
	for (;;) {
		if (node == root || same_device(t, node, root))
			return true;
		if (node->parent < 0)
			return false;
		node = &t->nodes[node->parent];
	}
}
