/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The five MPS/MRRS policies on small trees; the expected values are worked out by hand from
 * docs/hardware-notes.md section 4.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "drivers/core/mps.h"
#include "drivers/regs/pcie.h"

enum { CAP = 0x40, FUNCS_MAX = 16, NOTES_MAX = 64, NONE = -1 };

#define RP	 PCI_EXP_TYPE_ROOT_PORT
#define UP	 PCI_EXP_TYPE_UPSTREAM
#define DOWN	 PCI_EXP_TYPE_DOWNSTREAM
#define EP	 PCI_EXP_TYPE_ENDPOINT
#define RCIEP	 PCI_EXP_TYPE_RC_END
#define RCEC	 PCI_EXP_TYPE_RC_EC
#define TO_PCI	 PCI_EXP_TYPE_PCI_BRIDGE
#define FROM_PCI PCI_EXP_TYPE_PCIE_BRIDGE
#define CONV	 (-2) /* a function without the PCI Express capability */
#define TUNE_OFF PV_MPS_TUNE_OFF
#define DEFAULT	 PV_MPS_DEFAULT
#define SAFE	 PV_MPS_SAFE
#define PERF	 PV_MPS_PERFORMANCE
#define P2P	 PV_MPS_PEER2PEER

/* One function of a tree: `up` is the index of its bridge. Sizes in bytes. */
struct spec {
	int up, type;
	int mpss, mps, mrrs;
	bool bridge, hotplug, vf;
	int mrrs_max; /* 0: 4096; what the device holds at most */
	bool stuck;   /* keeps its MPS whatever is written */
	bool no_slot; /* hot-plug capable, but without Slot Implemented */
	uint16_t vendor, device;
	uint16_t ro; /* bits of Device Control that cannot be written */
};

static struct pv_mps_func func[FUNCS_MAX];
static struct spec spec[FUNCS_MAX];
static uint16_t devctl[FUNCS_MAX];
static unsigned count;
static struct pv_mps mps;
static struct pv_mps_host host;
static struct {
	unsigned func;
	enum pv_mps_note note;
	int a, b;
} notes[NOTES_MAX];
static unsigned note_count;

static unsigned field(int bytes)
{
	unsigned n = 0;

	while (128 << n < bytes)
		n++;
	return n;
}

static uint32_t spec_read(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	const struct spec *s = &spec[bdf];

	switch (off - CAP) {
	case PCI_EXP_FLAGS:
		return (unsigned)s->type << PCI_EXP_FLAGS_TYPE_SHIFT | 2 | (s->no_slot ? 0u : PCI_EXP_FLAGS_SLOT);
	case PCI_EXP_DEVCAP:
		return field(s->mpss);
	case PCI_EXP_DEVCTL:
		return devctl[bdf];
	case PCI_EXP_SLTCAP:
		return s->hotplug ? PCI_EXP_SLTCAP_HPC : 0;
	}
	return 0;
}

static void spec_write(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value)
{
	const struct spec *s = &spec[bdf];
	uint16_t keep = s->ro | (s->stuck || s->vf ? PCI_EXP_DEVCTL_MPS : 0);

	cr_assert_eq(off, CAP + PCI_EXP_DEVCTL);
	if (s->vf || (s->mrrs_max && (int)(128u << ((value & PCI_EXP_DEVCTL_MRRS) >> 12)) > s->mrrs_max))
		keep |= PCI_EXP_DEVCTL_MRRS;
	devctl[bdf] = (uint16_t)((devctl[bdf] & keep) | (value & ~keep));
}

static void on_note(void *ctx, const struct pv_mps_func *f, enum pv_mps_note note, int a, int b)
{
	cr_assert_lt(note_count, NOTES_MAX);
	notes[note_count].func = (unsigned)(f - func);
	notes[note_count].note = note;
	notes[note_count].a = a;
	notes[note_count++].b = b;
}

