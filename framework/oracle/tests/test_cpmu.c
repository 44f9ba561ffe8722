/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPMU expectations: the event table, sums over a mask, filters, and thresholds by cycle.
 */
#include "framework/oracle/tests/make.h"

#define MEM   0x0200
#define CYCLE 1000 /* ps, as in test_head */

static struct pv_ledger *ledger;

static void set_up(void)
{
	ledger = make_ledger();
}

static void tear_down(void)
{
	pv_ledger_free(ledger);
}

TestSuite(cpmu, .init = set_up, .fini = tear_down);

static void add(uint64_t cycle, uint8_t what, uint32_t h0, uint32_t h1, uint32_t h2)
{
	pv_ledger_add(ledger,
		      &(struct pv_wire){.time_ps = cycle * CYCLE + 7, .what = what, .port = MEM, .hdr = {h0, h1, h2}});
}

static void add_read(uint64_t cycle)
{
	add(cycle, PV_WIRE_CXL, PV_CXL_M2S_REQ, 1, 0);
}

static struct pv_cpmu_query event(const char *name)
{
	struct pv_cpmu_query e = {.device = MEM};

	cr_assert_eq(pv_oracle_cpmu_event(name, &e), 0, "%s", name);
	return e;
}

static struct pv_bounds bounds_in(const struct pv_window *win, const struct pv_cpmu_query *e)
{
	struct pv_bounds b = {99, 99};

	cr_assert_eq(pv_oracle_cpmu(ledger, win, e, &b), 0);
	return b;
}

static void expect_exactly(const struct pv_cpmu_query *e, uint64_t n)
{
	struct pv_window win = sharp(0, pv_ledger_records(ledger), 0, 100 * CYCLE);
	struct pv_bounds b = bounds_in(&win, e);

	cr_expect_eq(b.min, n);
	cr_expect_eq(b.max, n);
}

