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

static void log_write(struct fake_cfg *f, uint32_t off, uint32_t value)
{
	if (writes < LOG_MAX) {
		written[writes].off = off - CAP;
		written[writes].value = value;
	}
	writes++;
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
	static const uint16_t vendors[] = {DWC_VENDOR_ALIBABA, DWC_VENDOR_QCOM};
	size_t i;

	for (i = 0; i < 2; i++) {
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
		{"lane event that is not", PV_DWC_CONFIG(PV_DWC_LANE, 0x70d, 0), -PV_EINVAL},
		{"lane event by its time-based id", PV_DWC_CONFIG(PV_DWC_LANE, 0x03, 0), -PV_EINVAL},
		{"time-based", L0_CYCLES, 0},
		{"one_cycle is event 0", PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0, 0), 0},
		{"time-based that is not", PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x0a, 0), -PV_EINVAL},
		{"time-based past group 1", PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x24, 0), -PV_EINVAL},
		{"time-based by a lane id", PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x700, 0), -PV_EINVAL},
		{"time-based with a lane", PV_DWC_CONFIG(PV_DWC_TIME_BASED, 0x03, 1), -PV_EINVAL},
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
	cr_expect_eq(written[0].value, select | 1u << 2 | 1u, "off and cleared: %#x", written[0].value);
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

Test(dwc, lane_event_stops_off_and_cleared)
{
	struct pv_dwc_event ev = event(RX_MEM_READ(5));

	cr_assert_eq(pv_dwc_start(&dwc, &ev), 0);
	set_data(77);
	writes = 0;

	pv_dwc_stop(&dwc, &ev);

	cr_expect_eq(ev.total, 77);
	cr_assert_eq(writes, 2);
	cr_expect_eq(written[0].value & (DWC_EVENT_ENABLE_MASK | DWC_EVENT_CLEAR_MASK), 1u << 2,
		     "stopped before it is read, and not cleared by that");
	cr_expect_eq(written[1].value & (DWC_EVENT_ENABLE_MASK | DWC_EVENT_CLEAR_MASK), 1u << 2 | 1u);
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

Test(dwc, one_event_of_a_type_at_a_time)
{
	struct pv_dwc_event lane = event(RX_MEM_READ(0)), second_lane = event(TX_ATOMIC(1));
	struct pv_dwc_event time = event(L0_CYCLES), second_time = event(L1_CYCLES);

	cr_assert_eq(pv_dwc_start(&dwc, &lane), 0);
	cr_expect_eq(pv_dwc_start(&dwc, &time), 0, "the types do not compete");
	writes = 0;
	cr_expect_eq(pv_dwc_start(&dwc, &second_lane), -PV_ENOSPC);
	cr_expect_eq(pv_dwc_start(&dwc, &second_time), -PV_ENOSPC);
	cr_expect_eq(writes, 0, "a refused event touches nothing");

	pv_dwc_stop(&dwc, &lane);
	cr_expect_eq(pv_dwc_start(&dwc, &second_lane), 0, "the counter is free again");
}

Test(dwc, stopping_a_refused_event_leaves_the_running_one_alone)
{
	struct pv_dwc_event first = event(RX_MEM_READ(0)), second = event(TX_ATOMIC(1));

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
