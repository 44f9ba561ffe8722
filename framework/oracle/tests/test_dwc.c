/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RAS D.E.S. expectations: lane events by kind, lane and direction; payloads; time in link states.
 */
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
	struct pv_dwc_event e = {.root_port = RP0, .lane = lane};
	struct pv_bounds b = {99, 99};

	cr_assert(zero(int, pv_oracle_dwc_event(name, &e)), "%s", name);
	cr_assert(zero(int, pv_oracle_dwc(ledger, win, &e, &b)), "%s", name);
	return b;
}

static void expect_lane(const char *name, unsigned lane, uint64_t n)
{
	struct pv_window win = whole(ledger);
	struct pv_bounds b = count_in(&win, name, lane);

	cr_expect(eq(u64, b.min, n), "%s lane %u", name, lane);
	cr_expect(eq(u64, b.max, n), "%s lane %u", name, lane);
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
		   {"L1_AUX", 9, false},
		   {"Rx_PCIe_TLP_Data_Payload", 0x21, false}};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		struct pv_dwc_event e = {0};

		cr_assert(zero(int, pv_oracle_dwc_event(ids[i].name, &e)), "%s", ids[i].name);
		cr_expect(eq(u16, e.eventid, ids[i].id), "%s", ids[i].name);
		cr_expect(eq(int, e.lane_event, ids[i].lane), "%s", ids[i].name);
	}
}

Test(dwc, unknown_events_are_refused)
{
	struct pv_dwc_event e = {.lane_event = true, .eventid = 0x70d};
	struct pv_window win = whole(ledger);
	struct pv_bounds b;

	cr_assert(eq(int, pv_oracle_dwc(ledger, &win, &e, &b), -22));
	e.eventid = 0x21; /* a time-based one */
	cr_assert(eq(int, pv_oracle_dwc(ledger, &win, &e, &b), -22));
	cr_assert(lt(int, pv_oracle_dwc_event("rx_configuration_read", &e), 0));
}

Test(dwc, lanes_and_ports_are_told_apart)
{
	struct pv_wire w = make_tlp(MWR64);

	w.lane = 3;
	pv_ledger_add(ledger, &w);
	w.port = RP1;
	pv_ledger_add(ledger, &w);
	expect_lane("rx_memory_write", 3, 1);
	expect_lane("rx_memory_write", 0, 0);
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
	expect_lane("Rx_CCIX_TLP_Data_Payload", 0, 64);
	expect_lane("Tx_CCIX_TLP_Data_Payload", 0, 32);
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
	cr_assert(eq(u64, b.min, 48)); /* of 60 */
	cr_assert(eq(u64, b.max, 96));
}

/* ---- link states; a cycle is 2000 ps ---- */

static void enter(uint64_t cycle, uint32_t state)
{
	pv_ledger_add(ledger,
		      &(struct pv_wire){.time_ps = cycle * 2000, .what = PV_WIRE_LTSSM, .port = RP0, .hdr = {state}});
}

static void expect_cycles(const struct pv_window *win, const char *name, uint64_t n, uint64_t slack)
{
	struct pv_bounds b = count_in(win, name, 0);

	cr_expect(eq(u64, b.min, n > slack ? n - slack : 0), "%s", name);
	cr_expect(eq(u64, b.max, n + slack), "%s", name);
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
	expect_cycles(&win, "one_cycle", 1000, 1);
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
	struct pv_bounds b = count_in(&win, "one_cycle", 0);

	cr_assert(eq(u64, b.min, 29));
	cr_assert(eq(u64, b.max, 51));
}