/* Name, group, bit, and the message that it counts: hardware notes section 2, CXL 3.0 3.2.4 and 3.3. */
static const struct {
	const char *name;
	uint16_t gid;
	unsigned bit;
	uint8_t what;
	uint32_t h0, h1;
} table[] = {
	{"d2h_req_rdcurr", 0x10, 1, PV_WIRE_CXL, PV_CXL_D2H_REQ, 1},
	{"d2h_req_wrinv", 0x10, 14, PV_WIRE_CXL, PV_CXL_D2H_REQ, 14},
	{"d2h_req_cacheflushed", 0x10, 16, PV_WIRE_CXL, PV_CXL_D2H_REQ, 16},
	{"d2h_rsp_rspshitse", 0x11, 1, PV_WIRE_CXL, PV_CXL_D2H_RSP, 1},
	{"d2h_rsp_rspvfwdv", 0x11, 22, PV_WIRE_CXL, PV_CXL_D2H_RSP, 22},
	{"h2d_req_snpcur", 0x12, 3, PV_WIRE_CXL, PV_CXL_H2D_REQ, 3},
	{"h2d_rsp_goerrwritepull", 0x13, 15, PV_WIRE_CXL, PV_CXL_H2D_RSP, 15},
	{"cachedata_d2h_data", 0x14, 0, PV_WIRE_CXL, PV_CXL_D2H_DATA, 5},
	{"cachedata_h2d_data", 0x14, 1, PV_WIRE_CXL, PV_CXL_H2D_DATA, 0},
	{"m2s_req_meminv", 0x20, 0, PV_WIRE_CXL, PV_CXL_M2S_REQ, 0},
	{"m2s_req_memspecrd", 0x20, 8, PV_WIRE_CXL, PV_CXL_M2S_REQ, 8},
	{"m2s_req_memcleanevict", 0x20, 10, PV_WIRE_CXL, PV_CXL_M2S_REQ, 10},
	{"m2s_req_memclnevctu", 0x20, 15, PV_WIRE_CXL, PV_CXL_M2S_REQ, 15},
	{"m2s_rwd_memrdfilltee", 0x21, 13, PV_WIRE_CXL, PV_CXL_M2S_RWD, 13},
	{"s2m_bisnp_datablktee", 0x23, 13, PV_WIRE_CXL, PV_CXL_S2M_BISNP, 13},
	{"s2m_ndr_cmpm", 0x24, 3, PV_WIRE_CXL, PV_CXL_S2M_NDR, 3},
	{"s2m_ndr_cmptee_e", 0x24, 7, PV_WIRE_CXL, PV_CXL_S2M_NDR, 7},
	{"s2m_drs_memdatatee", 0x25, 2, PV_WIRE_CXL, PV_CXL_S2M_DRS, 2},
	{"ddr_cas_rd_ap", 0x8000, 7, PV_WIRE_DDR, PV_DDR_CAS_RD_AP, 0},
	{"ddr_incoming_wr_req", 0x8000, 15, PV_WIRE_DDR, PV_DDR_WRITE_REQUEST, 0},
	{"pwrdn_event", 0x8001, 3, PV_WIRE_VENDOR, 0x1e988001, 3},
	{"mc_wr_resid_cnt", 0x8002, 1, PV_WIRE_VENDOR, 0x1e988002, 1},
	{"retry_event_trig_by_ecc", 0x8003, 3, PV_WIRE_VENDOR, 0x1e988003, 3},
	{"power_throttle_event", 0x8004, 1, PV_WIRE_VENDOR, 0x1e988004, 1},
	{"m2s_rwd_biconflict", 0x21, 4, PV_WIRE_CXL, PV_CXL_M2S_RWD, 4},
	{"m2s_birsp_eblk", 0x22, 6, PV_WIRE_CXL, PV_CXL_M2S_BIRSP, 6},
	{"s2m_bisnp_datblk", 0x23, 5, PV_WIRE_CXL, PV_CXL_S2M_BISNP, 5},
	{"s2m_ndr_cmpe", 0x24, 2, PV_WIRE_CXL, PV_CXL_S2M_NDR, 2},
	{"s2m_drs_memdatanxm", 0x25, 1, PV_WIRE_CXL, PV_CXL_S2M_DRS, 1},
	{"ddr_act", 0x8000, 0, PV_WIRE_DDR, PV_DDR_ACT, 0},
	{"ddr_caswr", 0x8000, 3, PV_WIRE_DDR, PV_DDR_CAS_WR, 1},
	{"ddr_rfm", 0x8000, 6, PV_WIRE_DDR, PV_DDR_RFM, 2},
};
#define EVENTS (sizeof(table) / sizeof(*table))

Test(cpmu, names_lead_to_groups_and_bits)
{
	for (size_t i = 0; i < EVENTS; i++) {
		struct pv_cpmu_query e = event(table[i].name);

		cr_expect_eq(e.vid, 0x1e98);
		cr_expect_eq(e.gid, table[i].gid, "%s: group: expected %#x, got %#x", table[i].name, table[i].gid,
			     e.gid);
		cr_expect_eq(e.mask, 1u << table[i].bit, "%s: mask: expected %#x, got %#x", table[i].name,
			     1u << table[i].bit, e.mask);
	}
}

Test(cpmu, unknown_names_are_refused)
{
	struct pv_cpmu_query e = {0};

	cr_assert_lt(pv_oracle_cpmu_event("d2h_req_", &e), 0);
	cr_assert_lt(pv_oracle_cpmu_event("", &e), 0);
	cr_assert_lt(pv_oracle_cpmu_event("memrd", &e), 0);
}

Test(cpmu, each_event_counts_its_messages_and_no_others)
{
	for (size_t i = 0; i < EVENTS; i++)
		for (size_t n = 0; n <= i; n++)
			add(i + n, table[i].what, table[i].h0, table[i].h1, 0);
	for (size_t i = 0; i < EVENTS; i++) {
		struct pv_cpmu_query e = event(table[i].name);

		expect_exactly(&e, i + 1);
	}
}

Test(cpmu, mask_counts_the_sum)
{
	struct pv_cpmu_query e = event("d2h_req_rdcurr");

	for (unsigned opcode = 1; opcode <= 6; opcode++)
		add(opcode, PV_WIRE_CXL, PV_CXL_D2H_REQ, opcode, 0);
	e.mask = 0x3e; /* all D2H read requests */
	expect_exactly(&e, 5);
}

