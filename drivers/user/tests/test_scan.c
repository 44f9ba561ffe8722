/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scan of the user-space driver: bridges, ARI, virtual functions, bus numbers that cannot be right. */
#include <criterion/criterion.h>

#include "drivers/user/pmu.h"
#include "drivers/user/sys.h"
#include "drivers/user/tests/fake_machine.h"

static const struct pv_pmu_kind *const kinds[] = {NULL};
static struct fake_machine machine;
static struct pv_sys *sys;

static void boot(enum pv_mps_policy policy)
{
	pv_sys_shutdown(sys);
	sys = pv_sys_boot_kinds(&machine.bus, policy, kinds);
}

static void setup(void)
{
	fake_core(&machine);
}

static void teardown(void)
{
	pv_sys_shutdown(sys);
	sys = NULL;
}

TestSuite(user_scan, .init = setup, .fini = teardown);

Test(user_scan, scan_is_depth_first)
{
	boot(PV_MPS_DEFAULT);
	cr_assert_str_eq(fake_order(sys), "0008 0080 0100 0101 0088 0200 0300 0400 0090 0098 0600 ");
}

Test(user_scan, scan_finds_other_root_buses)
{
	fake_add_bridge(&machine, PCI_BDF(0x30, 3, 0), PCI_EXP_TYPE_ROOT_PORT, 0x31, 0x31);
	fake_add(&machine, PCI_BDF(0x31, 0, 0), PCI_EXP_TYPE_ENDPOINT);
	boot(PV_MPS_DEFAULT);
	cr_assert(strstr(fake_order(sys), "0600 3018 3100 "), "%s", fake_order(sys));
}

Test(user_scan, scan_asks_one_device_behind_a_link)
{
	fake_add(&machine, PCI_BDF(5, 1, 0), PCI_EXP_TYPE_ENDPOINT);
	boot(PV_MPS_DEFAULT);
	cr_assert_not(strstr(fake_order(sys), "0508"));
}

Test(user_scan, scan_asks_function_0_only_of_a_single_function_device)
{
	fake_func(&machine, 0x0100)->cfg[PCI_HEADER_TYPE] = 0;
	boot(PV_MPS_DEFAULT);
	cr_assert_not(strstr(fake_order(sys), "0101"));
}

Test(user_scan, functions_of_a_device_may_leave_out_numbers)
{
	fake_func(&machine, 0x0101)->present = false;
	fake_add(&machine, 0x0102, PCI_EXP_TYPE_ENDPOINT);
	fake_add(&machine, 0x0107, PCI_EXP_TYPE_ENDPOINT);
	boot(PV_MPS_DEFAULT);
	cr_assert(strstr(fake_order(sys), "0100 0102 0107 0088"), "%s", fake_order(sys));
}

Test(user_scan, a_device_without_function_0_is_not_there)
{
	fake_func(&machine, 0x0100)->present = false;
	boot(PV_MPS_DEFAULT);
	cr_assert_not(strstr(fake_order(sys), "0101"), "%s", fake_order(sys));
}

Test(user_scan, the_last_function_of_the_last_device_is_found)
{
	fake_add(&machine, PCI_BDF(0, 31, 0), PCI_EXP_TYPE_RC_END);
	fake_add(&machine, PCI_BDF(0, 31, 7), PCI_EXP_TYPE_RC_END);
	fake_add_bridge(&machine, PCI_BDF(255, 31, 0), PCI_EXP_TYPE_ROOT_PORT, 0, 0);
	boot(PV_MPS_DEFAULT);
	cr_expect(strstr(fake_order(sys), "00f8 00ff "), "%s", fake_order(sys));
	cr_expect(strstr(fake_order(sys), "fff8 "), "%s", fake_order(sys));
}