static bool noted(unsigned f, enum pv_mps_note note, int a, int b)
{
	unsigned i;

	for (i = 0; i < note_count; i++)
		if (notes[i].func == f && notes[i].note == note && notes[i].a == a && notes[i].b == b)
			return true;
	return false;
}

/* Builds the tree, which is given depth first, and finds it under the policy. */
static void find(enum pv_mps_policy policy, const struct spec *tree, unsigned n)
{
	unsigned i;

	memset(func, 0, sizeof(func));
	count = n;
	note_count = 0;
	mps = (struct pv_mps){.policy = policy, .note = on_note};
	host = (struct pv_mps_host){0};
	for (i = 0; i < n; i++) {
		spec[i] = tree[i];
		devctl[i] = (uint16_t)(0x2810 | field(tree[i].mps) << 5);
		devctl[i] = (uint16_t)((devctl[i] & 0x8fff) | field(tree[i].mrrs ? tree[i].mrrs : 512) << 12);
		func[i].cfg = (struct pv_cfg){NULL, (uint16_t)i, spec_read, spec_write};
		func[i].vendor = tree[i].vendor;
		func[i].device = tree[i].device;
		func[i].pcie = tree[i].type == CONV ? 0 : CAP;
		func[i].is_bridge = tree[i].bridge;
		func[i].is_vf = tree[i].vf;
		func[i].bridge = tree[i].up == NONE ? NULL : &func[tree[i].up];
		func[i].host = &host;
		func[i].next = i + 1 < n ? &func[i + 1] : NULL;
		pv_mps_init(&func[i]);
	}
	for (i = 0; i < n; i++)
		pv_mps_found(&mps, &func[i]);
}

static void boot(enum pv_mps_policy policy, const struct spec *tree, unsigned n)
{
	find(policy, tree, n);
	pv_mps_scanned(&mps, func);
}

static void expect_mps(const int *bytes)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (func[i].pcie)
			cr_expect_eq(pv_mps_get(&func[i]), bytes[i], "function %u: MPS %d, expected %d", i,
				     pv_mps_get(&func[i]), bytes[i]);
}

#define EXPECT_MPS(...)	   expect_mps((const int[]){__VA_ARGS__})
#define BOOT(policy, tree) boot(policy, tree, sizeof(tree) / sizeof(tree[0]))
#define FIND(policy, tree) find(policy, tree, sizeof(tree) / sizeof(tree[0]))

/* Root Port 512 at 256, a function of 256 at 128. */
static const struct spec simple[] = {
	{NONE, RP, .mpss = 512, .mps = 256, .bridge = true},
	{0, EP, .mpss = 256, .mps = 128, .mrrs = 512},
};

Test(mps, tune_off_keeps_all_and_warns)
{
	BOOT(TUNE_OFF, simple);
	EXPECT_MPS(256, 128);
	cr_assert(noted(1, PV_MPS_NOTE_MISMATCH, 128, 256));
	cr_assert_eq(note_count, 1);
}

Test(mps, default_matches_the_bridge)
{
	BOOT(DEFAULT, simple);
	EXPECT_MPS(256, 256);
	cr_assert_eq(pv_mrrs_get(&func[1]), 512);
}

Test(mps, safe_is_the_smallest_most)
{
	BOOT(SAFE, simple);
	EXPECT_MPS(256, 256);
	cr_assert_eq(pv_mrrs_get(&func[1]), 512);
}

Test(mps, performance_gives_the_port_its_most_and_mrrs_the_mps)
{
	BOOT(PERF, simple);
	EXPECT_MPS(512, 256);
	cr_expect_eq(pv_mrrs_get(&func[0]), 512);
	cr_expect_eq(pv_mrrs_get(&func[1]), 256);
}

Test(mps, peer2peer_is_128_everywhere)
{
	BOOT(P2P, simple);
	EXPECT_MPS(128, 128);
	cr_assert_eq(pv_mrrs_get(&func[1]), 512);
}

