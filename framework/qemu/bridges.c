/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host bridges that a topology wants of the guest's device tree. */
#include "framework/qemu/bridges.h"

#include <errno.h>

#include "drivers/regs/pcie.h"

/* A host bridge for each PCI domain; the domains share the apertures evenly, and the device ids of the ITS. */
int pv_bridges_of(const struct pv_topology *t, struct pv_fabric_hello *out)
{
	*out = (struct pv_fabric_hello){.version = PV_FABRIC_VERSION};
	for (size_t i = 0; i < t->n; i++) {
		unsigned domain = PCI_DOMAIN(t->nodes[i].bdf);
		uint32_t k = 0;
		while (k < out->bridges && out->bridge[k].domain != domain)
			k++;
		if (k < out->bridges)
			continue;
		if (domain >= PV_FABRIC_DOMAINS)
			return -ENOSPC;
		out->bridge[out->bridges++] = (struct pv_fabric_bridge){
			.domain = (uint16_t)domain, .bus_last = 255, .numa_node = -1, .probe_only = 1};
	}
	for (uint32_t i = 0; i < out->bridges; i++) {
		struct pv_fabric_bridge *b = &out->bridge[i];
		b->msi_base = i * (0x10000 / PV_FABRIC_DOMAINS);
		b->mem32_bytes = PV_FABRIC_MEM32_BYTES / out->bridges;
		b->mem64_bytes = PV_FABRIC_MEM64_BYTES / out->bridges;
		b->mem32 = PV_FABRIC_MEM32 + i * b->mem32_bytes;
		b->mem64 = PV_FABRIC_MEM64 + i * b->mem64_bytes;
	}
	return 0;
}
