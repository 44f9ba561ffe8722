/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MPS policies, worked out by hand for small machines. */
#include "framework/oracle/tests/mps_machine.h"

/* A Root Port with an endpoint, an RCiEP, an event collector and a conventional device. */
static const struct node simple[] = {
	{0x0010, RCIEP, 256, 128, 512}, {0x0018, RCEC, 256, 128, 512}, {0x0020, CONV},
	{0x0080, RP, 512, 512, 512, 1}, {0x0100, EP, 256, 128, 512},
};

Test(mps, simple_machine_under_each_policy)
{
	EXPECT_MPS(TUNE_OFF, simple, 256, 128, 0, 512, 128);
	EXPECT_MPS(DEFAULT, simple, 256, 128, 0, 256, 256);
	EXPECT_MPS(SAFE, simple, 256, 128, 0, 256, 256);
	EXPECT_MPS(PERFORMANCE, simple, 256, 128, 0, 512, 256);
	EXPECT_MPS(PEER2PEER, simple, 128, 128, 0, 128, 128);
}

Test(mps, only_performance_touches_mrrs)
{
	static const uint16_t want[] = {512, 512, 0, 512, 256};

	for (int p = PV_MPS_TUNE_OFF; p <= PV_MPS_PEER2PEER; p++) {
		apply(p, simple, COUNT(simple), NULL);
		cr_expect_eq(got[4].mrrs, p == PV_MPS_PERFORMANCE ? 256 : 512, "policy %d", p);
	}
	apply(PV_MPS_PERFORMANCE, simple, COUNT(simple), NULL);
	for (size_t i = 0; i < COUNT(simple); i++)
		cr_expect_eq(got[i].mrrs, want[i], "function %zu", i);
}

/* An equal size stays; a smaller one is raised, a larger one lowered. */
Test(mps, default_gives_a_function_the_size_of_its_port)
{
	static const uint16_t sizes[][2] = {{128, 128}, {256, 128}, {128, 512}}; /* of the port, of the function */

	for (size_t i = 0; i < COUNT(sizes); i++) {
		const struct node m[] = {{0x0080, RP, 512, sizes[i][0], 512, 1}, {0x0100, EP, 512, sizes[i][1], 512}};

		EXPECT_MPS(DEFAULT, m, sizes[i][0], sizes[i][0]);
	}
}

Test(mps, default_and_functions_that_differ)
{
	/* Function 0 brings the Root Port to 256, function 1 to 128; function 0 keeps what it got. */
	static const struct node m[] = {
		{0x0080, RP, 512, 512, 512, 1}, {0x0100, EP, 256, 128, 512}, {0x0101, EP, 128, 128, 512}};

	EXPECT_MPS(DEFAULT, m, 128, 256, 128);
}

/* 00:10.0 - 01:00.0 Upstream - 02:00.0, 02:01.0 Downstream - 03:00.0, 04:00.0 */
static const struct node tree[] = {
	{0x0080, RP, 512, 256, 512, 1},	  {0x0100, UP, 1024, 128, 512, 2}, {0x0200, DOWN, 1024, 128, 512, 3},
	{0x0208, DOWN, 256, 128, 512, 4}, {0x0300, EP, 512, 128, 512},	   {0x0400, LEGACY, 128, 128, 512},
};

Test(mps, switch_under_each_policy)
{
	EXPECT_MPS(TUNE_OFF, tree, 256, 128, 128, 128, 128, 128);
	/* 04:00.0 cannot do 256, and its port is no Root Port that could be lowered. */
	EXPECT_MPS(DEFAULT, tree, 256, 256, 256, 256, 256, 128);
	EXPECT_MPS(SAFE, tree, 128, 128, 128, 128, 128, 128);
	EXPECT_MPS(PERFORMANCE, tree, 512, 512, 512, 256, 512, 128);
	EXPECT_MPS(PEER2PEER, tree, 128, 128, 128, 128, 128, 128);
}

Test(mps, order_of_the_images_does_not_matter)
{
	static const struct node m[] = {{0x0300, EP, 512, 128, 512},
					{0x0200, DOWN, 1024, 128, 512, 3},
					{0x0100, UP, 1024, 128, 512, 2},
					{0x0080, RP, 512, 256, 512, 1}};

	EXPECT_MPS(DEFAULT, m, 256, 256, 256, 256);
	EXPECT_MPS(PERFORMANCE, m, 512, 512, 512, 512);
}