Test(mps, other_fields_of_the_register_are_left_alone)
{
	BOOT(PERF, simple);
	cr_assert_eq(devctl[1] & 0x0f1f, 0x0810);
}

Test(mps, default_lowers_a_root_port_to_its_function)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 512, .mps = 512, .bridge = true},
		{0, EP, .mpss = 128, .mps = 128},
	};

	/* Equal at 128 each there is nothing to do; 512 against 128 the port gives way. */
	BOOT(DEFAULT, tree);
	EXPECT_MPS(128, 128);
	cr_assert(noted(0, PV_MPS_NOTE_SET, 128, 512));
}

Test(mps, default_does_not_lower_a_switch_port)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 512, .mps = 512, .bridge = true}, {0, UP, .mpss = 512, .mps = 128, .bridge = true},
		{1, DOWN, .mpss = 512, .mps = 128, .bridge = true},  {2, EP, .mpss = 256, .mps = 128},
		{1, DOWN, .mpss = 512, .mps = 128, .bridge = true},  {4, EP, .mpss = 1024, .mps = 128},
	};

	/* All take the 512 of the Root Port but the function whose most is 256: it is refused and stays. */
	BOOT(DEFAULT, tree);
	EXPECT_MPS(512, 512, 512, 128, 512, 512);
	cr_assert(noted(3, PV_MPS_NOTE_REFUSED, 512, 256));
}

Test(mps, default_with_functions_of_different_most)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 512, .mps = 512, .bridge = true},
		{0, EP, .mpss = 256, .mps = 128},
		{0, EP, .mpss = 128, .mps = 128},
		{0, EP, .mpss = 512, .mps = 512},
	};

	/* 0.0: port to 256, it too. 0.1: port to 128. 0.2: down to 128. 0.0 keeps its 256, as under Linux. */
	BOOT(DEFAULT, tree);
	EXPECT_MPS(128, 256, 128, 128);
}

/* Two Root Ports; below the first a switch with a slot that may take more cards. */
static const struct spec machine[] = {
	{NONE, RP, .mpss = 512, .mps = 128, .bridge = true, .hotplug = true},
	{0, UP, .mpss = 1024, .mps = 128, .bridge = true},
	{1, DOWN, .mpss = 1024, .mps = 128, .bridge = true, .hotplug = true},
	{1, DOWN, .mpss = 1024, .mps = 128, .bridge = true},
	{3, EP, .mpss = 256, .mps = 128, .mrrs = 4096},
	{NONE, RP, .mpss = 256, .mps = 128, .bridge = true, .hotplug = true},
	{5, EP, .mpss = 512, .mps = 128, .mrrs = 4096},
	{NONE, RP, .mpss = 512, .mps = 128, .bridge = true},
};

Test(mps, safe_gives_way_to_a_slot_below_a_switch_but_not_to_a_root_port_s)
{
	BOOT(SAFE, machine);
	EXPECT_MPS(128, 128, 128, 128, 128, 256, 256, 512);
}

Test(mps, performance_goes_down_from_bridge_to_bridge)
{
	BOOT(PERF, machine);
	EXPECT_MPS(512, 512, 512, 512, 256, 256, 256, 512);
	cr_expect_eq(pv_mrrs_get(&func[4]), 256);
	cr_expect_eq(pv_mrrs_get(&func[6]), 256);
	cr_expect_eq(pv_mrrs_get(&func[2]), 512);
}

Test(mps, empty_slot_has_its_bridge_configured)
{
	BOOT(P2P, machine);
	EXPECT_MPS(128, 128, 128, 128, 128, 128, 128, 128);
	BOOT(PERF, machine);
	cr_assert_eq(pv_mps_get(&func[7]), 512);
}

