/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RAS D.E.S. lane events: ports, lanes and the width of counters; what is judged where the ledger does not say what a
 * port is like.
 */
#include "framework/oracle/tests/dwc.h"

TestSuite(dwc, .init = set_up, .fini = tear_down);

Test(dwc, ports_are_told_apart)
{
	struct pv_wire w = make_tlp(MWR64);

	w.lane = 3;
	pv_ledger_add(ledger, &w);
	w.port = RP1;
	pv_ledger_add(ledger, &w);
	expect_lane("rx_memory_write", 0, 1);
}

Test(dwc, tlps_count_for_the_whole_port)
{
	struct pv_window win;

	describe(1000, 1000, 0);
	win = from_here();
	add(MWR64, PV_WIRE_IN, 5);
	win = to_here(win);
	for (unsigned lane = 0; lane < 16; lane++) {
		struct pv_bounds b = count_in(&win, "rx_memory_write", lane);

		cr_expect_eq(b.min, 5, "lane %u", lane);
		cr_expect_eq(b.max, 5, "lane %u", lane);
	}
}

Test(dwc, other_lanes_of_the_whole_port_are_0_where_the_ledger_says_so)
{
	struct pv_window win;
	struct pv_bounds b;

	describe(1000, 1000, PV_RAS_DES_LANE_0_ONLY);
	win = from_here();
	add(MWR64, PV_WIRE_IN, 5);
	win = to_here(win);
	b = count_in(&win, "rx_memory_write", 0);
	cr_expect_eq(b.min, 5);
	b = count_in(&win, "rx_memory_write", 1);
	cr_expect_eq(b.min, 0);
	cr_expect_eq(b.max, 0);
}

Test(dwc, other_lanes_of_the_whole_port_may_be_0_where_nobody_knows)
{
	struct pv_window win;
	struct pv_bounds b;

	add(MWR64, PV_WIRE_IN, 5);
	win = whole(ledger);
	b = count_in(&win, "rx_memory_write", 0);
	cr_expect_eq(b.min, 5);
	b = count_in(&win, "rx_memory_write", 1);
	cr_expect_eq(b.min, 0);
	cr_expect_eq(b.max, 5);
}

static void notice(enum pv_wire_phy what, unsigned lane, unsigned times)
{
	struct pv_wire w = {.what = PV_WIRE_PHY, .port = RP0, .lane = (uint8_t)lane, .hdr = {what}};

	while (times--)
		pv_ledger_add(ledger, &w);
}

Test(dwc, narrow_counters_are_judged_up_to_their_maximum)
{
	static const struct {
		enum pv_wire_phy what;
		unsigned id, most;
	} table[] = {{PV_PHY_EBUF_OVERFLOW, 0x000, 15}, {PV_PHY_RECEIVER, 0x106, 255}, {PV_PHY_SKP_ADD, 0x400, 15}};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		notice(table[i].what, 0, table[i].most);
		expect_number(table[i].id, 0, table[i].most);
		notice(table[i].what, 0, 1);

		struct pv_window win = whole(ledger);
		struct pv_bounds b = number_in(&win, table[i].id, 0);
		cr_expect_eq(b.min, 0, "it may have wrapped: event %03x", table[i].id);
		cr_expect_eq(b.max, table[i].most + 1, "event %03x", table[i].id);
	}
}

Test(dwc, a_narrow_counter_may_have_been_full_before_the_window)
{
	struct pv_window win;
	struct pv_bounds b;

	notice(PV_PHY_SKP_ADD, 0, 10);
	notice(PV_PHY_SKP_ADD, 1, 10);
	win = from_here();
	notice(PV_PHY_SKP_ADD, 0, 6);
	notice(PV_PHY_SKP_ADD, 1, 5);
	win = to_here(win);
	b = number_in(&win, 0x400, 0);
	cr_expect_eq(b.min, 0);
	cr_expect_eq(b.max, 6);
	b = number_in(&win, 0x400, 1);
	cr_expect_eq(b.min, 5);
	cr_expect_eq(b.max, 5);
}

Test(dwc, wide_counters_are_judged_whatever_they_count)
{
	struct pv_wire w = {.what = PV_WIRE_DLLP, .dir = PV_WIRE_IN, .port = RP0, .hdr = {PV_DLLP_ACK}};

	for (unsigned i = 0; i < 300; i++)
		pv_ledger_add(ledger, &w);
	expect_lane("rx_ack_dllp", 0, 300);
}

Test(dwc, what_a_core_lacks_counts_nothing)
{
	struct pv_window win;
	struct pv_bounds b;

	describe(1000, 1000, 0);
	pv_ledger_add(ledger, &(struct pv_wire){.what = PV_WIRE_RAS_DES_LACKS, .port = RP0, .hdr = {0x106}});
	pv_ledger_add(ledger, &(struct pv_wire){.what = PV_WIRE_RAS_DES_LACKS, .port = RP1, .hdr = {0x107}});
	win = from_here();
	notice(PV_PHY_RECEIVER, 0, 3);
	notice(PV_PHY_RECOVERY_REQUEST, 0, 4);
	win = to_here(win);
	b = number_in(&win, 0x106, 0);
	cr_expect_eq(b.min, 0);
	cr_expect_eq(b.max, 0);
	b = number_in(&win, 0x107, 0);
	cr_expect_eq(b.min, 4, "another port lacks it");
}

Test(dwc, lane_errors_and_skps_count_on_their_lane)
{
	notice(PV_PHY_SYNC_HEADER, 0, 1);
	notice(PV_PHY_SYNC_HEADER, 5, 7);
	notice(PV_PHY_SKP_DEL, 5, 3);
	expect_number(0x005, 0, 1);
	expect_number(0x005, 5, 7);
	expect_number(0x005, 4, 0);
	expect_number(0x401, 5, 3);
	expect_number(0x400, 5, 0);
}

Test(dwc, each_event_of_the_receiver_has_its_number)
{
	static const unsigned ids[PV_PHY_EVENTS] = {0,	   0x000, 0x001, 0x002, 0x003, 0x004, 0x005, 0x006,
						    0x007, 0x008, 0x009, 0x00a, 0x400, 0x401, 0x105, 0x106,
						    0x107, 0x108, 0x109, 0x10a, 0x10c, 0x10d};

	for (unsigned what = 1; what < PV_PHY_EVENTS; what++)
		notice((enum pv_wire_phy)what, 0, what);
	for (unsigned what = 1; what < PV_PHY_EVENTS; what++)
		expect_number(ids[what], 0, what);
}
