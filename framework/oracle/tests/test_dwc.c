/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RAS D.E.S. expectations: lane events by kind, lane and direction; payloads; time in link states, and entries of them;
 * what is judged where the ledger does not say what a port is like.
 */
#include <inttypes.h>
#include <stdio.h>

#include "framework/oracle/tests/make.h"

static struct pv_ledger *ledger;

static void set_up(void)
{
	ledger = make_ledger();
}

static void tear_down(void)
{
	pv_ledger_free(ledger);
}

TestSuite(dwc, .init = set_up, .fini = tear_down);

static struct pv_bounds count_in(const struct pv_window *win, const char *name, unsigned lane)
{
	struct pv_dwc_query e = {.root_port = RP0, .lane = lane};
	struct pv_bounds b = {99, 99};

	cr_assert_eq(pv_oracle_dwc_event(name, &e), 0, "%s", name);
	cr_assert_eq(pv_oracle_dwc(ledger, win, &e, &b), 0, "%s", name);
	return b;
}

static void expect_bounds(struct pv_bounds b, uint64_t min, uint64_t max, const char *what, unsigned lane)
{
	cr_expect_eq(b.min, min, "%s, lane %u: lower bound: expected %" PRIu64 ", got %" PRIu64, what, lane, min,
		     b.min);
	cr_expect_eq(b.max, max, "%s, lane %u: upper bound: expected %" PRIu64 ", got %" PRIu64, what, lane, max,
		     b.max);
}

static void expect_lane(const char *name, unsigned lane, uint64_t n)
{
	struct pv_window win = whole(ledger);

	expect_bounds(count_in(&win, name, lane), n, n, name, lane);
}

static void add(uint32_t dw0, enum pv_wire_dir dir, unsigned times)
{
	struct pv_wire w = make_tlp(dw0);

	w.dir = dir;
	while (times--)
		pv_ledger_add(ledger, &w);
}

static const struct {
	const char *tx, *rx; /* NULL: no such event */
	uint32_t dw0[6];     /* the TLPs it counts; the first again: end */
} kinds[] = {
	{"tx_memory_write", "rx_memory_write", {0x40000001, 0x60000001}},
	{"tx_memory_read", "rx_memory_read", {0x00000001, 0x20000001, 0x01000001, 0x21000001}},
	{"tx_configuration_write", NULL, {0x44000001, 0x45000001}},
	{"tx_configuration_read", NULL, {0x04000001, 0x05000001}},
	{"tx_io_write", "rx_io_write", {0x42000001}},
	{"tx_io_read", "rx_io_read", {0x02000001}},
	{"tx_completion_without_data", "rx_completion_without_data", {0x0a000000, 0x0b000000}},
	{"tx_completion_with_data", "rx_completion_with_data", {0x4a000001, 0x4b000001}},
	{"tx_message_tlp", "rx_message_tlp", {0x30000000, 0x74000001}},
	{"tx_atomic", "rx_atomic", {0x4c000001, 0x6c000001, 0x4d000001, 0x6d000001, 0x4e000001, 0x6e000001}},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

Test(dwc, each_kind_is_counted_in_its_direction_only)
{
	for (size_t i = 0; i < KINDS; i++)
		for (size_t k = 0; k < 6 && kinds[i].dw0[k]; k++) {
			add(kinds[i].dw0[k], PV_WIRE_OUT, i + 1);
			add(kinds[i].dw0[k], PV_WIRE_IN, 20 + i);
		}
	for (size_t i = 0; i < KINDS; i++) {
		unsigned forms = 0;

		while (forms < 6 && kinds[i].dw0[forms])
			forms++;
		expect_lane(kinds[i].tx, 0, forms * (i + 1));
		if (kinds[i].rx)
			expect_lane(kinds[i].rx, 0, forms * (20 + i));
	}
}

Test(dwc, event_numbers_are_those_of_the_abi)
{
	static const struct {
		const char *name;
		uint16_t id;
		bool lane;
	} ids[] = {{"tx_ack_dllp", 0x600, true},
		   {"rx_duplicate_tl", 0x606, true},
		   {"tx_tlp_with_prefix", 0x70a, true},
		   {"rx_memory_read", 0x70c, true},
		   {"rx_io_write", 0x70f, true},
		   {"rx_ccix_tlp", 0x717, true},
		   {"one_cycle", 0, false},
		   {"L1_AUX", 8, false},
		   {"TX_RX_L0S", 9, false},
		   {"Rx_PCIe_TLP_Data_Payload", 0x21, false}};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		struct pv_dwc_query e = {0};

		cr_assert_eq(pv_oracle_dwc_event(ids[i].name, &e), 0, "%s", ids[i].name);
		cr_expect_eq(e.eventid, ids[i].id, "%s", ids[i].name);
		cr_expect_eq(e.lane_event, ids[i].lane, "%s", ids[i].name);
	}
}

