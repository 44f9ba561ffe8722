/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MPS policies when functions come and go, and in machines of several domains. */
#include "framework/oracle/tests/mps_machine.h"

/* ---- events ---- */

#define MAX_EVENTS 4
static struct pv_cfg_image event_images[MAX_EVENTS][MAX_NODES];

struct happening {
	enum pv_mps_arrival how;
	pv_bdf slot;
	const struct node *nodes;
	size_t n;
};

static int happen(enum pv_mps_policy p, const struct happening *h, size_t n, size_t *n_got)
{
	struct pv_mps_event e[MAX_EVENTS];

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < h[i].n; k++)
			make_image(&event_images[i][k], &h[i].nodes[k]);
		e[i] = (struct pv_mps_event){h[i].how, event_images[i], h[i].n, h[i].slot};
	}
	return pv_oracle_mps_events(p, e, n, got, n_got);
}

static void expect_after(enum pv_mps_policy p, const struct happening *h, size_t n, const uint16_t *want, size_t n_want)
{
	size_t n_got = 0;

	cr_assert_eq(happen(p, h, n, &n_got), 0);
	cr_assert_eq(n_got, n_want);
	for (size_t i = 0; i < n_want; i++)
		cr_expect_eq(got[i].mps, want[i], "policy %d, function %zu: MPS: expected %u, got %u", p, i, want[i],
			     got[i].mps);
}

#define EXPECT_AFTER(policy, h, ...)                                                \
	expect_after(PV_MPS_##policy, h, COUNT(h), (const uint16_t[]){__VA_ARGS__}, \
		     COUNT(((const uint16_t[]){__VA_ARGS__})))

/* Two slots: a Root Port, and a Downstream Port of a switch behind another Root Port. */
static const struct node slots[] = {{0x0080, RP, 512, 256, 512, 1, true},
				    {0x0088, RP, 512, 256, 512, 2},
				    {0x0200, UP, 512, 256, 512, 3},
				    {0x0300, DOWN, 512, 256, 512, 4, true}};
static const struct node card_1[] = {{0x0100, EP, 256, 128, 512}, {0x0101, EP, 128, 128, 512}};
static const struct node card_4[] = {{0x0400, EP, 256, 128, 512}};

static const struct happening plugged_1[] = {{PV_MPS_AT_BOOT, 0, slots, COUNT(slots)},
					     {PV_MPS_AT_HOTPLUG, 0x0080, card_1, COUNT(card_1)}};
static const struct happening plugged_4[] = {{PV_MPS_AT_BOOT, 0, slots, COUNT(slots)},
					     {PV_MPS_AT_HOTPLUG, 0x0300, card_4, COUNT(card_4)}};
static const struct happening rescanned_1[] = {{PV_MPS_AT_BOOT, 0, slots, COUNT(slots)},
					       {PV_MPS_AT_RESCAN, 0, card_1, COUNT(card_1)}};

Test(mps, hot_plug_below_a_root_port)
{
	EXPECT_AFTER(TUNE_OFF, plugged_1, 256, 256, 256, 256, 128, 128);
	EXPECT_AFTER(DEFAULT, plugged_1, 128, 256, 256, 256, 256,
		     128); /* 256, then its second function takes it to 128 */
	EXPECT_AFTER(SAFE, plugged_1, 128, 128, 128, 128, 128, 128);
	EXPECT_AFTER(PERFORMANCE, plugged_1, 512, 512, 512, 512, 256, 128);
	EXPECT_AFTER(PEER2PEER, plugged_1, 128, 128, 128, 128, 128, 128);
	cr_assert_eq(got[4].mrrs, 512);
}

Test(mps, hot_plug_below_a_switch)
{
	EXPECT_AFTER(DEFAULT, plugged_4, 256, 256, 256, 256, 256);
	EXPECT_AFTER(SAFE, plugged_4, 512, 128, 128, 128, 128);
	EXPECT_AFTER(PERFORMANCE, plugged_4, 512, 512, 512, 512, 256);
	cr_assert_eq(got[4].mrrs, 256);
}

