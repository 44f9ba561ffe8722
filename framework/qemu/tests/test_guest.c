/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Host bridges of topologies: their buses, device ids and parts of the apertures. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/qemu/guest.h"

#define ROOT(domain, bus)                                                      \
	{                                                                      \
		.bdf = PCI_IN_DOMAIN(domain, PCI_BDF(bus, 1, 0)), .parent = -1 \
	}

static int bridges(struct pv_topo_node *nodes, size_t n, struct pv_fabric_hello *h, struct pv_error *e)
{
	return pv_guest_bridges(&(struct pv_topology){.n = n, .nodes = nodes}, h, e);
}

/* Returns true if a guest with these host bridges needs the kernel module, and has none. */
static bool needs_module(const struct pv_fabric_hello *h)
{
	json_object *msg = json_tokener_parse("{\"guest\": {}, \"steps\": []}");
	struct pv_guest guest = {0};
	struct pv_error e = {0};
	int err = pv_guest_add_module(msg, &(struct pv_topology){0}, h, &guest, &e);

	json_object_put(msg);
	return err == -EOPNOTSUPP;
}

Test(host_bridges, one_alone_has_all_buses)
{
	struct pv_topo_node nodes[] = {ROOT(0, 0x40)};
	struct pv_fabric_hello h;
	struct pv_error e = {0};

	nodes[0].subordinate = 0x43;
	cr_assert_eq(bridges(nodes, 1, &h, &e), 0, "%s", e.text);
	cr_expect_eq(h.bridges, 1);
	cr_expect_eq(h.bridge[0].bus_first, 0x40);
	cr_expect_eq(h.bridge[0].bus_last, 0xff);
	cr_expect_eq(h.bridge[0].mem32_bytes, PV_FABRIC_MEM32_BYTES);
	cr_expect_eq(h.bridge[0].mem64_bytes, PV_FABRIC_MEM64_BYTES);
}

Test(host_bridges, are_before_an_iommu_if_the_topology_has_one)
{
	static const enum pv_iommu iommus[] = {PV_IOMMU_NONE, PV_IOMMU_IDENTITY, PV_IOMMU_TRANSLATES};

	for (size_t i = 0; i < 3; i++) {
		const struct pv_topology t = {.iommu = iommus[i]};
		struct pv_fabric_hello hello;
		struct pv_error e = {0};

		cr_assert_eq(pv_guest_bridges(&t, &hello, &e), 0, "%s", e.text);
		cr_expect_eq(hello.iommu, i != 0);
	}
}

Test(host_bridges, several_share_device_ids_and_apertures)
{
	struct pv_topo_node nodes[] = {ROOT(0, 0), ROOT(1, 0)};
	struct pv_fabric_hello h;
	struct pv_error e = {0};

	nodes[0].subordinate = 2;
	nodes[1].subordinate = 1;
	cr_assert_eq(bridges(nodes, 2, &h, &e), 0, "%s", e.text);
	cr_expect_eq(h.bridges, 2);
	cr_expect_eq(h.bridge[0].bus_last, 2);
	cr_expect_eq(h.bridge[1].bus_last, 1);
	cr_expect_eq(h.bridge[1].msi_base, 3 << 8);
	cr_expect_eq(h.bridge[1].mem32, h.bridge[0].mem32 + h.bridge[0].mem32_bytes);
	cr_expect_eq(h.bridge[1].mem64, h.bridge[0].mem64 + h.bridge[0].mem64_bytes);
}