Test(dwc, unknown_events_are_refused)
{
	struct pv_dwc_query e = {.lane_event = true, .eventid = 0x70d};
	struct pv_window win = whole(ledger);
	struct pv_bounds b;

	cr_assert_eq(pv_oracle_dwc(ledger, &win, &e, &b), -22);
	e.eventid = 0x21; /* a time-based one */
	cr_assert_eq(pv_oracle_dwc(ledger, &win, &e, &b), -22);
	cr_assert_lt(pv_oracle_dwc_event("rx_configuration_read", &e), 0);
}

Test(dwc, events_without_a_name_are_known_by_number_only)
{
	struct pv_dwc_query e = {0};

	cr_assert_lt(pv_oracle_dwc_event("", &e), 0);
}

/* What the ledger says of RP0 from here on. */
static void describe(uint32_t core_ps, uint32_t aux_ps, uint32_t settings)
{
	pv_ledger_add(ledger,
		      &(struct pv_wire){.what = PV_WIRE_RAS_DES, .port = RP0, .hdr = {core_ps, aux_ps, settings}});
}

static struct pv_window from_here(void)
{
	uint64_t n = pv_ledger_records(ledger);

	return sharp(n, n, 0, 1000000000000ull);
}

static struct pv_window to_here(struct pv_window win)
{
	win.inner_last = win.outer_last = pv_ledger_records(ledger);
	return win;
}

static struct pv_bounds number_in(const struct pv_window *win, unsigned eventid, unsigned lane)
{
	struct pv_dwc_query e = {.root_port = RP0, .lane_event = true, .eventid = (uint16_t)eventid, .lane = lane};
	struct pv_bounds b = {99, 99};

	cr_assert_eq(pv_oracle_dwc(ledger, win, &e, &b), 0, "event %03x", eventid);
	return b;
}

static void expect_number(unsigned eventid, unsigned lane, uint64_t n)
{
	struct pv_window win = whole(ledger);
	char event[16];

	snprintf(event, sizeof(event), "event %03x", eventid);
	expect_bounds(number_in(&win, eventid, lane), n, n, event, lane);
}

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

static void expect_flagged(uint8_t flags, enum pv_wire_dir dir, unsigned eventid, uint64_t n)
{
	struct pv_wire w = make_tlp(MWR64);

	tear_down();
	set_up();
	w.flags = flags;
	w.dir = dir;
	pv_ledger_add(ledger, &w);
	expect_number(eventid, 0, n);
}

