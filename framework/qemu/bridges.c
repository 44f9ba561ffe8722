/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host bridges of a topology, one for each root bus. They share the apertures evenly, like the models
 * (pv_assign_all()), and the 16-bit device IDs of the single ITS.  If there is only one domain, they have all buses,
 * whatever the topology needs, so that one saved machine serves many topologies.
 */
#include "framework/qemu/bridges.h"

#include <errno.h>

#include "drivers/regs/pcie.h"
#include "framework/util/cleanup.h"

#define DEVICE_IDS 0x10000u
#define MIB	   (1ull << 20)
#define BUS_LAST   0xffu

/* Finds the host bridge above a bus: the last one of its domain that begins at or before it. */
static struct pv_fabric_bridge *bridge_of(struct pv_fabric_hello *h, unsigned domain, unsigned bus)
{
	struct pv_fabric_bridge *found = NULL;

	for (uint32_t i = 0; i < h->bridges; i++) {
		struct pv_fabric_bridge *b = &h->bridge[i];

		if (b->domain == domain && b->bus_first <= bus && (!found || b->bus_first > found->bus_first))
			found = b;
	}
	return found;
}

/* The configuration space of a domain: that of its other host bridges, else the next one. */
static unsigned ecam_of(const struct pv_fabric_hello *h, unsigned domain)
{
	unsigned next = 0;

	for (uint32_t i = 0; i < h->bridges; i++) {
		if (h->bridge[i].domain == domain)
			return h->bridge[i].ecam;
		next = h->bridge[i].ecam >= next ? h->bridge[i].ecam + 1 : next;
	}
	return next;
}

/* Adds the bridge of a function on a root bus, if it is not there. */
static int add_root(struct pv_fabric_hello *h, const struct pv_topo_node *node, struct pv_error *e)
{
	unsigned domain = PCI_DOMAIN(node->bdf), bus = PCI_BUS(node->bdf);
	const struct pv_fabric_bridge *b = bridge_of(h, domain, bus);

	if (b && b->bus_first == bus)
		return 0;
	if (h->bridges == ARRAY_SIZE(h->bridge))
		return pv_error(e, -EOPNOTSUPP, "expected at most %zu root buses", ARRAY_SIZE(h->bridge));
	unsigned ecam = ecam_of(h, domain);
	h->bridge[h->bridges++] = (struct pv_fabric_bridge){.domain = (uint16_t)domain,
							    .bus_first = (uint8_t)bus,
							    .bus_last = (uint8_t)bus,
							    .numa_node = node->numa_node,
							    .probe_only = 1,
							    .ecam = ecam};
	return 0;
}

static void stretch(struct pv_fabric_bridge *b, unsigned bus)
{
	if (b && bus > b->bus_last)
		b->bus_last = (uint8_t)bus;
}

static int share_out(struct pv_fabric_hello *h, struct pv_error *e)
{
	uint32_t ids = 0;

	for (uint32_t i = 0; i < h->bridges; i++) {
		struct pv_fabric_bridge *b = &h->bridge[i];

		b->msi_base = ids;
		ids += (b->bus_last - b->bus_first + 1u) << 8;
		b->mem32_bytes = PV_FABRIC_MEM32_BYTES / h->bridges & ~(MIB - 1);
		b->mem64_bytes = PV_FABRIC_MEM64_BYTES / h->bridges & ~(MIB - 1);
		b->mem32 = PV_FABRIC_MEM32 + i * b->mem32_bytes;
		b->mem64 = PV_FABRIC_MEM64 + i * b->mem64_bytes;
	}
	return ids > DEVICE_IDS ? pv_error(e, -EOPNOTSUPP, "expected at most 256 buses in all PCI domains together")
				: 0;
}

/* Up to the next host bridge of the domain. */
static void stretch_all(struct pv_fabric_hello *h)
{
	for (unsigned bus = 0; bus <= BUS_LAST; bus++)
		stretch(bridge_of(h, h->bridge[0].domain, bus), bus);
}

static bool has_domains(const struct pv_fabric_hello *h)
{
	for (uint32_t i = 1; i < h->bridges; i++)
		if (h->bridge[i].domain != h->bridge[0].domain)
			return true;
	return false;
}

bool pv_bridges_share_domain(const struct pv_fabric_hello *h)
{
	for (uint32_t i = 1; i < h->bridges; i++)
		for (uint32_t j = 0; j < i; j++)
			if (h->bridge[i].domain == h->bridge[j].domain)
				return true;
	return false;
}

int pv_bridges_of(const struct pv_topology *t, struct pv_fabric_hello *out, struct pv_error *e)
{
	*out = (struct pv_fabric_hello){.version = PV_FABRIC_VERSION, .iommu = t->iommu != PV_IOMMU_NONE};
	for (size_t i = 0; i < t->n; i++) {
		int err = t->nodes[i].parent < 0 ? add_root(out, &t->nodes[i], e) : 0;

		if (err)
			return err;
	}
	for (size_t i = 0; i < t->n; i++) {
		unsigned domain = PCI_DOMAIN(t->nodes[i].bdf);
		struct pv_fabric_bridge *b = bridge_of(out, domain, PCI_BUS(t->nodes[i].bdf));

		stretch(b, PCI_BUS(t->nodes[i].bdf));
		stretch(b, t->nodes[i].subordinate);
	}
	if (!has_domains(out))
		stretch_all(out);
	return share_out(out, e);
}
