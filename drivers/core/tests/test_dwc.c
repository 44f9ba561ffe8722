/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The DesignWare PCIe PMU's core: what it finds, what it accepts, and the order of its accesses. */
#include "drivers/core/tests/fake_dwc.h"

TestSuite(dwc, .init = set_up);

Test(dwc, is_found_under_each_known_vendor)
{
	static const uint16_t vendors[] = {0x1ded, 0x17cb, 0x1def, 0x1d87, 0x144d, 0x20fa, 0x0720};
	size_t i;

	for (i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++) {
		root_port(vendors[i], LANES);
		cr_expect_eq(pv_dwc_init(&dwc, &cfg), 0, "vendor %#x", vendors[i]);
		cr_expect_eq(dwc.cap, CAP);
		cr_expect_eq(port.writes, 0, "probing writes nothing");
	}
}

Test(dwc, is_not_seen_where_the_capability_is_not_ours)
{
	root_port(0x19e5, LANES);
	cr_expect_eq(pv_dwc_init(&dwc, &cfg), -PV_ENOENT, "unknown vendor");

	root_port(DWC_VENDOR_ALIBABA, LANES);
	fake_put(&port, CAP + PCI_VSEC_HEADER, 4, DWC_VSEC_ID | 3u << 16 | DWC_VSEC_BYTES << 20);
	cr_expect_eq(pv_dwc_init(&dwc, &cfg), -PV_ENOENT, "revision 3");

	root_port(DWC_VENDOR_ALIBABA, LANES);
	fake_put(&port, CAP + PCI_VSEC_HEADER, 4, 0x01 | DWC_VSEC_REV << 16 | DWC_VSEC_BYTES << 20);
	cr_expect_eq(pv_dwc_init(&dwc, &cfg), -PV_ENOENT, "another VSEC");

	root_port(DWC_VENDOR_ALIBABA, LANES);
	fake_put(&port, CAP + PCI_VSEC_HEADER, 4, DWC_VSEC_ID | DWC_VSEC_REV << 16 | 0x10u << 20);
	cr_expect_eq(pv_dwc_init(&dwc, &cfg), -PV_ENOENT, "too short for its registers");

	fake_function(&port, DWC_VENDOR_ALIBABA, PCI_EXP_TYPE_DOWNSTREAM, LANES);
	add_ras_des(&port, CAP, DWC_VSEC_ID, DWC_VSEC_REV, DWC_VSEC_BYTES);
	cr_expect_eq(pv_dwc_init(&dwc, &cfg), -PV_ENOENT, "not a Root Port");
}

Test(dwc, registers_beyond_configuration_space_are_not_driven)
{
	fake_function(&port, DWC_VENDOR_ALIBABA, PCI_EXP_TYPE_ROOT_PORT, LANES);
	fake_ext_cap(&port, 0x100, PCI_EXT_CAP_ID_AER);
	add_ras_des(&port, PCI_CFG_BYTES - 12, DWC_VSEC_ID, DWC_VSEC_REV, DWC_VSEC_BYTES);

	cr_expect_eq(pv_dwc_init(&dwc, &cfg), -PV_ENOENT);
}

/* The last register is the high half of the time-based data: 8 bytes from there on. */
Test(dwc, registers_that_end_where_their_block_does_are_driven)
{
	const unsigned least = DWC_TIME_BASED_DATA_HI + 4;
	static const uint32_t places[] = {PCI_CFG_BYTES, PCI_CFG_BYTES + 4};

	root_port(DWC_VENDOR_ALIBABA, LANES);
	fake_put(&port, CAP + PCI_VSEC_HEADER, 4, DWC_VSEC_ID | DWC_VSEC_REV << 16 | (least - 1) << 20);
	cr_expect_eq(pv_dwc_init(&dwc, &cfg), -PV_ENOENT, "a byte too short");
	fake_put(&port, CAP + PCI_VSEC_HEADER, 4, DWC_VSEC_ID | DWC_VSEC_REV << 16 | least << 20);
	cr_expect_eq(pv_dwc_init(&dwc, &cfg), 0, "just long enough");
	for (unsigned i = 0; i < 2; i++) {
		fake_function(&port, DWC_VENDOR_ALIBABA, PCI_EXP_TYPE_ROOT_PORT, LANES);
		fake_ext_cap(&port, 0x100, PCI_EXT_CAP_ID_AER);
		add_ras_des(&port, places[i] - (least + 3) / 4 * 4, DWC_VSEC_ID, DWC_VSEC_REV, least);
		cr_expect_eq(pv_dwc_init(&dwc, &cfg), i ? -PV_ENOENT : 0, "it ends at 0x%x", places[i]);
	}
}

