/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MPS policies, worked out by hand for small machines. A machine is a table of functions; its
 * configuration space is made from that here.
 */
#include "framework/oracle/oracle.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"

enum kind {
	EP = 0,
	LEGACY = 1,
	RP = 4,
	UP = 5,
	DOWN = 6,
	TO_PCI = 7,
	TO_PCIE = 8,
	RCIEP = 9,
	RCEC = 10,
	CONV = 100,
	CONV_BRIDGE
};

struct node {
	uint16_t bdf;
	enum kind kind;
	unsigned mpss, mps, mrrs;
	uint8_t secondary;
	bool hotplug, vf;
};

static unsigned field(unsigned bytes)
{
	return bytes ? __builtin_ctz(bytes) - 7 : 0;
}

static void put16(struct pv_cfg_image *c, unsigned at, unsigned v)
{
	c->data[at] = v & 0xff;
	c->data[at + 1] = v >> 8 & 0xff;
}

static void make_image(struct pv_cfg_image *c, const struct node *n)
{
	bool bridge = (n->kind >= RP && n->kind <= TO_PCIE) || n->kind == CONV_BRIDGE;
	unsigned cap = 0x60;

	memset(c, 0, sizeof(*c));
	c->bdf = n->bdf;
	put16(c, PCI_VENDOR_ID, n->vf ? 0xffff : 0x19e5);
	put16(c, PCI_DEVICE_ID, n->vf ? 0xffff : 0x1234);
	c->data[PCI_HEADER_TYPE] = bridge;
	c->data[PCI_SECONDARY_BUS] = n->secondary;
	c->data[PCI_SUBORDINATE_BUS] = n->secondary;
	if (n->kind >= CONV)
		return;
	put16(c, PCI_STATUS, PCI_STATUS_CAP_LIST);
	c->data[PCI_CAPABILITIES] = 0x40; /* MSI first: the list must be walked */
	c->data[0x40] = PCI_CAP_ID_MSI;
	c->data[0x41] = cap;
	c->data[cap] = PCI_CAP_ID_EXP;
	put16(c, cap + PCI_EXP_FLAGS, 2 | n->kind << PCI_EXP_FLAGS_TYPE_SHIFT | (n->hotplug ? PCI_EXP_FLAGS_SLOT : 0));
	c->data[cap + PCI_EXP_DEVCAP] = field(n->mpss);
	put16(c, cap + PCI_EXP_DEVCTL,
	      field(n->mps) << PCI_EXP_DEVCTL_MPS_SHIFT | field(n->mrrs) << PCI_EXP_DEVCTL_MRRS_SHIFT | 0x0810);
	c->data[cap + PCI_EXP_SLTCAP] = n->hotplug ? PCI_EXP_SLTCAP_HPC : 0;
}

#define MAX_NODES 16
static struct pv_cfg_image images[MAX_NODES];
static struct pv_mps_expect got[MAX_NODES];

static void apply(enum pv_oracle_policy p, const struct node *nodes, size_t n, const uint16_t *mrrs_max)
{
	for (size_t i = 0; i < n; i++)
		make_image(&images[i], &nodes[i]);
	cr_assert(zero(int, pv_oracle_mps(p, images, n, mrrs_max, got)));
}

/* The MPS of each function, in the order of the table; and the same with MRRS. */
static void expect_mps(enum pv_oracle_policy p, const struct node *nodes, size_t n, const uint16_t *want)
{
	apply(p, nodes, n, NULL);
	for (size_t i = 0; i < n; i++) {
		cr_expect(eq(u16, got[i].bdf, nodes[i].bdf));
		cr_expect(eq(u16, got[i].mps, want[i]), "policy %d, function %zu", p, i);
	}
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define EXPECT_MPS(policy, nodes, ...) \
	expect_mps(PV_POLICY_##policy, nodes, COUNT(nodes), (const uint16_t[COUNT(nodes)]){__VA_ARGS__})

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

	for (int p = PV_POLICY_TUNE_OFF; p <= PV_POLICY_PEER2PEER; p++) {
		apply(p, simple, COUNT(simple), NULL);
		cr_expect(eq(u16, got[4].mrrs, p == PV_POLICY_PERFORMANCE ? 256 : 512), "policy %d", p);
	}
	apply(PV_POLICY_PERFORMANCE, simple, COUNT(simple), NULL);
	for (size_t i = 0; i < COUNT(simple); i++)
		cr_expect(eq(u16, got[i].mrrs, want[i]), "function %zu", i);
}

Test(mps, default_leaves_equal_sizes_alone)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1}, {0x0100, EP, 512, 128, 512}};

	EXPECT_MPS(DEFAULT, m, 128, 128);
}

Test(mps, default_raises_the_function_to_the_port)
{
	static const struct node m[] = {{0x0080, RP, 512, 256, 512, 1}, {0x0100, EP, 512, 128, 512}};

	EXPECT_MPS(DEFAULT, m, 256, 256);
}