Test(mps, safe_takes_the_smallest_of_each_root_port_by_itself)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1},
					{0x0100, EP, 256, 128, 512},
					{0x0088, RP, 512, 128, 512, 2},
					{0x0200, EP, 1024, 128, 512}};

	EXPECT_MPS(SAFE, m, 256, 256, 512, 512);
}

Test(mps, safe_with_a_hot_plug_slot_below_a_switch)
{
	static const struct node m[] = {{0x0080, RP, 512, 256, 512, 1},
					{0x0100, UP, 512, 256, 512, 2},
					{0x0200, DOWN, 512, 256, 512, 3, true},
					{0x0208, DOWN, 512, 256, 512, 4},
					{0x0400, EP, 512, 256, 512}};

	EXPECT_MPS(SAFE, m, 128, 128, 128, 128, 128);
}

Test(mps, safe_with_a_hot_plug_root_port)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1, true}, {0x0100, EP, 256, 128, 512}};

	EXPECT_MPS(SAFE, m, 256, 256);
}

Test(mps, empty_root_port_is_configured_by_itself)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1}};

	EXPECT_MPS(SAFE, m, 512);
	EXPECT_MPS(PERFORMANCE, m, 512);
	EXPECT_MPS(DEFAULT, m, 128);
}

Test(mps, virtual_functions_are_left_alone)
{
	static const struct node m[] = {
		{0x0080, RP, 512, 256, 512, 1}, {0x0100, EP, 256, 128, 512}, {0x0101, EP, 128, 128, 128, .vf = true}};

	for (int p = PV_MPS_TUNE_OFF; p <= PV_MPS_PEER2PEER; p++) {
		apply(p, m, COUNT(m), NULL);
		cr_expect_eq(got[2].mps, 128, "policy %d: MPS %u", p, got[2].mps);
		cr_expect_eq(got[2].mrrs, 128, "policy %d: MRRS %u", p, got[2].mrrs);
	}
	EXPECT_MPS(SAFE, m, 256, 256, 128);
}

Test(mps, virtual_functions_known_from_the_pf)
{
	static const struct node m[] = {
		{0x0080, RP, 512, 256, 512, 1}, {0x0100, EP, 512, 128, 512}, {0x0104, EP, 512, 128, 128}};

	for (size_t i = 0; i < COUNT(m); i++)
		make_image(&images[i], &m[i]);
	put16(&images[1], 0x100, PCI_EXT_CAP_ID_SRIOV); /* version 0, next 0 */
	put16(&images[1], 0x108, 1);			/* VF Enable */
	put16(&images[1], 0x110, 1);			/* NumVFs */
	put16(&images[1], 0x114, 4);			/* First VF Offset */
	cr_assert_eq(expect_boot(PV_MPS_SAFE, images, 3, NULL, got), 0);
	cr_assert_eq(got[1].mps, 512);
	cr_assert_eq(got[2].mps, 128);
	put16(&images[1], 0x108, 0); /* without it, a function there is one like others */
	cr_assert_eq(expect_boot(PV_MPS_SAFE, images, 3, NULL, got), 0);
	cr_assert_eq(got[2].mps, 512);
}

Test(mps, virtual_functions_that_are_told)
{
	static const struct node m[] = {
		{0x0080, RP, 512, 256, 512, 1}, {0x0100, EP, 512, 128, 512}, {0x0101, EP, 128, 128, 128}};

	for (size_t i = 0; i < COUNT(m); i++)
		make_image(&images[i], &m[i]);
	images[2].vf = true;
	cr_assert_eq(expect_boot(PV_MPS_SAFE, images, 3, NULL, got), 0);
	cr_assert_eq(got[1].mps, 512);
	cr_assert_eq(got[2].mps, 128);
}

Test(mps, bridges_to_conventional_buses)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1},
					{0x0100, TO_PCI, 256, 128, 512, 2},
					{0x0200, CONV},
					{0x0028, CONV_BRIDGE, .secondary = 9},
					{0x0900, CONV}};

	EXPECT_MPS(SAFE, m, 256, 256, 0, 0, 0);
	EXPECT_MPS(PERFORMANCE, m, 512, 256, 0, 0, 0);
}

