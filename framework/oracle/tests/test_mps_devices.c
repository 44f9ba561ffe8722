/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MPS policies and odd devices: what Linux takes for a slot, reserved sizes, hardwired bits, functions that hide, ids,
 * lies.
 */
#include "framework/oracle/tests/mps_machine.h"

/* ---- what Linux takes for a hot-plug bridge ---- */

/* A Root Port, and below it a switch or a bridge of some kind with an endpoint, all of MPSS 512. */
static void expect_safe(struct node middle, uint16_t want)
{
	const struct node m[] = {
		{0x0080, RP, 512, 512, 512, 1}, {0x0100, UP, 512, 512, 512, 2}, middle, {0x0300, EP, 512, 512, 512}};

	EXPECT_MPS(SAFE, m, want, want, want, want);
}

Test(mps, slots_are_where_slot_implemented_says_so_on_ports_that_face_down)
{
	expect_safe((struct node){0x0200, DOWN, 512, 512, 512, 3, .hotplug = true}, 128);
	expect_safe((struct node){0x0200, DOWN, 512, 512, 512, 3, .hotplug = true, .no_slot = true}, 512);
	expect_safe((struct node){0x0200, TO_PCIE, 512, 512, 512, 3, .hotplug = true}, 128);
	expect_safe((struct node){0x0200, TO_PCIE, 512, 512, 512, 3, .hotplug = true, .no_slot = true}, 512);
	expect_safe((struct node){0x0200, TO_PCI, 512, 512, 512, 3, .hotplug = true}, 512);
	expect_safe((struct node){0x0200, RP, 512, 512, 512, 3, .hotplug = true}, 512);
}

Test(mps, bridge_with_the_quirk_is_a_hot_plug_bridge)
{
	expect_safe((struct node){0x0200, DOWN, 512, 512, 512, 3, .id = 0x00203388}, 128);
	expect_safe((struct node){0x0200, TO_PCI, 512, 512, 512, 3, .id = 0x00203388}, 128);
	expect_safe((struct node){0x0200, RP, 512, 512, 512, 3, .id = 0x00203388}, 512);
	expect_safe((struct node){0x0200, DOWN, 512, 512, 512, 3, .id = 0x00213388}, 512);
}

Test(mps, impossible_port_types_are_no_slots)
{
	static const struct node down_below_down[] = {{0x0080, RP, 512, 512, 512, 1},
						      {0x0100, DOWN, 512, 512, 512, 2, .hotplug = true}};
	static const struct node up_below_up[] = {{0x0080, RP, 512, 512, 512, 1},
						  {0x0100, UP, 512, 512, 512, 2},
						  {0x0200, UP, 512, 512, 512, 3, .hotplug = true}};

	EXPECT_MPS(SAFE, down_below_down, 512, 512);
	EXPECT_MPS(SAFE, up_below_up, 512, 512, 512);
}

/* ---- MPSS: reserved, of a quirk, below the MPS ---- */

Test(mps, reserved_mpss_is_refused_when_written)
{
	static const struct node m[] = {
		{0x0080, RP, 8192, 128, 512, 1}, {0x0100, EP, 16384, 256, 512}, {0x0010, RCIEP, 8192, 256, 512}};

	EXPECT_MPS(TUNE_OFF, m, 128, 256, 256);
	EXPECT_MPS(DEFAULT, m, 128, 128, 256);
	EXPECT_MPS(SAFE, m, 128, 256, 256);
	EXPECT_MPS(PERFORMANCE, m, 128, 128, 256); /* the endpoint's: that of its port */
	EXPECT_MPS(PEER2PEER, m, 128, 128, 128);
}

Test(mps, reserved_mpss_beside_a_usual_one)
{
	static const struct node m[] = {{0x0080, RP, 8192, 128, 512, 1}, {0x0100, EP, 4096, 128, 512}};

	EXPECT_MPS(SAFE, m, 4096, 4096);
	EXPECT_MPS(PERFORMANCE, m, 128, 128);
}

Test(mps, ids_that_are_taken_for_256)
{
	static const uint32_t ids[] = {0x06121b21, 0x07031924, 0x67031924, 0x07101924};

	for (size_t i = 0; i < COUNT(ids); i++) {
		const struct node m[] = {{0x0080, RP, 512, 128, 512, 1},
					 {0x0100, EP, 512, 128, 512, .id = ids[i]},
					 {0x0088, RP, 512, 128, 512, 2},
					 {0x0200, EP, 128, 128, 512, .id = ids[i]}};

		EXPECT_MPS(SAFE, m, 256, 256, 256, 256);
		EXPECT_MPS(PERFORMANCE, m, 512, 256, 512, 256);
	}
}