/* Function 0 of bus 1 names function 9 as the next one, and that names `then`. */
static void make_ari(unsigned then)
{
	static const pv_bdf bdfs[] = {0x0100, 0x0109};
	size_t i;

	fake_add(&machine, 0x0109, PCI_EXP_TYPE_ENDPOINT);
	for (i = 0; i < sizeof(bdfs) / sizeof(bdfs[0]); i++) {
		fake_put16(fake_func(&machine, bdfs[i]), 0x100, PCI_EXT_CAP_ID_ARI);
		fake_put16(fake_func(&machine, bdfs[i]), 0x102, 1);
	}
	fake_put16(fake_func(&machine, 0x0100), 0x104, 9 << 8);
	fake_put16(fake_func(&machine, 0x0109), 0x104, (uint16_t)(then << 8));
}

static bool forwards(pv_bdf port)
{
	return fake_func(&machine, port)->cfg[FAKE_PCIE_CAP + PCI_EXP_DEVCTL2] & PCI_EXP_DEVCTL2_ARI;
}

Test(user_scan, functions_of_an_ari_device_are_found_by_their_list)
{
	make_ari(0);
	fake_func(&machine, 0x0080)->cfg[FAKE_PCIE_CAP + PCI_EXP_DEVCAP2] = PCI_EXP_DEVCAP2_ARI;
	boot(PV_MPS_DEFAULT);
	cr_expect(strstr(fake_order(sys), "0100 0109 0088"), "%s", fake_order(sys));
	cr_expect(forwards(0x0080));
	cr_expect_not(forwards(0x0088));
}

Test(user_scan, ari_needs_a_port_that_knows_it)
{
	make_ari(0);
	boot(PV_MPS_DEFAULT);
	cr_expect(strstr(fake_order(sys), "0100 0101 0088"), "%s", fake_order(sys));
	cr_expect_not(forwards(0x0080));
}

Test(user_scan, ari_needs_a_port_with_the_second_version_of_the_capability)
{
	make_ari(0);
	fake_func(&machine, 0x0080)->cfg[FAKE_PCIE_CAP + PCI_EXP_DEVCAP2] = PCI_EXP_DEVCAP2_ARI;
	fake_put16(fake_func(&machine, 0x0080), FAKE_PCIE_CAP + PCI_EXP_FLAGS,
		   PCI_EXP_TYPE_ROOT_PORT << PCI_EXP_FLAGS_TYPE_SHIFT | 1);
	boot(PV_MPS_DEFAULT);
	cr_expect(strstr(fake_order(sys), "0100 0101 0088"), "%s", fake_order(sys));
	cr_expect_not(forwards(0x0080));
}

Test(user_scan, ari_forwarding_that_firmware_left_on_is_switched_off)
{
	uint8_t *regs = fake_func(&machine, 0x0088)->cfg + FAKE_PCIE_CAP;

	regs[PCI_EXP_DEVCAP2] = PCI_EXP_DEVCAP2_ARI;
	regs[PCI_EXP_DEVCTL2] = PCI_EXP_DEVCTL2_ARI | 0x01;
	boot(PV_MPS_DEFAULT);
	cr_expect_not(forwards(0x0088));
	cr_expect_eq(regs[PCI_EXP_DEVCTL2], 0x01, "the other bits stay");
}

Test(user_scan, ari_needs_no_multi_function_bit)
{
	make_ari(0);
	fake_func(&machine, 0x0080)->cfg[FAKE_PCIE_CAP + PCI_EXP_DEVCAP2] = PCI_EXP_DEVCAP2_ARI;
	fake_func(&machine, 0x0100)->cfg[PCI_HEADER_TYPE] = 0;
	boot(PV_MPS_DEFAULT);
	cr_expect(strstr(fake_order(sys), "0100 0109 0088"), "%s", fake_order(sys));
}

Test(user_scan, ari_list_that_loops_ends)
{
	make_ari(3);
	fake_func(&machine, 0x0080)->cfg[FAKE_PCIE_CAP + PCI_EXP_DEVCAP2] = PCI_EXP_DEVCAP2_ARI;
	boot(PV_MPS_DEFAULT);
	cr_expect(strstr(fake_order(sys), "0100 0109 0088"), "%s", fake_order(sys));
}

