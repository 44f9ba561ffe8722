/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RAS D.E.S.: time in link states, and entries of them. */
#include "framework/oracle/tests/dwc.h"

TestSuite(dwc, .init = set_up, .fini = tear_down);

/* ---- time in them; a cycle is 2000 ps ---- */

static void enter(uint64_t cycle, uint32_t state)
{
	pv_ledger_add(ledger,
		      &(struct pv_wire){.time_ps = cycle * 2000, .what = PV_WIRE_LTSSM, .port = RP0, .hdr = {state}});
}

static void expect_cycles(const struct pv_window *win, const char *name, uint64_t n, uint64_t slack)
{
	expect_bounds(count_in(win, name, 0), n > slack ? n - slack : 0, n + slack, name, 0);
}

Test(dwc, time_in_states_is_cut_to_the_window)
{
	struct pv_window win = sharp(3, 4, 1000 * 2000, 2000 * 2000);

	enter(100, PV_LTSSM_L1);
	enter(200, PV_LTSSM_L0);
	enter(900, PV_LTSSM_L1); /* 100 cycles before the window, 300 in it */
	enter(1300, PV_LTSSM_L0);
	enter(1500, PV_LTSSM_L1_2);
	enter(1600, PV_LTSSM_L0);
	enter(2500, PV_LTSSM_L1);
	expect_cycles(&win, "one_cycle", 2000, 0); /* its length in ps */
	expect_cycles(&win, "L1", 300, 1);
	expect_cycles(&win, "L1_2", 100, 1);
	expect_cycles(&win, "L0", 600, 2); /* two stays */
	expect_cycles(&win, "L1_1", 0, 0);
}

Test(dwc, link_is_in_l0_before_the_first_record)
{
	struct pv_window win = sharp(0, 0, 0, 500 * 2000);

	expect_cycles(&win, "L0", 500, 1);
	expect_cycles(&win, "CFG_RCVRY", 0, 0);
}

Test(dwc, states_of_other_ports_do_not_matter)
{
	struct pv_window win = sharp(0, 1, 0, 500 * 2000);

	pv_ledger_add(ledger, &(struct pv_wire){.what = PV_WIRE_LTSSM, .port = RP1, .hdr = {PV_LTSSM_L1}});
	expect_cycles(&win, "L1", 0, 0);
}

Test(dwc, a_pause_is_time_that_need_not_count)
{
	struct pv_pause pauses[] = {{0, 0, 100 * 2000, 150 * 2000}, {1, 1, 290 * 2000, 310 * 2000}};
	struct pv_window win = sharp(0, 1, 0, 500 * 2000);
	struct pv_bounds b;

	win.pause = pauses;
	win.pauses = 2;
	enter(300, PV_LTSSM_L1);
	b = count_in(&win, "L0", 0);
	cr_expect_eq(b.min, 300 - 50 - 10 - 3); /* a stay and two pauses: less than a cycle each */
	cr_expect_eq(b.max, 300 + 1);
	b = count_in(&win, "L1", 0);
	cr_expect_eq(b.min, 200 - 10 - 3);
	cr_expect_eq(b.max, 200 + 1);
}

Test(dwc, unsharp_window_bounds_the_time)
{
	struct pv_window win = {
		.outer_begin_ps = 0, .inner_begin_ps = 20000, .inner_end_ps = 80000, .outer_end_ps = 100000};
	struct pv_bounds b = count_in(&win, "L0", 0);

	cr_assert_eq(b.min, 29);
	cr_assert_eq(b.max, 51);
}

static void expect_range(const struct pv_window *win, const char *name, uint64_t min, uint64_t max)
{
	expect_bounds(count_in(win, name, 0), min, max, name, 0);
}

Test(dwc, clocks_are_those_of_the_port)
{
	struct pv_window win;

	describe(99, 99, 0);
	describe(4000, 50000, 0);
	win = sharp(2, 2, 0, 4000 * 2000); /* enter() counts in cycles of 2000 ps */
	enter(0, PV_LTSSM_L1);
	enter(1000, PV_LTSSM_L1_2);
	enter(2000, PV_LTSSM_L1_1);
	enter(3000, PV_LTSSM_L1_AUX);
	expect_range(&win, "one_cycle", 4000, 4000);
	expect_range(&win, "L1", 499, 501);
	expect_range(&win, "L1_2", 39, 41);
	expect_range(&win, "L1_1", 39, 41);
	expect_range(&win, "L1_AUX", 39, 41);
}

Test(dwc, reports_8_and_9_are_what_the_ledger_says)
{
	for (uint32_t nine = 0; nine < 2; nine++) {
		struct pv_window win;

		tear_down();
		set_up();
		describe(2000, 2000, nine ? PV_RAS_DES_L1_AUX_IS_9 : 0);
		win = sharp(1, 1, 0, 400 * 2000);
		enter(0, PV_LTSSM_L1_AUX);
		enter(100, PV_LTSSM_TX_RX_L0S);
		expect_range(&win, nine ? "TX_RX_L0S" : "L1_AUX", 99, 101);
		expect_range(&win, nine ? "L1_AUX" : "TX_RX_L0S", 299, 301);
	}
}

Test(dwc, reports_8_and_9_fail_nobody_where_nobody_knows)
{
	struct pv_window win = sharp(0, 0, 0, 400 * 2000);

	enter(0, PV_LTSSM_L1_AUX);
	enter(100, PV_LTSSM_TX_RX_L0S);
	expect_range(&win, "L1_AUX", 99, 301);
	expect_range(&win, "TX_RX_L0S", 99, 301);
}

/* ---- entries ---- */

Test(dwc, entries_of_link_states)
{
	static const uint32_t states[] = {
		PV_LTSSM_CFG_RCVRY, PV_LTSSM_L0,   PV_LTSSM_TX_L0S, PV_LTSSM_TX_RX_L0S, PV_LTSSM_TX_L0S, PV_LTSSM_L0,
		PV_LTSSM_L1,	    PV_LTSSM_L1_1, PV_LTSSM_L1_2,   PV_LTSSM_L1_AUX,	PV_LTSSM_L0,	 PV_LTSSM_L0,
		PV_LTSSM_RX_L0S,    PV_LTSSM_L0,   PV_LTSSM_L1_2,   PV_LTSSM_CFG_RCVRY, PV_LTSSM_L0};
	static const struct {
		unsigned event, count;
	} expected[] = {{0x500, 1}, {0x501, 2}, {0x502, 1}, {0x503, 2}, {0x505, 2}, {0x507, 1}, {0x508, 2}};

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		enter(i, states[i]);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		expect_number(expected[i].event, 0, expected[i].count);
}

Test(dwc, an_entry_depends_on_what_was_before_the_window)
{
	struct pv_window win;
	struct pv_bounds b;

	enter(0, PV_LTSSM_L1);
	win = sharp(1, 2, 0, 1000000);
	enter(1, PV_LTSSM_L0);
	b = number_in(&win, 0x501, 0);
	cr_expect_eq(b.min, 1);
	cr_expect_eq(b.max, 1);
	b = number_in(&win, 0x505, 0);
	cr_expect_eq(b.max, 0, "entered before the window");
}