Test(mps, firmware_mps_above_mpss)
{
	static const struct node m[] = {{0x0080, RP, 512, 1024, 512, 1}, {0x0100, EP, 256, 512, 512}};

	EXPECT_MPS(TUNE_OFF, m, 1024, 512);
	EXPECT_MPS(DEFAULT, m, 256, 256);
	EXPECT_MPS(SAFE, m, 256, 256);
	EXPECT_MPS(PERFORMANCE, m, 512, 256);
}

Test(mps, default_with_a_port_above_all_that_can_be_written)
{
	/* Behind a switch nothing can be lowered, and 8192 is refused. */
	static const struct node m[] = {{0x0080, RP, 4096, 128, 512, 1},
					{0x0100, UP, 8192, 8192, 512, 2},
					{0x0200, DOWN, 8192, 8192, 512, 3},
					{0x0300, EP, 8192, 256, 512}};

	EXPECT_MPS(DEFAULT, m, 128, 128, 128, 128);
	EXPECT_MPS(SAFE, m, 4096, 4096, 4096, 4096);
}

Test(mps, mrrs_of_an_mps_that_is_reserved)
{
	/* MPS 8192 and 16384 cannot be MRRS: halved until Linux writes it, or finds it there. */
	static const struct node m[] = {{0x0080, RP, 8192, 8192, 512, 1},
					{0x0088, RP, 8192, 8192, 8192, 2},
					{0x0090, RP, 16384, 16384, 512, 3},
					{0x0098, RP, 16384, 16384, 8192, 4}};

	EXPECT_MRRS(m, 4096, 8192, 4096, 8192);
	EXPECT_MPS(PERFORMANCE, m, 8192, 8192, 16384, 16384);
}

/* ---- bits of Device Control that are hardwired ---- */

Test(mps, hardwired_bits_stay)
{
	static const struct node m[] = {
		{0x0080, RP, 1024, 128, 512, 1},
		{0x0100, EP, 1024, 128, 512, .devctl_ro = PCI_EXP_DEVCTL_MPS}, /* 000b */
		{0x0101, EP, 1024, 128, 512, .devctl_ro = 0x0020}, /* bit 0 of MPS is 0: 011b becomes 010b */
		{0x0102, EP, 1024, 128, 512, .devctl_ro = PCI_EXP_DEVCTL_MRRS},
		{0x0103, EP, 1024, 128, 512, .devctl_ro = 0x2000} /* bit 1 of MRRS is 1, and stays: 011b, 1024 */
	};

	EXPECT_MPS(PERFORMANCE, m, 1024, 128, 512, 1024, 1024);
	EXPECT_MRRS(m, 1024, 128, 512, 512, 1024);
}

Test(mps, mrrs_follows_the_mps_that_was_held)
{
	/* MPS stays at 256; bit 1 of MRRS is hardwired to 1: 001b becomes 011b. */
	static const struct node m[] = {{0x0080, RP, 1024, 128, 512, 1},
					{0x0100, EP, 1024, 256, 512, .devctl_ro = 0x2000 | PCI_EXP_DEVCTL_MPS}};

	EXPECT_MPS(PERFORMANCE, m, 1024, 256);
	EXPECT_MRRS(m, 1024, 1024);
}

Test(mps, default_with_a_root_port_that_cannot_be_lowered)
{
	static const struct node m[] = {{0x0080, RP, 512, 512, 512, 1, .devctl_ro = PCI_EXP_DEVCTL_MPS},
					{0x0100, EP, 256, 128, 512}};

	EXPECT_MPS(DEFAULT, m, 512, 128);
}

/* ---- functions that Linux does not find ---- */

Test(mps, functions_that_function_0_hides)
{
	static const struct node m[] = {{0x0080, RP, 512, 512, 512, 1},
					{0x0100, EP, 256, 512, 512, .hides = true},
					{0x0101, EP, 128, 512, 512}};

	EXPECT_MPS(SAFE, m, 256, 256, 512);
	EXPECT_MPS(PERFORMANCE, m, 512, 256, 512);
}

Test(mps, device_without_function_0)
{
	static const struct node m[] = {{0x0080, RP, 512, 512, 512, 1}, {0x0101, EP, 128, 512, 512}};

	EXPECT_MPS(SAFE, m, 512, 512);
}

Test(mps, device_1_behind_a_port)
{
	static const struct node m[] = {
		{0x0080, RP, 512, 512, 512, 1}, {0x0100, EP, 256, 512, 512}, {0x0108, EP, 128, 512, 512}};
	static const struct node conventional[] = {{0x0080, TO_PCI, 512, 512, 512, 1}, {0x0108, EP, 128, 512, 512}};

	EXPECT_MPS(SAFE, m, 256, 256, 512);
	EXPECT_MPS(SAFE, conventional, 128, 128);
}

Test(mps, nothing_below_a_bridge_that_was_not_found)
{
	static const struct node m[] = {{0x0080, RP, 512, 512, 512, 1, .hides = true},
					{0x0081, RP, 512, 512, 512, 2},
					{0x0200, EP, 256, 512, 512}};

	EXPECT_MPS(SAFE, m, 512, 512, 512);
	EXPECT_MPS(DEFAULT, m, 512, 512, 512);
}