Test(user_scan, scan_does_not_follow_bridges_whose_numbers_cannot_be_right)
{
	static const uint8_t bad[][2] = {{0, 0}, {2, 2}, {1, 4}, {5, 4}, {9, 9}, {255, 0}};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct fake_func *upstream = fake_func(&machine, PCI_BDF(2, 0, 0));

		upstream->cfg[PCI_SECONDARY_BUS] = bad[i][0];
		upstream->cfg[PCI_SUBORDINATE_BUS] = bad[i][1];
		boot(PV_MPS_DEFAULT);
		cr_expect(strstr(fake_order(sys), "0200 0090"), "%u-%u: %s", bad[i][0], bad[i][1], fake_order(sys));
		cr_expect(!bad[i][0] || strstr(pv_sys_log_line(sys, 0), "bus numbers"), "%u-%u", bad[i][0], bad[i][1]);
	}
}

Test(user_scan, scan_of_bridges_that_claim_the_same_bus_finds_it_once)
{
	struct fake_func *port = fake_func(&machine, PCI_BDF(0, 0x13, 0));

	port->cfg[PCI_SECONDARY_BUS] = port->cfg[PCI_SUBORDINATE_BUS] = 1;
	boot(PV_MPS_DEFAULT); /* bus 6, which nobody claims now, is a root bus */
	cr_assert_str_eq(fake_order(sys), "0008 0080 0100 0101 0088 0200 0300 0400 0090 0098 0600 ");
	cr_expect(strstr(pv_sys_log_line(sys, 0), "00:13.0: bus numbers 1-1 cannot be right"), "%s",
		  pv_sys_log_line(sys, 0));
}

Test(user_scan, virtual_functions_are_found_through_their_physical_one)
{
	struct fake_func *pf = fake_func(&machine, 0x0600);
	struct fake_func *vf = fake_add(&machine, 0x0602, PCI_EXP_TYPE_ENDPOINT);
	const struct pv_func *func;

	fake_put16(pf, 0x100, PCI_EXT_CAP_ID_SRIOV);
	fake_put16(pf, 0x108, 1); /* VF Enable */
	fake_put16(pf, 0x110, 1); /* NumVFs */
	fake_put16(pf, 0x114, 2); /* First VF Offset */
	fake_put16(pf, 0x116, 1);
	fake_put16(vf, PCI_VENDOR_ID, 0xffff);
	fake_put16(vf, PCI_DEVICE_ID, 0xffff);
	boot(PV_MPS_DEFAULT);
	for (func = pv_sys_funcs(sys); func && func->bdf != 0x0602; func = func->next)
		;
	cr_assert_not_null(func);
	cr_expect(func->is_vf);
	cr_expect_eq(func->vendor, 0x1234);
	/* And go with it. */
	cr_assert_eq(pv_sys_device_removed(sys, 0x0600), 0);
	cr_expect_null(strstr(fake_order(sys), "0602"), "%s", fake_order(sys));
	cr_expect_eq(pv_sys_get_mps(sys, 0x0602), -PV_ENODEV);
	cr_assert_eq(pv_sys_rescan(sys), 0);
	cr_expect(strstr(fake_order(sys), "0600 0602"), "%s", fake_order(sys));
}

/* Every pair of bus numbers in a port of the machine: the scan ends, and finds no function twice. */
Test(user_scan, scan_ends_whatever_the_bus_numbers_are)
{
	static const pv_bdf ports[] = {0x0088, 0x0200, 0x0300};
	unsigned first, last;
	size_t i;

	for (i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		for (first = 0; first < 8; first++)
			for (last = 0; last < 8; last++) {
				fake_func(&machine, ports[i])->cfg[PCI_SECONDARY_BUS] = (uint8_t)first;
				fake_func(&machine, ports[i])->cfg[PCI_SUBORDINATE_BUS] = (uint8_t)last;
				boot(PV_MPS_PERFORMANCE);
				pv_sys_rescan(sys);
				cr_expect(strstr(fake_order(sys), "0080"), "%u-%u: %s", first, last, fake_order(sys));
				cr_expect_leq(strlen(fake_order(sys)), 12 * 5, "%u-%u: %s", first, last,
					      fake_order(sys));
			}
}
