/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of the DesignWare PCIe PMU's core: of several events at once, and no reading torn or lost at a wrap. */
#include "drivers/core/tests/fake_dwc.h"

TestSuite(dwc_count, .init = set_up);

/* ---- several lane events, on a core that counts by event and lane, and loses what is disabled ---- */

static uint32_t hardware[8 << 8][16];
static bool enabled[8 << 8][16];

static void hardware_write(struct fake_cfg *f, uint32_t off, uint32_t value)
{
	unsigned id = (value >> 24 & 7) << 8 | (value >> 16 & 0xff), lane = value >> 8 & 0xf, command = value >> 2 & 7;

	log_write(f, off, value);
	if (off != CAP + DWC_EVENT_CNT_CTL)
		return;
	if ((value & 3) == 1)
		hardware[id][lane] = 0;
	if (command == 1 || command == 3)
		enabled[id][lane] = command == 3;
	if (command == 5)
		memset(enabled, 0, sizeof(enabled));
	if (command == 1)
		hardware[id][lane] = 0;
	set_data(hardware[id][lane]);
	put_control(f, value, enabled[id][lane]);
}

static void with_hardware(void)
{
	memset(hardware, 0, sizeof(hardware));
	memset(enabled, 0, sizeof(enabled));
	port.on_write = hardware_write;
}

static void happen(uint64_t config, uint32_t times)
{
	unsigned id = PV_DWC_CONFIG_EVENTID(config), lane = PV_DWC_CONFIG_LANE(config);

	if (enabled[id][lane])
		hardware[id][lane] += times;
}

Test(dwc_count, several_lane_events_run_at_once)
{
	struct pv_dwc_event read = event(RX_MEM_READ(0)), atomic = event(TX_ATOMIC(1));

	with_hardware();
	cr_assert_eq(pv_dwc_start(&dwc, &read), 0);
	cr_assert_eq(pv_dwc_start(&dwc, &atomic), 0);
	happen(RX_MEM_READ(0), 5);
	happen(TX_ATOMIC(1), 7);

	cr_assert_eq(pv_dwc_update(&dwc, &read), 0);
	cr_assert_eq(pv_dwc_update(&dwc, &atomic), 0);
	cr_expect_eq(read.total, 5);
	cr_expect_eq(atomic.total, 7);

	pv_dwc_stop(&dwc, &read);
	happen(RX_MEM_READ(0), 100);
	happen(TX_ATOMIC(1), 1);
	pv_dwc_stop(&dwc, &atomic);
	cr_expect_eq(read.total, 5);
	cr_expect_eq(atomic.total, 8);
	cr_expect_not(enabled[0x70c][0] || enabled[0x709][1]);
}

Test(dwc_count, lanes_of_one_event_have_enable_bits_of_their_own)
{
	struct pv_dwc_event a = event(PV_DWC_CONFIG(PV_DWC_LANE, 0x400, 0));
	struct pv_dwc_event b = event(PV_DWC_CONFIG(PV_DWC_LANE, 0x400, 3));
	struct pv_dwc_event other = event(TX_ATOMIC(0));

	with_hardware();
	cr_assert_eq(pv_dwc_start(&dwc, &other), 0);
	cr_assert_eq(pv_dwc_start(&dwc, &a), 0);
	cr_assert_eq(pv_dwc_start(&dwc, &b), 0);
	happen(PV_DWC_CONFIG(PV_DWC_LANE, 0x400, 0), 4);
	happen(PV_DWC_CONFIG(PV_DWC_LANE, 0x400, 3), 6);
	pv_dwc_stop(&dwc, &a);

	cr_expect_not(enabled[0x400][0]);
	happen(PV_DWC_CONFIG(PV_DWC_LANE, 0x400, 3), 1);
	pv_dwc_stop(&dwc, &b);
	cr_expect_not(enabled[0x400][3]);
	cr_expect(enabled[0x709][0]);
	cr_expect_eq(a.total, 4);
	cr_expect_eq(b.total, 7);
}