/* Functions 0, 9 and 64 of an ARI device, and one that nothing names. */
static void expect_ari(bool forwards, uint8_t last_names, uint16_t first, uint16_t others, uint16_t unnamed)
{
	const struct node m[] = {{0x0080, RP, 512, 512, 512, 1, .forwards_ari = forwards},
				 {0x0100, EP, 256, 512, 512, .ari = true, .ari_next = 9},
				 {0x0109, EP, 512, 512, 512, .ari = true, .ari_next = 64},
				 {0x0140, EP, 512, 512, 512, .ari = true, .ari_next = last_names},
				 {0x0101, EP, 512, 512, 512}};

	EXPECT_MPS(SAFE, m, first, first, others, others, unnamed);
}

Test(mps, functions_of_an_ari_device)
{
	expect_ari(true, 0, 256, 256, 512);
	expect_ari(true, 9, 256, 256, 512); /* does not ascend: the end */
	expect_ari(false, 0, 256, 512, 256);
}

/* Version 1 of its capability ends before Device Capabilities 2: what is there is another's. */
Test(mps, a_port_of_the_first_version_forwards_no_ari)
{
	static const struct node m[] = {{0x0080, RP, 512, 512, 512, 1, .forwards_ari = true, .version_1 = true},
					{0x0100, EP, 512, 512, 512, .ari = true, .ari_next = 9},
					{0x0109, EP, 256, 512, 512, .ari = true},
					{0x0101, EP, 512, 512, 512}};

	EXPECT_MPS(SAFE, m, 512, 512, 512, 512);
}

/* ---- host bridges that must not see a larger MRRS ---- */

Test(mps, mrrs_is_not_raised_below_a_loongson_port)
{
	static const uint16_t ids[] = {0x1a05, 0x7a09, 0x7a19, 0x7a29, 0x7a39, 0x7a49, 0x7a59, 0x7a69};

	for (size_t i = 0; i < COUNT(ids); i++) {
		const struct node m[] = {{0x0080, RP, 1024, 128, 256, 1, .id = (uint32_t)ids[i] << 16 | 0x0014},
					 {0x0100, EP, 1024, 128, 512},
					 {0x0101, EP, 256, 128, 1024},
					 {0x0088, RP, 1024, 128, 128, 2}, /* of the same host bridge */
					 {0x4080, RP, 1024, 128, 256, 0x41}};

		EXPECT_MPS(PERFORMANCE, m, 1024, 1024, 256, 1024, 1024);
		EXPECT_MRRS(m, 256, 512, 256, 128, 1024);
	}
}

/* ---- machines that lie ---- */

Test(mps, bus_numbers_in_circles_end)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1},	  {0x0100, UP, 512, 128, 512, 2},
					{0x0200, DOWN, 512, 128, 512, 1}, {0x0208, DOWN, 512, 128, 512, 2},
					{0x0500, UP, 512, 128, 512, 6},	  {0x0600, DOWN, 512, 128, 512, 5}};

	for (int p = PV_MPS_TUNE_OFF; p <= PV_MPS_PEER2PEER; p++)
		apply(p, m, COUNT(m), NULL);
	EXPECT_MPS(SAFE, m, 512, 512, 512, 512, 128, 128);
}

Test(mps, capability_list_in_circles_ends)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1}};

	make_image(&images[0], &m[0]);
	images[0].data[0x41] = 0x40;
	cr_assert_eq(expect_boot(PV_MPS_SAFE, images, 1, NULL, got), 0);
	cr_assert_eq(got[0].mps, 0); /* not found: not PCIe */
}

Test(mps, function_twice_is_refused)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1}, {0x0080, RP, 512, 128, 512, 1}};

	make_image(&images[0], &m[0]);
	make_image(&images[1], &m[1]);
	cr_assert_eq(expect_boot(PV_MPS_SAFE, images, 2, NULL, got), -EINVAL);
}

Test(mps, random_bytes_do_no_harm)
{
	srand(1);
	for (int round = 0; round < 200; round++) {
		for (int i = 0; i < MAX_NODES; i++) {
			for (size_t k = 0; k < sizeof(images[i].data); k++)
				images[i].data[k] = (uint8_t)rand();
			images[i].data[PCI_STATUS] |= PCI_STATUS_CAP_LIST;
			images[i].data[PCI_HEADER_TYPE] = 1;
			images[i].bdf = (uint16_t)(i << 8 | (rand() & 0xf8));
			images[i].data[PCI_SECONDARY_BUS] = (uint8_t)(rand() & 0xf);
		}
		cr_assert_eq(expect_boot(round % 5, images, MAX_NODES, NULL, got), 0);
	}
}

Test(mps, no_functions_no_expectations)
{
	cr_assert_eq(expect_boot(PV_MPS_SAFE, NULL, 0, NULL, NULL), 0);
}