Test(dwc, checks_the_event)
{
	static const struct {
		const char *what;
		uint64_t config;
		int result;
	} table[] = {
		{"lane 0", RX_MEM_READ(0), 0},
		{"last lane", RX_MEM_READ(LANES - 1), 0},
		{"lane = width", RX_MEM_READ(LANES), -PV_EINVAL},
		{"lane 255", RX_MEM_READ(255), -PV_EINVAL},
		{"lane event that is not", PV_DWC_CONFIG(PV_DWC_LANE, 0x71a, 0), -PV_EINVAL},
		{"lane event by its time-based id", PV_DWC_CONFIG(PV_DWC_LANE, 0x21, 0), -PV_EINVAL},
		{"time-based", L0_CYCLES, 0},
		{"one_cycle is event 0", PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0, 0), 0},
		{"time-based that is not", PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x0a, 0), -PV_EINVAL},
		{"time-based past group 1", PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x24, 0), -PV_EINVAL},
		{"time-based by a lane id", PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x700, 0), -PV_EINVAL},
		{"time-based with a lane", PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x03, 1), -PV_EINVAL},
		{"layer-1 error per lane", PV_DWC_CONFIG(PV_DWC_LANE, 0x005, 7), 0},
		{"SKP of a lane that is not", PV_DWC_CONFIG(PV_DWC_LANE, 0x400, LANES), -PV_EINVAL},
		{"type 2", PV_DWC_CONFIG(2, 0x700, 0), -PV_EINVAL},
		{"type 15", PV_DWC_CONFIG(15, 0x03, 0), -PV_EINVAL},
		{"bit 28", RX_MEM_READ(0) | 1ull << 28, -PV_EINVAL},
		{"bit 63", L0_CYCLES | 1ull << 63, -PV_EINVAL},
	};
	struct pv_dwc_event ev;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		cr_expect_eq(pv_dwc_event_init(&dwc, table[i].config, &ev), table[i].result, "%s", table[i].what);
	cr_expect_eq(writes, 0, "checking writes nothing");
}

Test(dwc, events_without_a_name_are_reached_by_number)
{
	static const struct {
		unsigned first, last;
	} ranges[] = {{0x000, 0x00a}, {0x105, 0x10a}, {0x10c, 0x10d}, {0x200, 0x207}, {0x300, 0x305},
		      {0x400, 0x401}, {0x500, 0x50d}, {0x600, 0x606}, {0x700, 0x719}};
	const unsigned n = sizeof(ranges) / sizeof(ranges[0]);
	struct pv_dwc_event ev;
	unsigned id, i;

	for (id = 0; id <= 0xffff; id++) {
		for (i = 0; i < n && !(id >= ranges[i].first && id <= ranges[i].last); i++)
			;
		cr_expect_eq(pv_dwc_event_init(&dwc, PV_DWC_CONFIG(PV_DWC_LANE, id, 0), &ev), i < n ? 0 : -PV_EINVAL,
			     "event %#x", id);
	}
}

Test(dwc, lanes_that_the_register_cannot_name_are_refused)
{
	struct pv_dwc_event ev;

	root_port(DWC_VENDOR_ALIBABA, 32);
	cr_assert_eq(pv_dwc_init(&dwc, &cfg), 0);

	cr_expect_eq(pv_dwc_event_init(&dwc, RX_MEM_READ(15), &ev), 0);
	cr_expect_eq(pv_dwc_event_init(&dwc, RX_MEM_READ(16), &ev), -PV_EINVAL);
}

Test(dwc, lane_event_is_cleared_then_enabled)
{
	const uint32_t select = 7u << 24 | 0x0cu << 16 | 5u << 8;
	struct pv_dwc_event ev = event(RX_MEM_READ(5));

	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);

	cr_assert_eq(writes, 2);
	cr_expect_eq(written[0].off, DWC_EVENT_CNT_CTL);
	cr_expect_eq(written[0].value, select | 1u, "cleared: %#x", written[0].value);
	cr_expect_eq(written[1].value, select | 3u << 2, "on, not cleared: %#x", written[1].value);
}