Test(dwc_count, one_event_twice_shares_its_counter)
{
	struct pv_dwc_event a = event(RX_MEM_READ(0)), b = event(RX_MEM_READ(0));

	with_hardware();
	cr_assert_eq(pv_dwc_start(&dwc, &a), 0);
	happen(RX_MEM_READ(0), 10);
	cr_assert_eq(pv_dwc_start(&dwc, &b), 0);
	happen(RX_MEM_READ(0), 5);
	pv_dwc_stop(&dwc, &a);
	happen(RX_MEM_READ(0), 1);
	pv_dwc_stop(&dwc, &b);

	cr_expect_eq(a.total, 15);
	cr_expect_eq(b.total, 6);
}

/* The one counter of a group that counts the whole port answers on each lane, with a status on lane 0 alone. */
static void whole_port_write(struct fake_cfg *f, uint32_t off, uint32_t value)
{
	unsigned id = (value >> 24 & 7) << 8 | (value >> 16 & 0xff);

	hardware_write(f, off, value & ~DWC_EVENT_LANE_MASK);
	log_write(f, off, value);
	put_control(f, value, enabled[id][0] && !(value & DWC_EVENT_LANE_MASK));
}

Test(dwc_count, lanes_of_an_event_of_the_whole_port_share_its_counter)
{
	struct pv_dwc_event a = event(RX_MEM_READ(0)), b = event(RX_MEM_READ(1));

	with_hardware();
	port.on_write = whole_port_write;
	cr_assert_eq(pv_dwc_start(&dwc, &a), 0);
	happen(RX_MEM_READ(0), 10);
	cr_assert_eq(pv_dwc_start(&dwc, &b), 0);
	happen(RX_MEM_READ(0), 5);
	pv_dwc_stop(&dwc, &b);
	happen(RX_MEM_READ(0), 1);
	pv_dwc_stop(&dwc, &a);

	cr_expect_eq(a.total, 16);
	cr_expect_eq(b.total, 5);
}

/* A core that lacks an event leaves its status at 0. */
static unsigned lacking;

static void status_write(struct fake_cfg *f, uint32_t off, uint32_t value)
{
	unsigned id = (value >> 24 & 7) << 8 | (value >> 16 & 0xff), lane = value >> 8 & 0xf;

	hardware_write(f, off, value);
	if (id == lacking)
		enabled[id][lane] = false;
	put_control(f, value, enabled[id][lane]);
}

Test(dwc_count, an_event_that_the_core_lacks_is_seen_by_its_status)
{
	struct pv_dwc_event is = event(TX_ATOMIC(3)), not = event(RX_MEM_READ(3)), time = event(L0_CYCLES);

	with_hardware();
	port.on_write = status_write;
	lacking = 0x70c;
	cr_expect_eq(pv_dwc_event_probe(&dwc, &not ), -PV_EOPNOTSUPP);
	cr_expect_eq(written[0].value, 0x070c000cu, "lane 0, whatever lane is asked for: %#x", written[0].value);
	cr_expect_eq(pv_dwc_event_probe(&dwc, &is), 0);
	cr_expect_not(enabled[0x709][0], "off again");
	writes = 0;
	cr_expect_eq(pv_dwc_event_probe(&dwc, &time), 0);
	cr_expect_eq(writes, 0, "nothing to ask");
}

Test(dwc_count, an_event_that_runs_is_not_probed)
{
	struct pv_dwc_event runs = event(PV_DWC_CONFIG(PV_DWC_LANE, 0x400, 3)), same = runs;
	struct pv_dwc_event lane = event(PV_DWC_CONFIG(PV_DWC_LANE, 0x400, 4));

	with_hardware();
	port.on_write = status_write;
	lacking = 0;
	cr_assert_eq(pv_dwc_start(&dwc, &runs), 0);
	writes = 0;
	cr_expect_eq(pv_dwc_event_probe(&dwc, &same), 0);
	cr_expect_eq(writes, 0);
	cr_expect_eq(pv_dwc_event_probe(&dwc, &lane), 0);
	cr_expect_eq(writes, 2, "a lane has a counter of its own");
	cr_expect(enabled[0x400][3]);
}

Test(dwc_count, counters_are_as_wide_as_their_group_has_them)
{
	static const struct {
		unsigned id;
		uint32_t most;
	} table[] = {{0x000, 0xf}, {0x105, 0xff}, {0x200, 0xff}, {0x300, 0xff}, {0x400, 0xf}, {0x500, UINT32_MAX}};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct pv_dwc_event ev = event(PV_DWC_CONFIG(PV_DWC_LANE, table[i].id, 0));

		cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
		set_data(table[i].most);
		cr_expect_eq(pv_dwc_update(&dwc, &ev), 0);
		set_data(2);
		pv_dwc_stop(&dwc, &ev);
		cr_expect_eq(ev.total, table[i].most + 3ull, "event %#x", table[i].id);
	}
}