Test(mps, default_lowers_the_function_to_the_port)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1}, {0x0100, EP, 512, 512, 512}};

	EXPECT_MPS(DEFAULT, m, 128, 128);
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

	for (int p = PV_POLICY_TUNE_OFF; p <= PV_POLICY_PEER2PEER; p++) {
		apply(p, m, COUNT(m), NULL);
		cr_expect(eq(u16, got[2].mps, 128), "policy %d", p);
		cr_expect(eq(u16, got[2].mrrs, 128), "policy %d", p);
	}
	EXPECT_MPS(SAFE, m, 256, 256, 128);
}

Test(mps, virtual_functions_known_from_the_pf)
{
	static const struct node m[] = {
		{0x0080, RP, 512, 256, 512, 1}, {0x0100, EP, 512, 128, 512}, {0x0104, EP, 128, 128, 128}};

	for (size_t i = 0; i < COUNT(m); i++)
		make_image(&images[i], &m[i]);
	put16(&images[1], 0x100, PCI_EXT_CAP_ID_SRIOV); /* version 0, next 0 */
	put16(&images[1], 0x110, 1);			/* NumVFs */
	put16(&images[1], 0x114, 4);			/* First VF Offset */
	cr_assert(zero(int, pv_oracle_mps(PV_POLICY_SAFE, images, 3, NULL, got)));
	cr_assert(eq(u16, got[1].mps, 512));
	cr_assert(eq(u16, got[2].mps, 128));
}

Test(mps, virtual_functions_that_are_told)
{
	static const struct node m[] = {
		{0x0080, RP, 512, 256, 512, 1}, {0x0100, EP, 512, 128, 512}, {0x0101, EP, 128, 128, 128}};

	for (size_t i = 0; i < COUNT(m); i++)
		make_image(&images[i], &m[i]);
	images[2].vf = true;
	cr_assert(zero(int, pv_oracle_mps(PV_POLICY_SAFE, images, 3, NULL, got)));
	cr_assert(eq(u16, got[1].mps, 512));
	cr_assert(eq(u16, got[2].mps, 128));
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

	for (int p = PV_POLICY_TUNE_OFF; p <= PV_POLICY_PEER2PEER; p++) {
		apply(p, m, COUNT(m), NULL);
		cr_expect(eq(u16, got[1].mps, 256), "policy %d", p);
	}
}

Test(mps, mrrs_is_halved_until_it_is_held)
{
	static const struct node m[] = {
		{0x0080, RP, 1024, 128, 512, 1}, {0x0100, EP, 1024, 128, 4096}, {0x0101, EP, 1024, 128, 512}};
	static const uint16_t mrrs_max[] = {4096, 256, 4096};

	apply(PV_POLICY_PERFORMANCE, m, COUNT(m), mrrs_max);
	cr_assert(eq(u16, got[0].mrrs, 1024));
	cr_assert(eq(u16, got[1].mrrs, 256));
	cr_assert(eq(u16, got[2].mrrs, 1024));
	cr_assert(eq(u16, got[1].mps, 1024));
}

/* ---- machines that lie ---- */

Test(mps, bus_numbers_in_circles_end)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1},	  {0x0100, UP, 512, 128, 512, 2},
					{0x0200, DOWN, 512, 128, 512, 1}, {0x0208, DOWN, 512, 128, 512, 2},
					{0x0500, UP, 512, 128, 512, 6},	  {0x0600, DOWN, 512, 128, 512, 5}};

	for (int p = PV_POLICY_TUNE_OFF; p <= PV_POLICY_PEER2PEER; p++)
		apply(p, m, COUNT(m), NULL);
	EXPECT_MPS(SAFE, m, 512, 512, 512, 512, 128, 128);
}

Test(mps, capability_list_in_circles_ends)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1}};

	make_image(&images[0], &m[0]);
	images[0].data[0x41] = 0x40;
	cr_assert(zero(int, pv_oracle_mps(PV_POLICY_SAFE, images, 1, NULL, got)));
	cr_assert(eq(u16, got[0].mps, 0)); /* not found: not PCIe */
}

Test(mps, function_twice_is_refused)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1}, {0x0080, RP, 512, 128, 512, 1}};

	make_image(&images[0], &m[0]);
	make_image(&images[1], &m[1]);
	cr_assert(eq(int, pv_oracle_mps(PV_POLICY_SAFE, images, 2, NULL, got), -EINVAL));
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
		cr_assert(zero(int, pv_oracle_mps(round % 5, images, MAX_NODES, NULL, got)));
	}
}

Test(mps, no_functions_no_expectations)
{
	cr_assert(zero(int, pv_oracle_mps(PV_POLICY_SAFE, NULL, 0, NULL, NULL)));
}