Test(dwc, time_based_event_starts_by_an_edge_of_start)
{
	struct pv_dwc_event ev = event(L1_CYCLES);

	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);

	cr_assert_eq(writes, 2);
	cr_expect_eq(written[0].off, DWC_TIME_BASED_CTL);
	cr_expect_eq(written[0].value, 0x04000000u, "selected, stopped: %#x", written[0].value);
	cr_expect_eq(written[1].value, 0x04000001u, "started, manual duration: %#x", written[1].value);
}

Test(dwc, last_lane_event_stops_all_off_and_cleared)
{
	const uint32_t select = 7u << 24 | 0x0cu << 16 | 5u << 8;
	struct pv_dwc_event ev = event(RX_MEM_READ(5));

	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
	set_data(77);
	writes = 0;

	pv_dwc_stop(&dwc, &ev);

	cr_expect_eq(ev.total, 77);
	cr_assert_eq(writes, 2);
	cr_expect_eq(written[0].value, select, "selected, which is all: %#x", written[0].value);
	cr_expect_eq(written[1].value, select | 5u << 2 | 1u, "off after the reading: %#x", written[1].value);
}

Test(dwc, one_time_based_event_at_a_time)
{
	struct pv_dwc_event lane = event(RX_MEM_READ(0));
	struct pv_dwc_event time = event(L0_CYCLES), second = event(L1_CYCLES);

	cr_assert_eq(pv_dwc_start(&dwc, &lane), 0);
	cr_expect_eq(pv_dwc_start(&dwc, &time), 0, "the types do not compete");
	writes = 0;
	cr_expect_eq(pv_dwc_start(&dwc, &second), -PV_ENOSPC);
	cr_expect_eq(pv_dwc_start(&dwc, &lane), -PV_EINVAL, "it runs already");
	cr_expect_eq(writes, 0, "a refused event touches nothing");

	pv_dwc_stop(&dwc, &time);
	cr_expect_eq(pv_dwc_start(&dwc, &second), 0, "the counter is free again");
}

Test(dwc, stopping_a_refused_event_leaves_the_running_one_alone)
{
	struct pv_dwc_event first = event(L0_CYCLES), second = event(L1_CYCLES);

	cr_assert_eq(pv_dwc_start(&dwc, &first), 0);
	cr_assert_eq(pv_dwc_start(&dwc, &second), -PV_ENOSPC);
	writes = 0;

	pv_dwc_stop(&dwc, &second);

	cr_expect_eq(writes, 0);
	cr_expect(first.running);
}

Test(dwc, idle_turns_all_off_and_clears)
{
	pv_dwc_idle(&dwc);

	cr_assert_eq(writes, 2);
	cr_expect_eq(written[0].off, DWC_EVENT_CNT_CTL);
	cr_expect_eq(written[0].value, 5u << 2 | 3u);
	cr_expect_eq(written[1].off, DWC_TIME_BASED_CTL);
	cr_expect_eq(written[1].value, 0);
}

Test(dwc, idle_forgets_what_ran)
{
	struct pv_dwc_event a = event(RX_MEM_READ(0)), b = event(TX_ATOMIC(0)), time = event(L0_CYCLES);

	cr_assert_eq(pv_dwc_start(&dwc, &a), 0);
	cr_assert_eq(pv_dwc_start(&dwc, &b), 0);
	cr_assert_eq(pv_dwc_start(&dwc, &time), 0);
	pv_dwc_idle(&dwc);

	cr_expect_not(a.running || b.running || time.running);
	writes = 0;
	pv_dwc_stop(&dwc, &a);
	cr_expect_eq(writes, 0);
	cr_expect_eq(pv_dwc_start(&dwc, &time), 0);
}

Test(dwc, event_names_and_ids_are_unique)
{
	size_t i, j;

	cr_expect_eq(pv_dwc_events_count, 14 + 29);
	for (i = 0; i < pv_dwc_events_count; i++)
		for (j = 0; j < i; j++) {
			const struct pv_dwc_named_event *a = &pv_dwc_events[i], *b = &pv_dwc_events[j];

			cr_expect(strcmp(a->name, b->name) && (a->type != b->type || a->eventid != b->eventid),
				  "%s, %s", a->name, b->name);
		}
}