Test(dwc_count, time_based_data_of_32_bits_go_round)
{
	struct pv_dwc_event ev = event(L0_CYCLES);

	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
	set_time(0xfffffff0);
	cr_expect_eq(pv_dwc_update(&dwc, &ev), 0);
	set_time(0x10);
	cr_expect_eq(pv_dwc_update(&dwc, &ev), 0);
	cr_expect_eq(ev.total, 0x100000010);
}

/* Registers that were lost: a count is not what it was, and what comes behind it is not known. */
Test(dwc_count, a_counter_that_is_not_on_any_more_adds_nothing)
{
	struct pv_dwc_event lane = event(RX_MEM_READ(0)), time = event(L0_CYCLES);

	cr_assert_eq(pv_dwc_start(&dwc, &lane), 0);
	cr_assert_eq(pv_dwc_start(&dwc, &time), 0);
	set_data(50);
	set_time(70);
	cr_expect_eq(pv_dwc_update(&dwc, &lane), 0);
	cr_expect_eq(pv_dwc_update(&dwc, &time), 0);
	counting = false;
	fake_put(&port, CAP + DWC_TIME_BASED_CTL, 4, DWC_TIME_DURATION_1MS << DWC_TIME_DURATION_SHIFT);
	set_data(0);
	set_time(1000);
	cr_expect_eq(pv_dwc_update(&dwc, &lane), 0);
	pv_dwc_stop(&dwc, &lane);
	pv_dwc_stop(&dwc, &time);
	cr_expect_eq(lane.total, 50);
	cr_expect_eq(time.total, 70);
	cr_assert_eq(pv_dwc_start(&dwc, &lane), 0);
	set_data(5);
	pv_dwc_stop(&dwc, &lane);
	cr_expect_eq(lane.total, 55);
}

/* Another master selects the counter of event 0x600 before the next `others` reads of the count. */
static unsigned others;

static void other_select(struct fake_cfg *f, uint32_t off)
{
	if (off != CAP + DWC_EVENT_CNT_DATA || !others)
		return;
	others--;
	fake_put(f, CAP + DWC_EVENT_CNT_CTL, 4, 0x06000000);
	set_data(hardware[0x600][0]);
}

Test(dwc_count, a_count_that_another_master_has_selected_is_not_taken)
{
	struct pv_dwc_event ev = event(RX_MEM_READ(0));

	with_hardware();
	port.on_read = other_select;
	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
	happen(RX_MEM_READ(0), 5);
	hardware[0x600][0] = 1000;
	others = 2;
	cr_expect_eq(pv_dwc_update(&dwc, &ev), 0);
	cr_expect_eq(ev.total, 5);
	others = 100;
	cr_expect_eq(pv_dwc_update(&dwc, &ev), -PV_EIO, "an error, not a hang");
	cr_expect_eq(ev.total, 5);
	others = 0;
}

Test(dwc_count, each_of_several_wraps_by_itself)
{
	struct pv_dwc_event a = event(RX_MEM_READ(0)), b = event(TX_ATOMIC(0));

	with_hardware();
	cr_assert_eq(pv_dwc_start(&dwc, &a), 0);
	cr_assert_eq(pv_dwc_start(&dwc, &b), 0);
	happen(RX_MEM_READ(0), 0xfffffff0);
	happen(TX_ATOMIC(0), 3);
	pv_dwc_update(&dwc, &a);
	pv_dwc_update(&dwc, &b);
	happen(RX_MEM_READ(0), 0x20);
	happen(TX_ATOMIC(0), 4);
	pv_dwc_stop(&dwc, &a);
	pv_dwc_stop(&dwc, &b);

	cr_expect_eq(a.total, 0x100000010ull);
	cr_expect_eq(b.total, 7);
}

Test(dwc_count, payload_is_counted_in_bytes)
{
	struct pv_dwc_event ev = event(RX_PAYLOAD);

	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
	set_time(1000);

	cr_assert_eq(pv_dwc_update(&dwc, &ev), 0);
	cr_expect_eq(ev.total, 16000);
}

