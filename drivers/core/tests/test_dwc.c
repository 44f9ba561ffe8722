/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DesignWare PCIe PMU's core against a hand-made register file: what it finds, what it accepts, the
 * order of its accesses, and that no reading is torn or lost at a wrap.
 */
#include <criterion/criterion.h>

#include "drivers/core/dwc.h"
#include "drivers/core/tests/fake_cfg.h"
#include "drivers/regs/dwc.h"

enum { CAP = 0x200, LANES = 8, LOG_MAX = 16 };

#define RX_MEM_READ(lane) PV_DWC_CONFIG(PV_DWC_LANE, 0x70c, lane)
#define TX_ATOMIC(lane)	  PV_DWC_CONFIG(PV_DWC_LANE, 0x709, lane)
#define L0_CYCLES	  PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x03, 0)
#define L1_CYCLES	  PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x04, 0)
#define RX_PAYLOAD	  PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x21, 0)

static struct fake_cfg port;
static struct pv_cfg cfg;
static struct pv_dwc dwc;
static struct {
	uint32_t off, value;
} written[LOG_MAX];
static unsigned writes;
static bool counting; /* the counter that is selected */

/* EVENT_CNT_CTL as it is read: the actions are not kept, and the status tells what they did. */
static void put_control(struct fake_cfg *f, uint32_t value, bool on)
{
	uint32_t kept = value & ~(DWC_EVENT_ENABLE_MASK | DWC_EVENT_CLEAR_MASK | DWC_EVENT_STATUS);

	fake_put(f, CAP + DWC_EVENT_CNT_CTL, 4, kept | (on ? DWC_EVENT_STATUS : 0));
}

static void log_write(struct fake_cfg *f, uint32_t off, uint32_t value)
{
	unsigned command = (value & DWC_EVENT_ENABLE_MASK) >> DWC_EVENT_ENABLE_SHIFT;

	if (writes < LOG_MAX) {
		written[writes].off = off - CAP;
		written[writes].value = value;
	}
	writes++;
	if (off == CAP + DWC_TIME_BASED_CTL)
		fake_put(f, off, 4, value);
	if (off != CAP + DWC_EVENT_CNT_CTL)
		return;
	if (command & 1)
		counting = command == DWC_EVENT_SELECTED_ON || command == DWC_EVENT_ALL_ON;
	put_control(f, value, counting);
}

static void add_ras_des(struct fake_cfg *f, uint32_t pos, unsigned id, unsigned rev, unsigned bytes)
{
	fake_ext_cap(f, pos, PCI_EXT_CAP_ID_VSEC);
	fake_put(f, pos + PCI_VSEC_HEADER, 4, id | rev << 16 | bytes << 20);
}

static void root_port(uint16_t vendor, unsigned width)
{
	fake_function(&port, vendor, PCI_EXP_TYPE_ROOT_PORT, width);
	fake_ext_cap(&port, 0x100, PCI_EXT_CAP_ID_AER);
	add_ras_des(&port, CAP, DWC_VSEC_ID, DWC_VSEC_REV, DWC_VSEC_BYTES);
	cfg = fake_cfg(&port);
	writes = 0;
	counting = false;
}

static void set_up(void)
{
	root_port(DWC_VENDOR_ALIBABA, LANES);
	cr_assert_eq(pv_dwc_init(&dwc, &cfg), 0);
	port.on_write = log_write;
}

static void set_data(uint32_t count)
{
	fake_put(&port, CAP + DWC_EVENT_CNT_DATA, 4, count);
}

static void set_time(uint64_t value)
{
	fake_put(&port, CAP + DWC_TIME_BASED_DATA_LO, 4, (uint32_t)value);
	fake_put(&port, CAP + DWC_TIME_BASED_DATA_HI, 4, (uint32_t)(value >> 32));
}

static struct pv_dwc_event event(uint64_t config)
{
	struct pv_dwc_event ev;

	cr_assert_eq(pv_dwc_event_init(&dwc, config, &ev), 0);
	return ev;
}

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

Test(dwc, several_lane_events_run_at_once)
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

Test(dwc, lanes_of_one_event_have_enable_bits_of_their_own)
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

Test(dwc, one_event_twice_shares_its_counter)
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

Test(dwc, lanes_of_an_event_of_the_whole_port_share_its_counter)
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

Test(dwc, an_event_that_the_core_lacks_is_seen_by_its_status)
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

Test(dwc, an_event_that_runs_is_not_probed)
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

Test(dwc, counters_are_as_wide_as_their_group_has_them)
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

Test(dwc, time_based_data_of_32_bits_go_round)
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
Test(dwc, a_counter_that_is_not_on_any_more_adds_nothing)
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

Test(dwc, a_count_that_another_master_has_selected_is_not_taken)
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

Test(dwc, each_of_several_wraps_by_itself)
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

Test(dwc, payload_is_counted_in_bytes)
{
	struct pv_dwc_event ev = event(RX_PAYLOAD);

	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
	set_time(1000);

	cr_assert_eq(pv_dwc_update(&dwc, &ev), 0);
	cr_expect_eq(ev.total, 16000);
}

Test(dwc, cycles_are_not_scaled)
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

Test(dwc, a_carry_between_the_halves_tears_nothing)
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

Test(dwc, a_counter_that_never_holds_still_is_an_error_not_a_hang)
{
	struct pv_dwc_event ev = event(L0_CYCLES);

	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
	port.on_read = never_still;

	cr_expect_eq(pv_dwc_update(&dwc, &ev), -PV_EIO);
	cr_expect_eq(ev.total, 0, "nothing is made up");
}

Test(dwc, wraps_of_the_lane_counter_are_absorbed)
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

Test(dwc, totals_go_on_over_stop_and_start)
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

Test(dwc, a_port_that_is_gone_adds_nothing)
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

Test(dwc, all_ones_is_a_count_while_the_port_is_there)
{
	struct pv_dwc_event lane = event(RX_MEM_READ(0));

	cr_assert_eq(pv_dwc_start(&dwc, &lane), 0);
	set_data(0xffffffff);

	cr_expect_eq(pv_dwc_update(&dwc, &lane), 0);
	cr_expect_eq(lane.total, 0xffffffffull);
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