Test(mps, hot_plug_in_a_conventional_tree_is_configured_all_the_same)
{
	static const struct node old[] = {{0x0028, CONV_BRIDGE, .secondary = 9},
					  {0x0900, TO_PCIE, 512, 256, 512, 10, true}};
	static const struct node card[] = {{0x0a00, EP, 256, 128, 512}};
	static const struct happening h[] = {{PV_MPS_AT_BOOT, 0, old, 2}, {PV_MPS_AT_HOTPLUG, 0x0900, card, 1}};

	EXPECT_AFTER(SAFE, h, 0, 128, 128);
	/* The slot takes 128 of the conventional bridge above it. */
	EXPECT_AFTER(PERFORMANCE, h, 0, 128, 128);
}

Test(mps, rescan_is_step_1_alone)
{
	EXPECT_AFTER(DEFAULT, rescanned_1, 128, 256, 256, 256, 256, 128);
	EXPECT_AFTER(SAFE, rescanned_1, 512, 128, 128, 128, 128, 128);
	EXPECT_AFTER(PERFORMANCE, rescanned_1, 512, 512, 512, 512, 128, 128);
	cr_assert_eq(got[4].mrrs, 512);
}

Test(mps, what_was_found_before_a_rescan_is_not_found_again)
{
	/* 00:10.0 is at 128 for its second function; the first is not brought there by the rescan. */
	static const struct happening h[] = {{PV_MPS_AT_BOOT, 0, slots, COUNT(slots)},
					     {PV_MPS_AT_HOTPLUG, 0x0080, card_1, COUNT(card_1)},
					     {PV_MPS_AT_RESCAN, 0, card_4, COUNT(card_4)}};

	EXPECT_AFTER(DEFAULT, h, 128, 256, 256, 256, 256, 128, 256);
}

Test(mps, slot_keeps_its_size_when_its_card_leaves)
{
	static const struct happening h[] = {{PV_MPS_AT_BOOT, 0, slots, COUNT(slots)},
					     {PV_MPS_AT_HOTPLUG, 0x0080, card_1, COUNT(card_1)},
					     {PV_MPS_UNPLUG, 0x0080}};
	static const struct happening again[] = {{PV_MPS_AT_BOOT, 0, slots, COUNT(slots)},
						 {PV_MPS_AT_HOTPLUG, 0x0080, card_1, COUNT(card_1)},
						 {PV_MPS_UNPLUG, 0x0080},
						 {PV_MPS_AT_HOTPLUG, 0x0080, card_1, 1}};

	EXPECT_AFTER(DEFAULT, h, 128, 256, 256, 256);
	EXPECT_AFTER(DEFAULT, again, 128, 256, 256, 256, 128);
	EXPECT_AFTER(SAFE, again, 256, 128, 128, 128, 256);
	cr_assert_eq(got[4].bdf, 0x0100);
}

Test(mps, all_below_a_slot_leaves)
{
	static const struct happening h[] = {{PV_MPS_AT_BOOT, 0, slots, COUNT(slots)}, {PV_MPS_UNPLUG, 0x0088}};

	EXPECT_AFTER(SAFE, h, 512, 128);
}

Test(mps, second_boot_forgets_the_first)
{
	static const struct happening h[] = {{PV_MPS_AT_BOOT, 0, slots, COUNT(slots)},
					     {PV_MPS_AT_BOOT, 0, slots, COUNT(slots)}};

	EXPECT_AFTER(SAFE, h, 512, 128, 128, 128);
}

Test(mps, events_that_cannot_be)
{
	static const struct happening twice[] = {{PV_MPS_AT_BOOT, 0, slots, COUNT(slots)},
						 {PV_MPS_AT_RESCAN, 0, slots, 1}};
	static const struct happening no_slot[] = {{PV_MPS_AT_BOOT, 0, slots, COUNT(slots)},
						   {PV_MPS_AT_HOTPLUG, 0x0090, card_1, COUNT(card_1)}};
	static const struct happening nothing_leaves[] = {{PV_MPS_UNPLUG, 0x0080}};
	size_t n;

	cr_expect_eq(happen(PV_MPS_SAFE, twice, COUNT(twice), &n), -EINVAL);
	cr_expect_eq(happen(PV_MPS_SAFE, no_slot, COUNT(no_slot), &n), -EINVAL);
	cr_expect_eq(happen(PV_MPS_SAFE, nothing_leaves, COUNT(nothing_leaves), &n), -EINVAL);
}

