/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RAS D.E.S. lane events: what each TLP and DLLP counts as, by kind, direction and flags; payloads; events that
 * nobody can judge.
 */
#include "framework/oracle/tests/dwc.h"

TestSuite(dwc, .init = set_up, .fini = tear_down);

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
		cr_expect_eq(e.eventid, ids[i].id, "%s: number: expected %#x, got %#x", ids[i].name, ids[i].id,
			     e.eventid);
		cr_expect_eq(e.lane_event, ids[i].lane, "%s: of a lane: expected %d, got %d", ids[i].name, ids[i].lane,
			     e.lane_event);
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

static struct pv_wire answer(enum pv_wire_dir dir, uint16_t completer, unsigned status)
{
	struct pv_wire w = make_tlp(0x0a000000);

	w.dir = dir;
	w.hdr[1] = (uint32_t)completer << 16 | status << 13 | 4;
	return w;
}

static void add_answer(enum pv_wire_dir dir, uint16_t completer, unsigned status)
{
	struct pv_wire w = answer(dir, completer, status);

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

Test(dwc, poison_without_data_may_count)
{
	struct pv_wire w = make_tlp(MRD64 | 1u << 14);
	struct pv_window win;

	w.data_bytes = 0;
	pv_ledger_add(ledger, &w);
	add(MWR64 | 1u << 14, PV_WIRE_IN, 2);
	win = whole(ledger);
	expect_bounds(number_in(&win, 0x301, 0), 2, 3, "poisoned", 0);
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

/* TLPs carry no domain, and bus numbers begin anew in each. */
Test(dwc, answers_and_timeouts_of_a_port_in_another_domain)
{
	const pv_bdf far = PCI_IN_DOMAIN(1, RP0);
	struct pv_wire w[] = {answer(PV_WIRE_OUT, RP0, 1),
			      answer(PV_WIRE_OUT, RP0, 4),
			      answer(PV_WIRE_OUT, NIC, 4),
			      {.what = PV_WIRE_TIMEOUT, .requester = RP0}};
	struct pv_window win;

	for (size_t i = 0; i < sizeof(w) / sizeof(*w); i++) {
		w[i].port = far;
		pv_ledger_add(ledger, &w[i]);
	}
	win = whole(ledger);
	expect_bounds(number_of(far, &win, 0x303, 0), 1, 1, "unsupported request", 0);
	expect_bounds(number_of(far, &win, 0x304, 0), 1, 1, "completer abort", 0);
	expect_bounds(number_of(far, &win, 0x305, 0), 1, 1, "completion timeout", 0);
	expect_number(0x303, 0, 0);
	expect_number(0x305, 0, 0);
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
	win.pause = &(struct pv_pause){2, 3, 0, 0};
	win.pauses = 1;
	b = count_in(&win, "Rx_PCIe_TLP_Data_Payload", 0);
	cr_assert_eq(b.min, 16); /* 2 x 20, each less up to 15 */
	cr_assert_eq(b.max, 96);
}