Test(dwc_count, cycles_are_not_scaled)
{
	struct pv_dwc_event ev = event(L0_CYCLES);

	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
	set_time(0x123456789aull);

	cr_assert_eq(pv_dwc_update(&dwc, &ev), 0);
	cr_expect_eq(ev.total, 0x123456789aull);
}

/* The low half carries into the high half once, between two of the driver's reads. */
static unsigned carry_after;

static void carry(struct fake_cfg *f, uint32_t off)
{
	if (off != CAP + DWC_TIME_BASED_DATA_LO && off != CAP + DWC_TIME_BASED_DATA_HI)
		return;
	if (carry_after-- == 0)
		set_time(0x500000000ull);
}

Test(dwc_count, a_carry_between_the_halves_tears_nothing)
{
	unsigned at;

	for (at = 0; at < 6; at++) {
		struct pv_dwc_event ev = event(L0_CYCLES);

		port.on_read = NULL;
		cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
		set_time(0x4ffffffffull);
		carry_after = at;
		port.on_read = carry;

		cr_assert_eq(pv_dwc_update(&dwc, &ev), 0);
		cr_expect(ev.total == 0x4ffffffffull || ev.total == 0x500000000ull, "carry before read %u: %#llx", at,
			  (unsigned long long)ev.total);
		port.on_read = NULL;
		pv_dwc_stop(&dwc, &ev);
	}
}

static void never_still(struct fake_cfg *f, uint32_t off)
{
	if (off == CAP + DWC_TIME_BASED_DATA_HI)
		fake_put(f, off, 4, fake_get(f, off, 4) + 1);
}

Test(dwc_count, a_counter_that_never_holds_still_is_an_error_not_a_hang)
{
	struct pv_dwc_event ev = event(L0_CYCLES);

	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
	port.on_read = never_still;

	cr_expect_eq(pv_dwc_update(&dwc, &ev), -PV_EIO);
	cr_expect_eq(ev.total, 0, "nothing is made up");
}

Test(dwc_count, wraps_of_the_lane_counter_are_absorbed)
{
	static const uint32_t seen[] = {0xfffffff0, 0x10, 0xffffffff, 0xfffffffe, 0};
	struct pv_dwc_event ev = event(RX_MEM_READ(0));
	size_t i;

	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
	for (i = 0; i < 5; i++) {
		set_data(seen[i]);
		cr_assert_eq(pv_dwc_update(&dwc, &ev), 0);
	}

	/* 2^32 for each reading that is below the one before it. */
	cr_expect_eq(ev.total, 3ull << 32, "total is %#llx", (unsigned long long)ev.total);
}

Test(dwc_count, totals_go_on_over_stop_and_start)
{
	struct pv_dwc_event ev = event(RX_MEM_READ(0));

	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
	set_data(10);
	pv_dwc_stop(&dwc, &ev);
	set_data(0);
	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
	set_data(5);
	pv_dwc_stop(&dwc, &ev);

	cr_expect_eq(ev.total, 15);
}

Test(dwc_count, a_port_that_is_gone_adds_nothing)
{
	struct pv_dwc_event lane = event(RX_MEM_READ(0)), time = event(L0_CYCLES);

	cr_assert_eq(pv_dwc_start(&dwc, &lane), 0);
	cr_assert_eq(pv_dwc_start(&dwc, &time), 0);
	set_data(3);
	cr_assert_eq(pv_dwc_update(&dwc, &lane), 0);
	memset(port.byte, 0xff, sizeof(port.byte));

	cr_expect_eq(pv_dwc_update(&dwc, &lane), -PV_ENODEV);
	cr_expect_eq(pv_dwc_update(&dwc, &time), -PV_ENODEV);
	cr_expect_eq(lane.total, 3);
	cr_expect_eq(time.total, 0);
}

Test(dwc_count, all_ones_is_a_count_while_the_port_is_there)
{
	struct pv_dwc_event lane = event(RX_MEM_READ(0));

	cr_assert_eq(pv_dwc_start(&dwc, &lane), 0);
	set_data(0xffffffff);

	cr_expect_eq(pv_dwc_update(&dwc, &lane), 0);
	cr_expect_eq(lane.total, 0xffffffffull);
}