Test(mps, function_below_a_conventional_bridge_has_no_pcie_bridge_above)
{
	static const struct node m[] = {{0x0028, CONV_BRIDGE, .secondary = 9}, {0x0900, EP, 512, 256, 512}};

	for (int p = PV_MPS_TUNE_OFF; p <= PV_MPS_PEER2PEER; p++) {
		apply(p, m, COUNT(m), NULL);
		cr_expect_eq(got[1].mps, 256, "policy %d: MPS %u", p, got[1].mps);
	}
}

Test(mps, mrrs_is_written_once_and_a_device_may_keep_another)
{
	static const struct node m[] = {
		{0x0080, RP, 1024, 128, 512, 1}, {0x0100, EP, 1024, 128, 128}, {0x0101, EP, 1024, 128, 512}};
	static const uint16_t mrrs_max[] = {4096, 256, 4096};

	apply(PV_MPS_PERFORMANCE, m, COUNT(m), mrrs_max);
	cr_assert_eq(got[0].mrrs, 1024);
	cr_assert_eq(got[1].mrrs, 128); /* not 256, which it could do */
	cr_assert_eq(got[2].mrrs, 1024);
	cr_assert_eq(got[1].mps, 1024);
}

/* The MRRS of each function under performance, in the order of the table. */

Test(mps, mrrs_limit_in_the_image)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1},
					{0x0100, EP, 512, 128, 256, .mrrs_max = 256},
					{0x0101, EP, 512, 128, 256, .mrrs_max = 512}};

	EXPECT_MRRS(m, 512, 256, 512);
}

/* ---- where step 2 starts ---- */

Test(mps, trees_below_a_conventional_bridge_on_a_root_bus_are_left_alone)
{
	static const struct node m[] = {{0x0028, CONV_BRIDGE, .secondary = 9},
					{0x0900, TO_PCIE, 512, 128, 512, 10},
					{0x0a00, EP, 512, 256, 512}};

	EXPECT_MPS(SAFE, m, 0, 128, 256);
	EXPECT_MPS(PERFORMANCE, m, 0, 128, 256);
	EXPECT_MPS(PEER2PEER, m, 0, 128, 256);
	EXPECT_MPS(DEFAULT, m, 0, 128, 128); /* step 1 needs a PCIe bridge above, wherever it is */
}

Test(mps, trees_below_any_pcie_bridge_on_a_root_bus)
{
	static const struct node m[] = {{0x0028, TO_PCIE, 512, 128, 512, 9},
					{0x0900, EP, 256, 128, 512},
					{0x0030, TO_PCI, 512, 256, 512, 10},
					{0x0a00, CONV},
					{0x0038, EP, 512, 256, 512}};

	EXPECT_MPS(SAFE, m, 256, 256, 512, 0, 256);
	EXPECT_MPS(PERFORMANCE, m, 512, 256, 512, 0, 256);
	EXPECT_MPS(PEER2PEER, m, 128, 128, 128, 0, 256);
	EXPECT_MPS(DEFAULT, m, 128, 128, 256, 0, 256);
}

Test(mps, only_root_ports_are_lowered)
{
	static const struct node m[] = {{0x0028, TO_PCIE, 512, 512, 512, 9}, {0x0900, EP, 256, 128, 512}};

	EXPECT_MPS(DEFAULT, m, 512, 128);
}

Test(mps, pcie_functions_behind_a_conventional_bridge_in_a_tree)
{
	static const struct node m[] = {{0x0080, RP, 512, 256, 512, 1},
					{0x0100, TO_PCI, 512, 256, 512, 2},
					{0x0200, CONV_BRIDGE, .secondary = 3},
					{0x0300, EP, 512, 256, 512},
					{0x0308, EP, 512, 512, 512}};

	EXPECT_MPS(DEFAULT, m, 256, 256, 0, 256, 512);
	EXPECT_MPS(SAFE, m, 512, 512, 0, 512, 512);
	EXPECT_MPS(PERFORMANCE, m, 512, 512, 0, 128, 128);
	EXPECT_MRRS(m, 512, 512, 0, 128, 128);
}

Test(mps, rciep_below_a_port)
{
	static const struct node m[] = {{0x0080, RP, 256, 128, 512, 1}, {0x0100, RCIEP, 512, 128, 512}};

	EXPECT_MPS(TUNE_OFF, m, 128, 512);
	EXPECT_MPS(DEFAULT, m, 128, 512);
	EXPECT_MPS(SAFE, m, 256, 256);
	EXPECT_MPS(PERFORMANCE, m, 256, 256);
	EXPECT_MPS(PEER2PEER, m, 128, 128);
}