Test(mps, integrated_endpoints_and_event_collectors)
{
	static const struct spec tree[] = {
		{NONE, RCIEP, .mpss = 512, .mps = 128},
		{NONE, RCEC, .mpss = 512, .mps = 256},
	};

	/* RCiEP: its most, 128 under peer2peer. Event collector: no bridge above, heads no bus: nothing. */
	BOOT(TUNE_OFF, tree);
	EXPECT_MPS(512, 256);
	BOOT(DEFAULT, tree);
	EXPECT_MPS(512, 256);
	BOOT(SAFE, tree);
	EXPECT_MPS(512, 256);
	BOOT(PERF, tree);
	EXPECT_MPS(512, 256);
	BOOT(P2P, tree);
	EXPECT_MPS(128, 256);
}

Test(mps, virtual_function_is_left_alone)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 512, .mps = 512, .bridge = true},
		{0, EP, .mpss = 512, .mps = 512},
		{0, EP, .mpss = 128, .mps = 128, .vf = true},
	};

	BOOT(DEFAULT, tree);
	EXPECT_MPS(512, 512, 128);
	BOOT(SAFE, tree);
	EXPECT_MPS(512, 512, 128);
	cr_assert_eq(note_count, 0);
}

Test(mps, conventional_bridges)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 512, .mps = 128, .bridge = true},
		{0, TO_PCI, .mpss = 256, .mps = 128, .bridge = true},
		{1, CONV},
		{NONE, CONV, .bridge = true},
		{3, EP, .mpss = 512, .mps = 256},
	};

	BOOT(SAFE, tree);
	/* The PCIe to PCI bridge counts, the device behind it does not; below the conventional bridge: nothing. */
	EXPECT_MPS(256, 256, 0, 0, 256);
	BOOT(PERF, tree);
	EXPECT_MPS(512, 256, 0, 0, 256);
	BOOT(P2P, tree);
	EXPECT_MPS(128, 128, 0, 0, 256);
	BOOT(DEFAULT, tree);
	EXPECT_MPS(128, 128, 0, 0, 256);
	cr_assert_eq(pv_mps_get(&func[2]), 128, "as Linux answers for a conventional function");
}

Test(mps, mrrs_is_written_once_and_not_read_back)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 4096, .mps = 128, .bridge = true},
		{0, EP, .mpss = 4096, .mps = 128, .mrrs = 128, .mrrs_max = 512},
		{0, EP, .mpss = 4096, .mps = 128, .mrrs = 4096, .mrrs_max = 64},
		{0, EP, .mpss = 512, .mps = 128, .mrrs = 128, .ro = 0x1000},
	};

	/*
	 * 4096 is not taken: 128 stays. 512 with bit 12 stuck at 0 (128): 512 is field 2, all its bits can be written.
	 */
	BOOT(PERF, tree);
	EXPECT_MPS(4096, 4096, 4096, 512);
	cr_expect_eq(pv_mrrs_get(&func[1]), 128);
	cr_expect_eq(pv_mrrs_get(&func[2]), 4096);
	cr_expect_eq(pv_mrrs_get(&func[3]), 512);
	cr_expect_not(noted(1, PV_MPS_NOTE_MRRS, 4096, 2048));
}

Test(mps, mrrs_that_is_reserved_is_halved_to_one_that_is_not)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 128 << 6, .mps = 128 << 6, .mrrs = 512, .bridge = true},
	};

	/* MPS 8192 by firmware stays, as 8192 cannot be written; MRRS 8192 neither: 4096. */
	BOOT(PERF, tree);
	EXPECT_MPS(8192);
	cr_expect_eq(pv_mrrs_get(&func[0]), 4096);
	cr_expect(noted(0, PV_MPS_NOTE_MRRS, 8192, 4096));
}

/* A host bridge that lets no MRRS grow, told by the id of one of its ports; the other is found before it. */
static const struct spec no_inc[] = {
	{NONE, RP, .mpss = 1024, .mps = 128, .mrrs = 256, .bridge = true},
	{0, EP, .mpss = 1024, .mps = 128, .mrrs = 4096},
	{NONE, RP, .mpss = 1024, .mps = 128, .mrrs = 512, .bridge = true, .vendor = 0x0014, .device = 0x7a29},
};