Test(dwc, damaged_tlps_are_bad_and_are_sent_again)
{
	static const struct {
		uint8_t flags, dir;
		unsigned eventid, n;
	} table[] = {
		{PV_WIRE_F_BAD_LCRC, PV_WIRE_IN, 0x200, 1},
		{PV_WIRE_F_BAD_LCRC, PV_WIRE_IN, 0x201, 1},
		{PV_WIRE_F_BAD_LCRC, PV_WIRE_IN, 0x70b, 0},
		{PV_WIRE_F_BAD_LCRC, PV_WIRE_OUT, 0x200, 0},
		{PV_WIRE_F_BAD_LCRC, PV_WIRE_OUT, 0x207, 0},
		{PV_WIRE_F_BAD_LCRC, PV_WIRE_OUT, 0x700, 0},
		{PV_WIRE_F_RETRY, PV_WIRE_OUT, 0x207, 1},
		{PV_WIRE_F_RETRY, PV_WIRE_OUT, 0x700, 1},
		{PV_WIRE_F_RETRY, PV_WIRE_IN, 0x207, 0},
		{PV_WIRE_F_RETRY, PV_WIRE_IN, 0x70b, 1},
		{PV_WIRE_F_DUPLICATE, PV_WIRE_OUT, 0x207, 1},
		{PV_WIRE_F_NULLIFIED, PV_WIRE_IN, 0x200, 0},
		{PV_WIRE_F_NULLIFIED | PV_WIRE_F_BAD_LCRC, PV_WIRE_IN, 0x201, 0},
		{PV_WIRE_F_NULLIFIED | PV_WIRE_F_RETRY, PV_WIRE_OUT, 0x207, 0},
		{PV_WIRE_F_ABORTED | PV_WIRE_F_RETRY, PV_WIRE_OUT, 0x207, 0},
		{PV_WIRE_F_BAD_LCRC | PV_WIRE_F_DUPLICATE, PV_WIRE_IN, 0x606, 0},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		expect_flagged(table[i].flags, (enum pv_wire_dir)table[i].dir, table[i].eventid, table[i].n);
}

Test(dwc, naks)
{
	struct pv_wire w = {.what = PV_WIRE_DLLP, .port = RP0, .dir = PV_WIRE_OUT, .hdr = {PV_DLLP_NAK}};

	pv_ledger_add(ledger, &w);
	w.dir = PV_WIRE_IN;
	pv_ledger_add(ledger, &w);
	pv_ledger_add(ledger, &w);
	expect_number(0x205, 0, 2);
	expect_number(0x206, 0, 1);
	expect_lane("tx_ack_dllp", 0, 0);
}

static void add_answer(enum pv_wire_dir dir, uint16_t completer, unsigned status)
{
	struct pv_wire w = make_tlp(0x0a000000);

	w.dir = dir;
	w.hdr[1] = (uint32_t)completer << 16 | status << 13 | 4;
	pv_ledger_add(ledger, &w);
}

Test(dwc, unsupported_and_aborted_are_what_the_port_itself_answers)
{
	add_answer(PV_WIRE_OUT, RP0, 1);
	add_answer(PV_WIRE_OUT, RP0, 4);
	add_answer(PV_WIRE_OUT, RP0, 4);
	add_answer(PV_WIRE_OUT, RP0, 0);
	add_answer(PV_WIRE_OUT, NIC, 1);
	add_answer(PV_WIRE_IN, NIC, 1);
	add_answer(PV_WIRE_IN, RP0, 4);
	expect_number(0x303, 0, 1);
	expect_number(0x304, 0, 2);
}

Test(dwc, poisoned_is_what_is_received)
{
	add(MWR64 | 1u << 14, PV_WIRE_IN, 3);
	add(MWR64 | 1u << 14, PV_WIRE_OUT, 1);
	add(MWR64, PV_WIRE_IN, 1);
	expect_number(0x301, 0, 3);
}

Test(dwc, timeouts_are_of_the_ports_own_requests)
{
	struct pv_wire w = {.what = PV_WIRE_TIMEOUT, .port = RP0, .requester = NIC};

	pv_ledger_add(ledger, &w);
	w.requester = RP0;
	pv_ledger_add(ledger, &w);
	pv_ledger_add(ledger, &w);
	expect_number(0x305, 0, 2);
}

Test(dwc, what_never_happens_is_not_judged)
{
	static const uint16_t ids[] = {0x202, 0x203, 0x204, 0x300, 0x302, 0x504, 0x50b, 0x50c, 0x50d, 0x800};
	struct pv_window win = whole(ledger);
	struct pv_bounds b;

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		struct pv_dwc_query e = {.root_port = RP0, .lane_event = true, .eventid = ids[i]};

		cr_expect_eq(pv_oracle_dwc(ledger, &win, &e, &b), -22, "event %03x", ids[i]);
	}
}

Test(dwc, dllps)
{
	struct pv_wire w = {.what = PV_WIRE_DLLP, .port = RP0, .dir = PV_WIRE_OUT, .hdr = {PV_DLLP_ACK}};

	pv_ledger_add(ledger, &w);
	w.hdr[0] = PV_DLLP_UPDATE_FC;
	w.dir = PV_WIRE_IN;
	pv_ledger_add(ledger, &w);
	pv_ledger_add(ledger, &w);
	expect_lane("tx_ack_dllp", 0, 1);
	expect_lane("rx_ack_dllp", 0, 0);
	expect_lane("tx_update_fc_dllp", 0, 0);
	expect_lane("rx_update_fc_dllp", 0, 2);
}

static void add_flagged(enum pv_wire_dir dir, uint8_t flags)
{
	struct pv_wire w = make_tlp(MWR64 | 16);

	w.dir = dir;
	w.flags = flags;
	w.prefix = 0x91000001;
	pv_ledger_add(ledger, &w);
}

Test(dwc, nullified_tlps_count_as_nothing_else)
{
	add_flagged(PV_WIRE_IN, PV_WIRE_F_NULLIFIED);
	add_flagged(PV_WIRE_OUT, PV_WIRE_F_NULLIFIED);
	expect_lane("rx_nulified_tlp", 0, 1);
	expect_lane("tx_nulified_tlp", 0, 1);
	expect_lane("rx_memory_write", 0, 0);
	expect_lane("tx_memory_write", 0, 0);
	expect_lane("rx_tlp_with_prefix", 0, 0);
	expect_lane("Rx_PCIe_TLP_Data_Payload", 0, 0);
}

