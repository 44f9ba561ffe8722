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
	pv_bdf bdf;
	enum kind kind;
	unsigned mpss, mps, mrrs;
	uint8_t secondary;
	bool hotplug, vf;
	bool no_slot;	    /* hot-plug capable without Slot Implemented */
	uint32_t id;	    /* device << 16 | vendor, 0: of no quirk */
	uint16_t devctl_ro; /* bits that no write changes */
	uint16_t mrrs_max;  /* 0: takes all */
	bool hides;	    /* function 0 does not say that there are others */
	bool forwards_ari;
	bool ari;
	uint8_t ari_next;
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
	c->devctl_ro = n->devctl_ro;
	c->mrrs_max = n->mrrs_max;
	put16(c, PCI_VENDOR_ID, n->vf ? 0xffff : n->id ? n->id & 0xffff : 0x19e5);
	put16(c, PCI_DEVICE_ID, n->vf ? 0xffff : n->id ? n->id >> 16 : 0x1234);
	c->data[PCI_HEADER_TYPE] = bridge | (n->hides ? 0 : PCI_HEADER_MULTI_FUNCTION);
	c->data[PCI_SECONDARY_BUS] = n->secondary;
	c->data[PCI_SUBORDINATE_BUS] = n->secondary;
	if (n->kind >= CONV)
		return;
	put16(c, PCI_STATUS, PCI_STATUS_CAP_LIST);
	c->data[PCI_CAPABILITIES] = 0x40; /* MSI first: the list must be walked */
	c->data[0x40] = PCI_CAP_ID_MSI;
	c->data[0x41] = cap;
	c->data[cap] = PCI_CAP_ID_EXP;
	put16(c, cap + PCI_EXP_FLAGS,
	      2 | n->kind << PCI_EXP_FLAGS_TYPE_SHIFT | (n->hotplug && !n->no_slot ? PCI_EXP_FLAGS_SLOT : 0));
	c->data[cap + PCI_EXP_DEVCAP] = field(n->mpss);
	put16(c, cap + PCI_EXP_DEVCTL,
	      field(n->mps) << PCI_EXP_DEVCTL_MPS_SHIFT | field(n->mrrs) << PCI_EXP_DEVCTL_MRRS_SHIFT | 0x0810);
	c->data[cap + PCI_EXP_SLTCAP] = n->hotplug ? PCI_EXP_SLTCAP_HPC : 0;
	c->data[cap + PCI_EXP_DEVCAP2] = n->forwards_ari ? PCI_EXP_DEVCAP2_ARI : 0;
	if (n->ari) {
		put16(c, PCI_EXT_CAP_START, PCI_EXT_CAP_ID_ARI);
		put16(c, PCI_EXT_CAP_START + PCI_ARI_CAP, n->ari_next << 8);
	}
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

Test(mps, mrrs_is_written_once_and_a_device_may_keep_another)
{
	static const struct node m[] = {
		{0x0080, RP, 1024, 128, 512, 1}, {0x0100, EP, 1024, 128, 128}, {0x0101, EP, 1024, 128, 512}};
	static const uint16_t mrrs_max[] = {4096, 256, 4096};

	apply(PV_POLICY_PERFORMANCE, m, COUNT(m), mrrs_max);
	cr_assert(eq(u16, got[0].mrrs, 1024));
	cr_assert(eq(u16, got[1].mrrs, 128)); /* not 256, which it could do */
	cr_assert(eq(u16, got[2].mrrs, 1024));
	cr_assert(eq(u16, got[1].mps, 1024));
}

/* The MRRS of each function under performance, in the order of the table. */
static void expect_mrrs(const struct node *nodes, size_t n, const uint16_t *want)
{
	apply(PV_POLICY_PERFORMANCE, nodes, n, NULL);
	for (size_t i = 0; i < n; i++)
		cr_expect(eq(u16, got[i].mrrs, want[i]), "function %zu", i);
}

#define EXPECT_MRRS(nodes, ...) expect_mrrs(nodes, COUNT(nodes), (const uint16_t[COUNT(nodes)]){__VA_ARGS__})

Test(mps, mrrs_limit_in_the_image)
{
	static const struct node m[] = {{0x0080, RP, 512, 128, 512, 1},
					{0x0100, EP, 512, 128, 256, .mrrs_max = 256},
					{0x0101, EP, 512, 128, 256, .mrrs_max = 512}};

	EXPECT_MRRS(m, 512, 256, 512);
}

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

/* ---- events ---- */

#define MAX_EVENTS 4
static struct pv_cfg_image event_images[MAX_EVENTS][MAX_NODES];

struct happening {
	enum pv_mps_arrival how;
	pv_bdf slot;
	const struct node *nodes;
	size_t n;
};

static int happen(enum pv_oracle_policy p, const struct happening *h, size_t n, size_t *n_got)
{
	struct pv_mps_event e[MAX_EVENTS];

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < h[i].n; k++)
			make_image(&event_images[i][k], &h[i].nodes[k]);
		e[i] = (struct pv_mps_event){h[i].how, event_images[i], h[i].n, h[i].slot};
	}
	return pv_oracle_mps_events(p, e, n, got, n_got);
}

static void expect_after(enum pv_oracle_policy p, const struct happening *h, size_t n, const uint16_t *want,
			 size_t n_want)
{
	size_t n_got = 0;

	cr_assert(zero(int, happen(p, h, n, &n_got)));
	cr_assert(eq(sz, n_got, n_want));
	for (size_t i = 0; i < n_want; i++)
		cr_expect(eq(u16, got[i].mps, want[i]), "policy %d, function %zu", p, i);
}

#define EXPECT_AFTER(policy, h, ...)                                                   \
	expect_after(PV_POLICY_##policy, h, COUNT(h), (const uint16_t[]){__VA_ARGS__}, \
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
	cr_assert(eq(u16, got[4].mrrs, 512));
}

Test(mps, hot_plug_below_a_switch)
{
	EXPECT_AFTER(DEFAULT, plugged_4, 256, 256, 256, 256, 256);
	EXPECT_AFTER(SAFE, plugged_4, 512, 128, 128, 128, 128);
	EXPECT_AFTER(PERFORMANCE, plugged_4, 512, 512, 512, 512, 256);
	cr_assert(eq(u16, got[4].mrrs, 256));
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
	cr_assert(eq(u16, got[4].mrrs, 512));
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
	cr_assert(eq(u16, got[4].bdf, 0x0100));
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

	cr_expect(eq(int, happen(PV_POLICY_SAFE, twice, COUNT(twice), &n), -EINVAL));
	cr_expect(eq(int, happen(PV_POLICY_SAFE, no_slot, COUNT(no_slot), &n), -EINVAL));
	cr_expect(eq(int, happen(PV_POLICY_SAFE, nothing_leaves, COUNT(nothing_leaves), &n), -EINVAL));
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