Test(mps, mrrs_may_not_grow_below_some_host_bridges)
{
	BOOT(PERF, no_inc);
	EXPECT_MPS(1024, 1024, 1024);
	cr_expect_eq(pv_mrrs_get(&func[0]), 256);
	cr_expect_eq(pv_mrrs_get(&func[1]), 1024);
	cr_expect_eq(pv_mrrs_get(&func[2]), 512);
	cr_expect_eq(pv_mrrs_set(&mps, &func[0], 512), -PV_EINVAL);
	cr_expect_eq(pv_mrrs_set(&mps, &func[0], 128), 0);
	cr_expect_eq(pv_mrrs_get(&func[0]), 128);
}

Test(mps, device_that_does_not_take_its_mps_is_noted)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 256, .mps = 256, .bridge = true},
		{0, EP, .mpss = 256, .mps = 128, .stuck = true},
	};

	BOOT(DEFAULT, tree);
	cr_assert(noted(1, PV_MPS_NOTE_NOT_HELD, 256, 128));
}

Test(mps, set_and_get_limits)
{
	static const int bad[] = {-128, 0, 1, 64, 127, 129, 192, 384, 8192, 0x7fffffff};
	size_t i;
	int bytes;

	BOOT(DEFAULT, simple);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_expect_eq(pv_mps_set(&func[1], bad[i]), -PV_EINVAL, "MPS %d", bad[i]);
		cr_expect_eq(pv_mrrs_set(&mps, &func[1], bad[i]), -PV_EINVAL, "MRRS %d", bad[i]);
	}
	for (bytes = 128; bytes <= 4096; bytes *= 2) {
		cr_expect_eq(pv_mps_set(&func[1], bytes), bytes <= 256 ? 0 : -PV_EINVAL, "MPS %d", bytes);
		cr_expect_eq(pv_mps_get(&func[1]), bytes <= 256 ? bytes : 256);
		cr_expect_eq(pv_mrrs_set(&mps, &func[1], bytes), 0, "MRRS %d", bytes);
		cr_expect_eq(pv_mrrs_get(&func[1]), bytes);
	}
}

Test(mps, performance_clamps_mrrs_to_mps)
{
	BOOT(PERF, simple);
	cr_assert_eq(pv_mrrs_set(&mps, &func[1], 4096), 0);
	cr_assert_eq(pv_mrrs_get(&func[1]), 256);
	cr_assert_eq(pv_mrrs_set(&mps, &func[1], 128), 0);
	cr_assert_eq(pv_mrrs_get(&func[1]), 128);
	cr_assert_eq(pv_mrrs_set(&mps, &func[1], 8192), -PV_EINVAL);
}

Test(mps, reserved_most_cannot_be_set)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 128 << 7, .mps = 256, .bridge = true},
		{0, EP, .mpss = 128 << 6, .mps = 128},
		{NONE, RP, .mpss = 512, .mps = 128, .bridge = true},
		{2, EP, .mpss = 128 << 6, .mps = 128},
	};

	/* 16384 is refused: the Root Port keeps its 256, and what is below takes that. 8192 of safe likewise. */
	BOOT(PERF, tree);
	EXPECT_MPS(256, 256, 512, 512);
	cr_expect(noted(0, PV_MPS_NOTE_REFUSED, 16384, 16384));
	BOOT(SAFE, tree);
	EXPECT_MPS(256, 128, 512, 512);
	cr_expect(noted(1, PV_MPS_NOTE_REFUSED, 8192, 8192));
}

Test(mps, firmware_above_the_most)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 256, .mps = 1024, .bridge = true},
		{0, EP, .mpss = 512, .mps = 128},
	};

	/* default: 512 of the function is below the port's 1024, but above what the port supports: both are refused. */
	BOOT(DEFAULT, tree);
	EXPECT_MPS(1024, 128);
	BOOT(SAFE, tree);
	EXPECT_MPS(256, 256);
}

