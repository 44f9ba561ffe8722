/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Host bridges of topologies: their buses, device ids and parts of the apertures. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/qemu/bridges.h"

#define ROOT(domain, bus)                                                      \
	{                                                                      \
		.bdf = PCI_IN_DOMAIN(domain, PCI_BDF(bus, 1, 0)), .parent = -1 \
	}

static int bridges(struct pv_topo_node *nodes, size_t n, struct pv_fabric_hello *h, struct pv_error *e)
{
	return pv_bridges_of(&(struct pv_topology){.n = n, .nodes = nodes}, h, e);
}

Test(bridges, one_alone_has_all_buses)
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

Test(bridges, several_share_device_ids_and_apertures)
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

Test(bridges, have_one_root_bus_in_each_domain)
{
	struct pv_topo_node nodes[] = {ROOT(0, 0), ROOT(0, 0x80)};
	struct pv_fabric_hello h;
	struct pv_error e = {0};

	cr_expect_eq(bridges(nodes, 2, &h, &e), -EOPNOTSUPP);
	cr_expect(strstr(e.text, "00 and 80 in 0000"), "got '%s'", e.text);
}

Test(bridges, have_256_buses_together)
{
	struct pv_topo_node nodes[] = {ROOT(0, 0), ROOT(1, 0)};
	struct pv_fabric_hello h;
	struct pv_error e = {0};

	nodes[0].subordinate = 0xff;
	cr_expect_eq(bridges(nodes, 2, &h, &e), -EOPNOTSUPP);
}