Test(cpmu, undocumented_opcodes_count_for_nothing)
{
	struct pv_cpmu_query e = event("m2s_req_memrd");

	add(0, PV_WIRE_CXL, PV_CXL_M2S_REQ, 16, 0);
	add(0, PV_WIRE_CXL, PV_CXL_M2S_REQ, 33, 0); /* not bit 1 */
	add(0, PV_WIRE_CXL, 77, 1, 0);
	e.mask = 0xffffffff;
	expect_exactly(&e, 0);
}

Test(cpmu, other_devices_are_not_counted)
{
	struct pv_cpmu_query e = event("m2s_req_memrd");

	add_read(1);
	e.device = MEM + 1;
	expect_exactly(&e, 0);
}

Test(cpmu, vendor_events)
{
	struct pv_cpmu_query e = {.device = MEM, .vid = 0x1234, .gid = 7, .mask = 1u << 3 | 1u << 31};

	add(0, PV_WIRE_VENDOR, 0x12340007, 3, 0);
	add(0, PV_WIRE_VENDOR, 0x12340007, 31, 0);
	add(0, PV_WIRE_VENDOR, 0x12340007, 4, 0);
	add(0, PV_WIRE_VENDOR, 0x12340008, 3, 0);
	add(0, PV_WIRE_VENDOR, 0x12340007, 35, 0);
	expect_exactly(&e, 2);
}

Test(cpmu, unknown_group_is_refused)
{
	struct pv_cpmu_query e = {.device = MEM, .vid = 0x1e98, .gid = 0x99, .mask = 1};
	struct pv_window win = whole(ledger);
	struct pv_bounds b;

	cr_assert_eq(pv_oracle_cpmu(ledger, &win, &e, &b), -22);
}

Test(cpmu, hdm_filter_counts_the_decoders_of_its_mask)
{
	struct pv_cpmu_query e = event("m2s_req_memrd");

	for (uint32_t decoder = 0; decoder < 20; decoder++)
		add(decoder, PV_WIRE_CXL, PV_CXL_M2S_REQ, 1, decoder);
	add(30, PV_WIRE_CXL, PV_CXL_M2S_REQ, 1, 34); /* not decoder 2 */
	expect_exactly(&e, 21);
	e.hdm = 0x8005;
	expect_exactly(&e, 21); /* not enabled */
	e.hdm_enable = true;
	expect_exactly(&e, 3);
	e.hdm = 0;
	expect_exactly(&e, 0);
}

/* CXL 3.1 table 8-33. */
Test(cpmu, place_filter_has_the_bank_lowest)
{
	struct pv_cpmu_query e = event("ddr_act");

	for (uint32_t bank = 0; bank < 3; bank++)
		for (uint32_t group = 0; group < 2; group++)
			for (uint32_t rank = 0; rank < 5; rank++)
				add(bank * 10 + group * 5 + rank, PV_WIRE_DDR, PV_DDR_ACT,
				    PV_WIRE_PLACE(rank == 4 ? 0 : 1, rank, group, bank), 0);
	e.crb = 0x0004ff00;
	expect_exactly(&e, 30); /* not enabled */
	e.crb_enable = true;
	expect_exactly(&e, 2);
	e.crb = 0xffffff02;
	expect_exactly(&e, 10);
	e.crb = 0x01ff01ff;
	expect_exactly(&e, 12);
	e.crb = 0xffffffff;
	expect_exactly(&e, 30);
}

Test(cpmu, place_of_an_event_that_is_no_command)
{
	struct pv_cpmu_query e = event("retry_event_trig_by_ecc");

	for (uint32_t bank = 0; bank < 3; bank++)
		add(bank, PV_WIRE_VENDOR, 0x1e988003, 3, PV_WIRE_PLACE(0, 0, 0, bank));
	e.crb_enable = true;
	e.crb = 0xffffff01;
	expect_exactly(&e, 1);
}