Test(mps, bits_that_cannot_be_written)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 512, .mps = 128, .bridge = true, .ro = 0xc0},
		{0, EP, .mpss = 512, .mps = 128, .mrrs = 2048},
		{0, EP, .mpss = 256, .mps = 128, .mrrs = 2048, .ro = 0x4000},
	};

	/*
	 * 512 is field 2, the port can write bit 5 only: 0 stays, and 128 goes down from it. MRRS 128 over 2048 (4) is
	 * 2048.
	 */
	BOOT(PERF, tree);
	EXPECT_MPS(128, 128, 128);
	cr_expect_eq(pv_mrrs_get(&func[1]), 128);
	cr_expect_eq(pv_mrrs_get(&func[2]), 2048);
}

/* Port types whose slot can be hot-plug capable, one each; -1: the switch that the Downstream Port needs. */
Test(mps, hotplug_slots)
{
	static const struct {
		int type;
		bool no_slot, bridge;
		int mps;
	} kinds[] = {
		{DOWN, false, true, 128},    {FROM_PCI, false, true, 128}, {DOWN, true, true, 512},
		{FROM_PCI, true, true, 512}, {TO_PCI, false, true, 512},   {EP, false, false, 512},
		{DOWN, false, false, 512},   {UP, false, true, 512},
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct spec tree[] = {
			{NONE, RP, .mpss = 512, .mps = 128, .bridge = true},
			{0, TO_PCI, .mpss = 512, .mps = 128, .bridge = true, .no_slot = true},
			{1, kinds[i].type, .mpss = 512, .mps = 128, .bridge = kinds[i].bridge, .hotplug = true,
			 .no_slot = kinds[i].no_slot},
		};

		BOOT(SAFE, tree);
		cr_expect_eq(pv_mps_get(&func[0]), kinds[i].mps, "kind %zu: MPS %d", i, pv_mps_get(&func[0]));
	}
}

Test(mps, quirks_by_id)
{
	static const struct {
		uint16_t vendor, device;
		int mpss, safe;
	} ids[] = {
		{0x1924, 0x0703, 512, 256}, {0x1924, 0x6703, 512, 256}, {0x1924, 0x0710, 512, 256},
		{0x1b21, 0x0612, 512, 256}, {0x1b21, 0x0612, 128, 256}, {0x1b21, 0x0613, 512, 512},
		{0x1924, 0x0612, 512, 512}, {0x3388, 0x0020, 512, 128}, {0x3388, 0x0021, 512, 512},
		{0x0014, 0x7a09, 512, 512},
	};
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const struct spec tree[] = {
			{NONE, RP, .mpss = 512, .mps = 128, .bridge = true},
			{0, EP, .mpss = ids[i].mpss, .mps = 128, .vendor = ids[i].vendor, .device = ids[i].device},
		};

		BOOT(SAFE, tree);
		EXPECT_MPS(ids[i].safe, ids[i].safe);
	}
}

Test(mps, host_bridge_ids)
{
	static const uint16_t ids[] = {0x1a05, 0x7a09, 0x7a19, 0x7a29, 0x7a39, 0x7a49, 0x7a59, 0x7a69, 0x7a79};
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const struct spec tree[] = {
			{NONE, RP, .mpss = 512, .mps = 128, .mrrs = 256, .bridge = true, .vendor = 0x0014,
			 .device = ids[i]},
		};

		BOOT(PERF, tree);
		cr_expect_eq(pv_mrrs_get(&func[0]), ids[i] == 0x7a79 ? 512 : 256, "id %x", ids[i]);
	}
}