Test(dwc, duplicates_count_as_nothing_else)
{
	add_flagged(PV_WIRE_IN, PV_WIRE_F_DUPLICATE);
	expect_lane("rx_duplicate_tl", 0, 1);
	expect_lane("rx_memory_write", 0, 0);
	expect_lane("rx_tlp_with_prefix", 0, 0);
}

Test(dwc, a_duplicate_that_is_nullified_is_a_nullified_tlp)
{
	add_flagged(PV_WIRE_IN, PV_WIRE_F_DUPLICATE | PV_WIRE_F_NULLIFIED);
	expect_lane("rx_nulified_tlp", 0, 1);
	expect_lane("rx_duplicate_tl", 0, 0);
	expect_lane("rx_memory_write", 0, 0);
}

Test(dwc, malformed_inbound_is_not_counted_outbound_was_sent)
{
	add_flagged(PV_WIRE_IN, PV_WIRE_F_MALFORMED);
	add_flagged(PV_WIRE_OUT, PV_WIRE_F_MALFORMED);
	expect_lane("rx_memory_write", 0, 0);
	expect_lane("tx_memory_write", 0, 1);
}

Test(dwc, prefix_counts_in_addition_to_the_kind)
{
	add_flagged(PV_WIRE_IN, 0);
	add(MWR64, PV_WIRE_IN, 1);
	expect_lane("rx_tlp_with_prefix", 0, 1);
	expect_lane("rx_memory_write", 0, 2);
}

static struct pv_wire ccix(enum pv_wire_dir dir, uint32_t vendor, uint8_t code)
{
	struct pv_wire w = make_tlp(MSGD | 8);

	w.dir = dir;
	w.hdr[1] = NIC << 16 | code;
	w.hdr[2] = NIC << 16 | vendor;
	w.data_bytes = 32;
	return w;
}

Test(dwc, ccix_counts_as_ccix_only)
{
	struct pv_wire in = ccix(PV_WIRE_IN, 0x1e2c, 0x7f), out = ccix(PV_WIRE_OUT, 0x1e2c, 0x7f);

	pv_ledger_add(ledger, &in);
	pv_ledger_add(ledger, &in);
	pv_ledger_add(ledger, &out);
	expect_lane("rx_ccix_tlp", 0, 2);
	expect_lane("tx_ccix_tlp", 0, 1);
	expect_lane("rx_message_tlp", 0, 0);
	expect_lane("Rx_CCIX_TLP_Data_Payload", 0, 64); /* 2 x (32 + 4) in units of 16 */
	expect_lane("Tx_CCIX_TLP_Data_Payload", 0, 32); /* 36 */
	pv_ledger_add(ledger, &in);
	pv_ledger_add(ledger, &in);
	expect_lane("Rx_CCIX_TLP_Data_Payload", 0, 144); /* 4 x 36 */
	expect_lane("Rx_PCIe_TLP_Data_Payload", 0, 0);
}

Test(dwc, other_vendor_messages_are_messages)
{
	struct pv_wire vendor = ccix(PV_WIRE_IN, 0x19e5, 0x7f), type0 = ccix(PV_WIRE_IN, 0x1e2c, 0x7e);

	pv_ledger_add(ledger, &vendor);
	pv_ledger_add(ledger, &type0);
	expect_lane("rx_message_tlp", 0, 2);
	expect_lane("rx_ccix_tlp", 0, 0);
}

Test(dwc, payload_is_counted_in_units_of_16_bytes)
{
	struct pv_wire w = make_tlp(MWR64 | 5);
	struct pv_window win;
	struct pv_bounds b;

	w.data_bytes = 20;
	for (int i = 0; i < 5; i++)
		pv_ledger_add(ledger, &w);
	expect_lane("Rx_PCIe_TLP_Data_Payload", 0, 96); /* of 100 */
	win = whole(ledger);
	win.inner_first = 1;
	win.inner_last = 4;
	b = count_in(&win, "Rx_PCIe_TLP_Data_Payload", 0);
	cr_assert_eq(b.min, 48); /* of 60 */
	cr_assert_eq(b.max, 96);
}

/* ---- link states; a cycle is 2000 ps ---- */

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

/* ---- entries of link states ---- */

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