/* ---- domains ---- */

#define D(domain, rid) PCI_IN_DOMAIN(domain, rid)

/* Two machines with the same bus numbers, told in turn. */
static const struct node domains[] = {
	{D(0, 0x0080), RP, 512, 128, 512, 1, true}, {D(1, 0x0080), RP, 512, 128, 512, 1, true},
	{D(0, 0x0100), EP, 512, 128, 512},	    {D(1, 0x0100), EP, 256, 128, 512},
	{D(1, 0x0101), EP, 512, 128, 512},
};

Test(mps, policies_look_at_each_domain_alone)
{
	EXPECT_MPS(DEFAULT, domains, 128, 128, 128, 128, 128);
	EXPECT_MPS(SAFE, domains, 512, 256, 512, 256, 256);
	EXPECT_MPS(PERFORMANCE, domains, 512, 512, 512, 256, 512);
	EXPECT_MRRS(domains, 512, 512, 512, 256, 512);
}

Test(mps, host_bridge_is_one_of_a_domain)
{
	static const struct node m[] = {
		{D(0, 0x0080), RP, 512, 128, 256, 1},
		{D(2, 0x0080), RP, 512, 128, 256, 1, .id = 0x7a090014},
	};

	EXPECT_MRRS(m, 512, 256);
}

Test(mps, slot_is_one_of_a_domain)
{
	static const struct node card[] = {{D(1, 0x0100), EP, 256, 128, 512}};
	static const struct happening plugged[] = {{PV_MPS_AT_BOOT, 0, domains, 3},
						   {PV_MPS_AT_HOTPLUG, D(1, 0x0080), card, 1}};
	static const struct happening unplugged[] = {{PV_MPS_AT_BOOT, 0, domains, COUNT(domains)},
						     {PV_MPS_UNPLUG, D(1, 0x0080), NULL, 0}};
	static const struct happening nowhere[] = {{PV_MPS_AT_BOOT, 0, domains, COUNT(domains)},
						   {PV_MPS_UNPLUG, D(2, 0x0080), NULL, 0}};
	size_t n_got;

	EXPECT_AFTER(SAFE, plugged, 512, 256, 512, 256);
	EXPECT_AFTER(SAFE, unplugged, 512, 256, 512);
	cr_expect_eq(got[1].bdf, D(1, 0x0080));
	cr_expect_eq(got[2].bdf, D(0, 0x0100));
	cr_expect_eq(happen(PV_MPS_SAFE, nowhere, COUNT(nowhere), &n_got), -EINVAL);
}

Test(mps, virtual_functions_are_those_of_their_domain)
{
	static const struct node m[] = {
		{D(3, 0x0080), RP, 512, 256, 512, 1}, {D(3, 0x0100), EP, 512, 256, 512},
		{D(3, 0x0101), EP, 512, 128, 512},    {D(4, 0x0080), RP, 512, 256, 512, 1},
		{D(4, 0x0100), EP, 512, 256, 512},    {D(4, 0x0101), EP, 512, 128, 512},
	};
	uint32_t cap = PCI_EXT_CAP_START;

	for (size_t i = 0; i < COUNT(m); i++)
		make_image(&images[i], &m[i]);
	put16(&images[4], cap, PCI_EXT_CAP_ID_SRIOV);
	put16(&images[4], cap + PCI_SRIOV_CTRL, PCI_SRIOV_CTRL_VFE);
	put16(&images[4], cap + 2, 1);
	put16(&images[4], cap + PCI_SRIOV_NUM_VF, 1);
	put16(&images[4], cap + PCI_SRIOV_VF_OFFSET, 1);
	put16(&images[4], cap + PCI_SRIOV_VF_STRIDE, 1);
	cr_assert_eq(expect_boot(PV_MPS_DEFAULT, images, COUNT(m), NULL, got), 0);
	cr_expect_eq(got[2].mps, 256);
	cr_expect_eq(got[5].mps, 128);
}