Test(mps, switch_port_of_the_wrong_direction_heads_no_slot)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 512, .mps = 128, .bridge = true, .no_slot = true},
		{0, DOWN, .mpss = 512, .mps = 128, .bridge = true, .hotplug = true},
		{1, DOWN, .mpss = 512, .mps = 128, .bridge = true, .no_slot = true},
	};
	static const struct spec ups[] = {
		{NONE, RP, .mpss = 512, .mps = 128, .bridge = true, .no_slot = true},
		{0, UP, .mpss = 512, .mps = 128, .bridge = true},
		{1, UP, .mpss = 512, .mps = 128, .bridge = true, .hotplug = true},
	};

	BOOT(SAFE, tree);
	EXPECT_MPS(512, 512, 512);
	cr_expect_not(pv_mps_heads_link(&func[1]));
	cr_expect(pv_mps_heads_link(&func[2]));
	BOOT(SAFE, ups);
	EXPECT_MPS(512, 512, 512);
}

Test(mps, functions_behind_conventional_bridges)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 512, .mps = 256, .bridge = true},
		{0, TO_PCI, .mpss = 512, .mps = 256, .bridge = true},
		{1, CONV, .bridge = true},
		{2, EP, .mpss = 1024, .mps = 256, .mrrs = 4096},
		{NONE, TO_PCI, .mpss = 512, .mps = 128, .bridge = true},
		{4, EP, .mpss = 256, .mps = 128},
	};

	/* default: a bridge that is not PCIe above: nothing. performance: such a bridge counts as 128. */
	BOOT(DEFAULT, tree);
	EXPECT_MPS(256, 256, 0, 256, 128, 128);
	BOOT(PERF, tree);
	EXPECT_MPS(512, 512, 0, 128, 512, 256);
	cr_expect_eq(pv_mrrs_get(&func[3]), 128);
	BOOT(SAFE, tree);
	EXPECT_MPS(512, 512, 0, 512, 256, 256);
}

Test(mps, integrated_endpoint_below_a_port)
{
	static const struct spec tree[] = {
		{NONE, RP, .mpss = 512, .mps = 128, .bridge = true},
		{0, RCIEP, .mpss = 1024, .mps = 128},
	};

	/* Step 1 gives it its most whatever the port has; step 2 takes it for one of the tree. */
	BOOT(DEFAULT, tree);
	EXPECT_MPS(128, 1024);
	BOOT(SAFE, tree);
	EXPECT_MPS(512, 512);
	BOOT(P2P, tree);
	EXPECT_MPS(128, 128);
}

/* A switch; what is plugged in is below its second port, which is function 2. */
static const struct spec slots[] = {
	{NONE, RP, .mpss = 1024, .mps = 512, .mrrs = 512, .bridge = true},
	{0, UP, .mpss = 1024, .mps = 512, .mrrs = 512, .bridge = true},
	{1, DOWN, .mpss = 1024, .mps = 512, .mrrs = 512, .bridge = true},
	{2, EP, .mpss = 256, .mps = 128, .mrrs = 4096},
	{1, DOWN, .mpss = 512, .mps = 512, .mrrs = 2048, .bridge = true},
};

Test(mps, what_is_plugged_in_is_configured_with_its_slot)
{
	FIND(SAFE, slots);
	EXPECT_MPS(512, 512, 512, 128, 512);
	pv_mps_plugged(&mps, &func[2]);
	EXPECT_MPS(512, 512, 256, 256, 512);
	FIND(PERF, slots);
	pv_mps_plugged(&mps, &func[2]);
	EXPECT_MPS(512, 512, 512, 256, 512);
	cr_expect_eq(pv_mrrs_get(&func[3]), 256);
	cr_expect_eq(pv_mrrs_get(&func[4]), 2048);
	FIND(P2P, slots);
	pv_mps_plugged(&mps, &func[2]);
	EXPECT_MPS(512, 512, 128, 128, 512);
	FIND(TUNE_OFF, slots);
	pv_mps_plugged(&mps, &func[2]);
	EXPECT_MPS(512, 512, 512, 128, 512);
	FIND(DEFAULT, slots);
	pv_mps_plugged(&mps, &func[2]);
	EXPECT_MPS(512, 512, 512, 128, 512);
}