static void expect_undefined(const char *name, struct pv_cpmu_query how)
{
	struct pv_cpmu_query e = event(name);
	struct pv_window win = whole(ledger);
	struct pv_bounds b;

	e.mask |= how.mask;
	e.threshold = how.threshold;
	e.edge = how.edge;
	e.invert = how.invert;
	e.hdm_enable = how.hdm_enable;
	e.crb_enable = how.crb_enable;
	cr_expect_eq(pv_oracle_cpmu(ledger, &win, &e, &b), -33, "%s", name);
}

Test(cpmu, what_is_undefined_is_not_judged)
{
	const struct pv_cpmu_query hdm = {.hdm_enable = true}, place = {.crb_enable = true};

	expect_undefined("m2s_req_memrd", (struct pv_cpmu_query){.hdm_enable = true, .mask = 4});
	expect_undefined("ddr_act", (struct pv_cpmu_query){.crb_enable = true, .mask = 4});
	expect_undefined("clock_ticks", hdm);
	expect_undefined("d2h_req_rdcurr", hdm);
	expect_undefined("cachedata_h2d_data", hdm);
	expect_undefined("ddr_act", hdm);
	expect_undefined("m2s_req_memrd", place);
	expect_undefined("thermal_throttle_event", place);
	expect_undefined("m2s_req_memrd", (struct pv_cpmu_query){.edge = true, .threshold = 2});
	expect_undefined("m2s_req_memrd", (struct pv_cpmu_query){.edge = true, .threshold = 1, .invert = true});
}

Test(cpmu, clock_ticks_are_the_cycles_of_the_window)
{
	struct pv_cpmu_query e = event("clock_ticks");
	struct pv_window win = {
		.outer_begin_ps = 1500, .inner_begin_ps = 3500, .inner_end_ps = 9500, .outer_end_ps = 11500};
	struct pv_bounds b = bounds_in(&win, &e);

	cr_assert_eq(b.min, 5);	 /* 4..9 */
	cr_assert_eq(b.max, 11); /* 1..12 */
	expect_exactly(&e, 100);
}

Test(cpmu, clock_ticks_below_a_threshold_do_not_count)
{
	struct pv_cpmu_query e = event("clock_ticks");

	e.threshold = 1;
	expect_exactly(&e, 100);
	e.threshold = 2;
	expect_exactly(&e, 0);
	e.invert = true;
	expect_exactly(&e, 100);
	e.threshold = 1;
	expect_exactly(&e, 100); /* one is not more than 1 */
}

Test(cpmu, a_clock_has_no_edges_but_perhaps_one_at_the_start)
{
	struct pv_cpmu_query e = event("clock_ticks");
	struct pv_window win = whole(ledger);
	struct pv_bounds b;

	e.threshold = 1;
	e.edge = true;
	b = bounds_in(&win, &e);
	cr_expect_eq(b.min, 0);
	cr_expect_eq(b.max, 1);
}

Test(cpmu, unsharp_window_gives_bounds)
{
	struct pv_cpmu_query e = event("m2s_req_memrd");
	struct pv_window win = {1, 3, 7, 9, 0, 0, 100 * CYCLE, 100 * CYCLE};
	struct pv_bounds b;

	for (uint64_t i = 0; i < 10; i++)
		add_read(i);
	b = bounds_in(&win, &e);
	cr_assert_eq(b.min, 4);
	cr_assert_eq(b.max, 8);
}

Test(cpmu, what_is_in_a_pause_may_be_counted_or_not)
{
	struct pv_cpmu_query e = event("m2s_req_memrd"), ticks = event("clock_ticks");
	struct pv_pause pauses[] = {
		{2, 4, 2 * CYCLE, 4 * CYCLE}, {7, 8, 7 * CYCLE, 8 * CYCLE}, {9, 10, 95 * CYCLE, 97 * CYCLE}};
	struct pv_window win = {0, 1, 9, 10, 0, CYCLE, 90 * CYCLE, 100 * CYCLE, pauses, 3};
	struct pv_bounds b;

	for (uint64_t i = 0; i < 10; i++)
		add_read(i);
	b = bounds_in(&win, &e);
	cr_expect_eq(b.min, 5); /* 1, 4, 5, 6, 8 */
	cr_expect_eq(b.max, 10);
	b = bounds_in(&win, &ticks);
	cr_expect_eq(b.min, 89 - 2 - 1); /* the third pause is outside of the inner window */
	cr_expect_eq(b.max, 100);
	e.threshold = 1;
	e.invert = true; /* idle cycles: below 2 events */
	b = bounds_in(&win, &e);
	cr_expect_eq(b.min, 89 - 2 - 1);
	cr_expect_eq(b.max, 100);
}

