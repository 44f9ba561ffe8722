/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host bridges of a topology: one for each PCI domain, since Linux gives a domain of the device tree to the first
 * host bridge that asks for it, and refuses the next. The domains share the apertures evenly, as the models do (pv_place_all()),
 * and the 16 bits of device ids of the one ITS.
 *
 * One that is alone has all buses, whatever the topology needs, so that one saved machine serves all of these.
 */
#include "framework/qemu/bridges.h"

#include <errno.h>

#include "drivers/regs/pcie.h"

#define DEVICE_IDS 0x10000u
#define MIB	   (1ull << 20)
#define BUS_LAST   0xffu

static struct pv_fabric_bridge *bridge_of(struct pv_fabric_hello *h, unsigned domain)
{
	for (uint32_t i = 0; i < h->bridges; i++)
		if (h->bridge[i].domain == domain)
			return &h->bridge[i];
	return NULL;
}

/* Finds the bridge of a function on a root bus, or adds it. */
static int add_root(struct pv_fabric_hello *h, const struct pv_topo_node *node, struct pv_error *e)
{
	unsigned domain = PCI_DOMAIN(node->bdf), bus = PCI_BUS(node->bdf);
	struct pv_fabric_bridge *b = bridge_of(h, domain);

	if (b)
		return b->bus_first == bus ? 0
					   : pv_error(e, -EOPNOTSUPP,
						      "expected one root bus in each PCI domain, as Linux has it of a "
						      "device tree, got "
						      "%02x and %02x in %04x",
						      b->bus_first, bus, domain);
	if (domain >= PV_FABRIC_DOMAINS)
		return pv_error(e, -EOPNOTSUPP, "expected PCI domains below %u, got %04x", PV_FABRIC_DOMAINS, domain);
	h->bridge[h->bridges++] = (struct pv_fabric_bridge){.domain = (uint16_t)domain,
							    .bus_first = (uint8_t)bus,
							    .bus_last = (uint8_t)bus,
							    .numa_node = -1,
							    .probe_only = 1};
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

int pv_bridges_of(const struct pv_topology *t, struct pv_fabric_hello *out, struct pv_error *e)
{
	*out = (struct pv_fabric_hello){.version = PV_FABRIC_VERSION};
	if (t->iommu_translates)
		return pv_error(e, -EOPNOTSUPP, "the guest has no IOMMU in front of its PCIe");
	for (size_t i = 0; i < t->n; i++) {
		int err = t->nodes[i].parent < 0 ? add_root(out, &t->nodes[i], e) : 0;

		if (err)
			return err;
	}
	for (size_t i = 0; i < t->n; i++) {
		struct pv_fabric_bridge *b = bridge_of(out, PCI_DOMAIN(t->nodes[i].bdf));

		stretch(b, PCI_BUS(t->nodes[i].bdf));
		stretch(b, t->nodes[i].subordinate);
	}
	if (out->bridges == 1)
		stretch(&out->bridge[0], BUS_LAST);
	return share_out(out, e);
}