Test(host_bridges, share_a_domain_that_is_alone)
{
	struct pv_topo_node nodes[] = {ROOT(0, 0x80), ROOT(0, 0x20), ROOT(0, 0x80)};
	struct pv_fabric_hello h;
	struct pv_error e = {0};

	cr_assert_eq(bridges(nodes, 3, &h, &e), 0, "%s", e.text);
	cr_assert_eq(h.bridges, 2);
	cr_expect_eq(h.bridge[0].bus_first, 0x80);
	cr_expect_eq(h.bridge[0].bus_last, 0xff);
	cr_expect_eq(h.bridge[1].bus_first, 0x20);
	cr_expect_eq(h.bridge[1].bus_last, 0x7f);
	cr_expect_eq(h.bridge[1].msi_base, 0x8000);
	cr_expect_eq(h.bridge[1].mem32, h.bridge[0].mem32 + h.bridge[0].mem32_bytes);
	cr_expect(needs_module(&h));
}

Test(host_bridges, of_other_domains_have_what_they_need)
{
	struct pv_topo_node nodes[] = {ROOT(0, 0), ROOT(0, 0x80), ROOT(1, 0)};
	struct pv_fabric_hello h;
	struct pv_error e = {0};

	nodes[0].subordinate = 3;
	cr_assert_eq(bridges(nodes, 3, &h, &e), 0, "%s", e.text);
	cr_assert_eq(h.bridges, 3);
	cr_expect_eq(h.bridge[0].bus_last, 3);
	cr_expect_eq(h.bridge[1].bus_last, 0x80);
	cr_expect_eq(h.bridge[2].bus_last, 0);
	cr_expect(needs_module(&h));
}

Test(host_bridges, have_domains_of_their_own)
{
	struct pv_topo_node nodes[] = {ROOT(0, 0), ROOT(1, 0x80)};
	struct pv_fabric_hello h;
	struct pv_error e = {0};

	cr_assert_eq(bridges(nodes, 2, &h, &e), 0, "%s", e.text);
	cr_expect_not(needs_module(&h));
}

/* A machine has any numbers, Intel's VMD from 10000 on. */
Test(host_bridges, of_a_domain_share_its_configuration_space)
{
	struct pv_topo_node nodes[] = {ROOT(0xffff, 0), ROOT(3, 0), ROOT(0xffff, 0x80), ROOT(0, 0)};
	static const unsigned ecam[] = {0, 1, 0, 2};
	struct pv_fabric_hello h;
	struct pv_error e = {0};

	cr_assert_eq(bridges(nodes, 4, &h, &e), 0, "%s", e.text);
	for (size_t i = 0; i < 4; i++) {
		cr_expect_eq(h.bridge[i].domain, PCI_DOMAIN(nodes[i].bdf));
		cr_expect_eq(h.bridge[i].ecam, ecam[i], "bridge %zu: ECAM %u", i, h.bridge[i].ecam);
	}
}

Test(host_bridges, are_16_at_most)
{
	struct pv_topo_node nodes[17];
	struct pv_fabric_hello h;
	struct pv_error e = {0};

	for (unsigned i = 0; i < 17; i++)
		nodes[i] = (struct pv_topo_node)ROOT(0, 8 * i);
	cr_expect_eq(bridges(nodes, 16, &h, &e), 0, "%s", e.text);
	cr_expect_eq(bridges(nodes, 17, &h, &e), -EOPNOTSUPP);
}

Test(host_bridges, have_256_buses_together)
{
	struct pv_topo_node nodes[] = {ROOT(0, 0), ROOT(1, 0)};
	struct pv_fabric_hello h;
	struct pv_error e = {0};

	nodes[0].subordinate = 0xff;
	cr_expect_eq(bridges(nodes, 2, &h, &e), -EOPNOTSUPP);
}

Test(host_bridges, are_on_the_numa_nodes_of_their_buses)
{
	struct pv_topo_node nodes[] = {ROOT(0, 0), ROOT(1, 0)};
	struct pv_fabric_hello h;
	struct pv_error e = {0};

	nodes[0].numa_node = 1;
	nodes[1].numa_node = -1;
	cr_assert_eq(bridges(nodes, 2, &h, &e), 0, "%s", e.text);
	cr_expect_eq(h.bridge[0].numa_node, 1);
	cr_expect_eq(h.bridge[1].numa_node, -1);
}