/* Cycles 10: 1, 11: 3, 12: 2, 20: 2, 21: 1, 30: 3 events, of a vendor or of different opcodes. */
static struct pv_cpmu_query add_pattern(bool vendor)
{
	static const uint8_t pattern[] = {10, 11, 11, 11, 12, 12, 20, 20, 21, 30, 30, 30};
	struct pv_cpmu_query e = event("m2s_req_meminv");

	for (uint32_t i = 0; i < sizeof(pattern); i++)
		add(pattern[i], vendor ? PV_WIRE_VENDOR : PV_WIRE_CXL, vendor ? 0x12340007 : PV_CXL_M2S_REQ,
		    vendor ? 1 : i % 3, 0);
	e.mask = 7;
	if (vendor)
		e = (struct pv_cpmu_query){.device = MEM, .vid = 0x1234, .gid = 7, .mask = 2};
	return e;
}

Test(cpmu, threshold_counts_cycles)
{
	struct pv_cpmu_query e = add_pattern(true);
	static const uint64_t want[] = {12, 6, 4, 2, 0};

	for (; e.threshold < 5; e.threshold++)
		expect_exactly(&e, want[e.threshold]);
}

Test(cpmu, threshold_1_of_a_sum_counts_cycles_or_events)
{
	struct pv_cpmu_query e = add_pattern(false);
	struct pv_window win = sharp(0, pv_ledger_records(ledger), 0, 100 * CYCLE);

	for (; e.threshold < 2; e.threshold++) {
		struct pv_bounds b = bounds_in(&win, &e);

		cr_expect_eq(b.min, 6);
		cr_expect_eq(b.max, 12);
	}
	expect_exactly(&e, 4);
}

Test(cpmu, one_event_in_a_cycle_is_the_raw_count)
{
	struct pv_cpmu_query e = event("m2s_req_memrd");

	for (uint64_t i = 0; i < 10; i++)
		add_read(i);
	for (; e.threshold < 2; e.threshold++)
		expect_exactly(&e, 10);
	expect_exactly(&e, 0);
}

Test(cpmu, invert_counts_cycles_that_do_not_exceed_the_threshold)
{
	struct pv_cpmu_query e = add_pattern(true);

	e.invert = true;
	expect_exactly(&e, 12); /* no part in the raw count */
	e.threshold = 1;
	expect_exactly(&e, 100 - 4);
	e.threshold = 2;
	expect_exactly(&e, 100 - 2);
	e.threshold = 3;
	expect_exactly(&e, 100);
	e.threshold = 255;
	expect_exactly(&e, 100);
}

Test(cpmu, edge_counts_runs_of_the_events_or)
{
	struct pv_cpmu_query e = add_pattern(false);

	e.edge = true;
	for (; e.threshold < 2; e.threshold++)
		expect_exactly(&e, 3);
	e.mask = 1;
	e.threshold = 0;
	expect_exactly(&e, 3); /* cycles 10 and 11, 20, 30 */
}

Test(cpmu, threshold_in_an_unsharp_window)
{
	struct pv_cpmu_query e = add_pattern(true);
	struct pv_window win = {0, 2, 11, 12, 0, 0, 100 * CYCLE, 100 * CYCLE};
	struct pv_bounds b;

	e.threshold = 2; /* inner: cycle 11 has 2 (+1), 12 and 20 have 2, 30 has 2 (+1) */
	b = bounds_in(&win, &e);
	cr_assert_eq(b.min, 4);
	cr_assert_eq(b.max, 4);
	e.threshold = 3;
	b = bounds_in(&win, &e);
	cr_assert_eq(b.min, 0);
	cr_assert_eq(b.max, 2);
}
