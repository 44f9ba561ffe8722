/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter PMUs (CPMU, DWC) through the driver's outer interface: names, attribute files, errno values,
 * groups, interrupts, and the state in which the hardware is left.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "drivers/core/cpmu.h"
#include "drivers/core/cpmu_events.h"
#include "drivers/core/dwc.h"
#include "drivers/user/pmu.h"
#include "drivers/user/sys.h"
#include "drivers/user/tests/fake_counters_bus.h"

#define D2H(mask)      PV_CPMU_CONFIG(0x1e98, 0x0010, mask)
#define M2S(mask)      PV_CPMU_CONFIG(0x1e98, 0x0020, mask)
/* COUNTER_CFG of a configurable counter that nobody uses: threshold 1, as out of reset (F-C6). */
#define AT_REST	       (CPMU_CFG_TYPE_CONFIGURABLE | 1ull << CPMU_CFG_THRESHOLD_SHIFT)
#define DDR(mask)      PV_CPMU_CONFIG(0x1e98, 0x8000, mask)
#define TICKS	       PV_CPMU_CONFIG(0x1e98, 0x0000, 1)
#define LANE(id, n)    PV_DWC_CONFIG(PV_DWC_LANE, id, n)
#define TIME_BASED(id) PV_DWC_CONFIG(PV_DWC_TIME_BASED, id, 0)
#define MEM0	       "cxl_pmu_mem0.0"
#define MEM1	       "cxl_pmu_mem1.0"
#define PORT0	       "dwc_rootport_0"
#define PORT2	       "dwc_rootport_10"

static struct fake_machine machine;
static struct pv_bus bus;
static struct pv_sys *sys;

/* Every event is there: its status is 1 unless the last command has disabled it. */
static void show_status(struct fake_cfg *f, uint32_t off)
{
	uint32_t ctl = fake_get(f, RAS_DES + DWC_EVENT_CNT_CTL, 4);
	uint32_t command = (ctl & DWC_EVENT_ENABLE_MASK) >> DWC_EVENT_ENABLE_SHIFT;

	if (off == RAS_DES + DWC_EVENT_CNT_CTL && command != DWC_EVENT_SELECTED_OFF && command != DWC_EVENT_ALL_OFF)
		fake_put(f, off, 4, ctl | DWC_EVENT_STATUS);
}

static void set_up(void)
{
	bus = machine_boot(&machine);
	machine_cfg(&machine, BDF_PORT0)->on_read = show_status;
	machine_cfg(&machine, BDF_PORT2)->on_read = show_status;
	sys = pv_sys_boot(&bus, PV_MPS_TUNE_OFF);
	cr_assert_not_null(sys);
}

static void tear_down(void)
{
	pv_sys_shutdown(sys);
}

TestSuite(counters, .init = set_up, .fini = tear_down);

static const char *attr(const char *pmu, const char *path)
{
	static char text[128];
	int len = pv_sys_attr_read(sys, pmu, path, text, sizeof(text));

	if (len < 0)
		snprintf(text, sizeof(text), "error %d", len);
	return text;
}

static void append(void *ctx, const char *name)
{
	char *list = ctx;
	size_t at = strlen(list);

	snprintf(list + at, 4096 - at, "%s%s", at ? " " : "", name);
}

static const char *list(const char *pmu, const char *dir)
{
	static char names[4096];

	names[0] = '\0';
	cr_assert_eq(pv_sys_attr_list(sys, pmu, dir, append, names), 0);
	return names;
}

static struct pv_event *open_event(const char *pmu, uint64_t config)
{
	struct pv_event_attr a = {.config = config};
	struct pv_event *ev;

	cr_assert_eq(pv_event_open(sys, pmu, &a, NULL, NULL, &ev), 0, "%s %#llx", pmu, (unsigned long long)config);
	return ev;
}

static int open_member(const char *pmu, uint64_t config, struct pv_event *leader, struct pv_event **ev)
{
	struct pv_event_attr a = {.config = config};

	return pv_event_open_group(sys, pmu, &a, leader, ev);
}

static uint64_t count(struct pv_event *ev)
{
	uint64_t value;

	cr_assert_eq(pv_event_read(ev, &value), 0);
	return value;
}

static void set_lane_counter(pv_bdf bdf, uint32_t value)
{
	fake_put(machine_cfg(&machine, bdf), RAS_DES + DWC_EVENT_CNT_DATA, 4, value);
}

static uint32_t lane_control(pv_bdf bdf)
{
	return fake_get(machine_cfg(&machine, bdf), RAS_DES + DWC_EVENT_CNT_CTL, 4);
}

static uint32_t time_control(pv_bdf bdf)
{
	return fake_get(machine_cfg(&machine, bdf), RAS_DES + DWC_TIME_BASED_CTL, 4);
}

Test(counters, pmus_are_named_after_their_devices)
{
	static const char *const names[] = {PORT0, MEM0, PORT2, MEM1, "dwc_rootport_3018"};
	size_t i;

	for (i = 0; i < 5; i++)
		cr_expect_str_eq(pv_sys_pmu_name(sys, i), names[i]);
	cr_expect_null(pv_sys_pmu_name(sys, 5));
}

Test(counters, a_refused_cpmu_leaves_its_reason)
{
	const char *why;

	cr_expect_eq(pv_sys_probe_status(sys, BDF_MEM0, 0, &why), 0);
	cr_expect_eq(pv_sys_probe_status(sys, BDF_MEM0, 1, &why), -PV_ENODEV);
	cr_expect(strstr(why, "not writable when frozen"), "%s", why);
	cr_expect_eq(pv_sys_probe_status(sys, BDF_FOREIGN, 0, &why), -PV_ENOENT);
}

Test(counters, cpmu_tells_its_parent_device)
{
	pv_bdf bdf;

	cr_expect_eq(pv_sys_pmu_parent(sys, MEM0, &bdf), 0);
	cr_expect_eq(bdf, BDF_MEM0);
	cr_expect_eq(pv_sys_pmu_parent(sys, MEM1, &bdf), 0);
	cr_expect_eq(bdf, BDF_MEM1);
	cr_expect_eq(pv_sys_pmu_parent(sys, "cxl_pmu_mem9.0", &bdf), -PV_ENODEV);
}

Test(counters, pmu_folders)
{
	cr_expect_str_eq(list(MEM0, ""), "cpumask events format type");
	cr_expect_str_eq(list(PORT0, ""), "cpumask events format type");
	cr_expect_str_eq(attr(MEM0, "cpumask"), "0");
	cr_expect_str_eq(attr(PORT0, "cpumask"), "0");
	cr_expect_eq(pv_sys_attr_list(sys, MEM0, "tune", append, NULL), -PV_ENOENT);
	cr_expect_eq(pv_sys_attr_list(sys, PORT0, "tune", append, NULL), -PV_ENOENT);
}

Test(counters, cpmu_format)
{
	cr_expect_str_eq(attr(MEM0, "format/mask"), "config:0-31");
	cr_expect_str_eq(attr(MEM0, "format/gid"), "config:32-47");
	cr_expect_str_eq(attr(MEM0, "format/vid"), "config:48-63");
	cr_expect_str_eq(attr(MEM0, "format/threshold"), "config1:0-15");
	cr_expect_str_eq(attr(MEM0, "format/invert"), "config1:16");
	cr_expect_str_eq(attr(MEM0, "format/edge"), "config1:17");
	cr_expect_str_eq(attr(MEM0, "format/hdm_filter_en"), "config1:18");
	cr_expect_str_eq(attr(MEM0, "format/hdm"), "config2:0-15");
	cr_expect_str_eq(list(MEM0, "format"), "edge gid hdm hdm_filter_en invert mask threshold vid");
}

Test(counters, cpmu_format_without_hdm_filter)
{
	cr_expect_str_eq(list(MEM1, "format"), "edge gid invert mask threshold vid");
	cr_expect_str_eq(attr(MEM1, "format/hdm"), "error -2");
	cr_expect_str_eq(attr(MEM1, "format/hdm_filter_en"), "error -2");
}

Test(counters, cpmu_events_are_those_that_the_device_supports)
{
	cr_expect_str_eq(list(MEM0, "events"),
			 "clock_ticks d2h_req_cacheflushed d2h_req_cleanevict d2h_req_cleanevictnodata "
			 "d2h_req_clflush d2h_req_dirtyevict d2h_req_itomwr d2h_req_rdany d2h_req_rdcurr "
			 "d2h_req_rdown d2h_req_rdownnodata d2h_req_rdshared d2h_req_wowrinv d2h_req_wowrinvf "
			 "d2h_req_wrcurr d2h_req_wrinv ddr_act ddr_casrd ddr_caswr ddr_pre ddr_refresh ddr_rfm "
			 "ddr_selfrefreshent m2s_req_memcleanevict m2s_req_meminv m2s_req_meminvnt m2s_req_memrd "
			 "m2s_req_memrddata m2s_req_memrdfwd m2s_req_memspecrd m2s_req_memwrfwd");
	cr_expect_str_eq(attr(MEM0, "events/clock_ticks"), "config=0x1e98000000000001");
	cr_expect_str_eq(attr(MEM0, "events/d2h_req_rdcurr"), "config=0x1e98001000000002");
	cr_expect_str_eq(attr(MEM0, "events/ddr_rfm"), "config=0x1e98800000000040");
	cr_expect_str_eq(attr(MEM0, "events/h2d_req_snpcur"), "error -2");
	cr_expect_str_eq(attr(MEM0, "events/nonsense"), "error -2");
	cr_expect_eq(pv_sys_attr_write(sys, MEM0, "events/clock_ticks", "1"), -PV_EACCES);
}

Test(counters, dwc_format_and_events)
{
	size_t i;

	cr_expect_str_eq(list(PORT0, "format"), "eventid lane type");
	cr_expect_str_eq(attr(PORT0, "format/eventid"), "config:0-15");
	cr_expect_str_eq(attr(PORT0, "format/type"), "config:16-19");
	cr_expect_str_eq(attr(PORT0, "format/lane"), "config:20-27");
	cr_expect_str_eq(attr(PORT0, "events/one_cycle"), "eventid=0x0,type=0x0");
	cr_expect_str_eq(attr(PORT0, "events/Rx_PCIe_TLP_Data_Payload"), "eventid=0x21,type=0x0");
	cr_expect_str_eq(attr(PORT0, "events/tx_memory_write"), "eventid=0x700,type=0x1,lane=?");
	cr_expect_str_eq(attr(PORT0, "events/rx_ccix_tlp"), "eventid=0x717,type=0x1,lane=?");
	for (i = 0; i < pv_dwc_events_count; i++)
		cr_expect(strstr(list(PORT0, "events"), pv_dwc_events[i].name), "%s", pv_dwc_events[i].name);
}

Test(counters, what_cannot_be_counted_is_refused_at_opening)
{
	static const struct {
		const char *what, *pmu;
		struct pv_event_attr attr;
		int result;
	} table[] = {
		{"CPMU, sampling", MEM0, {.config = TICKS, .sampling = true}, -PV_EOPNOTSUPP},
		{"CPMU, per task", MEM0, {.config = TICKS, .per_task = true}, -PV_EOPNOTSUPP},
		{"CPMU, sampling nonsense", MEM0, {.config = 0, .sampling = true}, -PV_EOPNOTSUPP},
		{"CPMU, unsupported event", MEM0, {.config = D2H(1)}, -PV_EINVAL},
		{"CPMU, threshold 256", MEM0, {.config = D2H(2), .config1 = 256}, -PV_EINVAL},
		{"CPMU, filter", MEM0, {.config = M2S(2), .config1 = 1 << 18, .config2 = 1}, 0},
		{"CPMU, filter that does not serve the event",
		 MEM0,
		 {.config = D2H(2), .config1 = 1 << 18, .config2 = 1},
		 -PV_EINVAL},
		{"CPMU, filter where there is none",
		 MEM1,
		 {.config = D2H(2), .config1 = 1 << 18, .config2 = 1},
		 -PV_EINVAL},
		{"CPMU, AUX area", MEM0, {.config = TICKS, .aux = true}, -PV_EINVAL},
		{"CPMU, type of nobody", MEM0, {.type = 99, .config = TICKS}, -PV_ENOENT},
		{"CPMU, type of nobody, per task", MEM0, {.type = 99, .config = TICKS, .per_task = true}, -PV_ENOENT},
		{"CPMU, CPU that is not there", MEM0, {.config = TICKS, .on_cpu = true, .cpu = 1}, -PV_EINVAL},
		{"DWC, type of nobody", PORT0, {.type = 99, .config = TIME_BASED(3)}, -PV_ENOENT},
		{"DWC, sampling", PORT0, {.config = TIME_BASED(3), .sampling = true}, -PV_EINVAL},
		{"DWC, per task", PORT0, {.config = TIME_BASED(3), .per_task = true}, -PV_EINVAL},
		{"DWC, lane 8 of 8", PORT0, {.config = LANE(0x700, 8)}, -PV_EINVAL},
		{"DWC, unknown event", PORT0, {.config = LANE(0x71a, 0)}, -PV_EINVAL},
		{"DWC, config1", PORT0, {.config = TIME_BASED(3), .config1 = 1}, -PV_EINVAL},
		{"DWC, config2", PORT0, {.config = TIME_BASED(3), .config2 = 1}, -PV_EINVAL},
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct pv_event *ev = NULL;

		cr_expect_eq(pv_event_open(sys, table[i].pmu, &table[i].attr, NULL, NULL, &ev), table[i].result, "%s",
			     table[i].what);
		pv_event_close(ev);
	}
}

Test(counters, cpmu_counts_over_wraps_by_its_interrupt)
{
	struct fake_cpmu *dev = &machine.cpmu[0];
	struct pv_event *ev = open_event(MEM0, D2H(0x1e));
	unsigned i;

	cr_assert_eq(machine.irq_bdf, BDF_MEM0);
	cr_assert_eq(machine.irq_vectors, 3, "message 2 needs vectors 0 to 2");
	cr_assert_eq(pv_event_enable(ev), 0);
	for (i = 0; i < 10; i++) {
		fake_count(dev, 2, 200);
		if (dev->overflow)
			machine.irq(machine.irq_arg, 2);
	}

	cr_expect_eq(count(ev), 2000);
	cr_expect_eq(pv_event_disable(ev), 0);
	cr_expect_eq(count(ev), 2000);
	cr_expect_eq(machine.irq_depth, 0, "interrupts are on again");
	pv_event_close(ev);
}

Test(counters, cpmu_without_interrupt_is_followed_by_polling)
{
	struct fake_cpmu *dev = &machine.cpmu[2];
	struct pv_event *ev = open_event(MEM1, D2H(2));
	unsigned i;

	cr_assert_eq(pv_event_enable(ev), 0);
	for (i = 0; i < 10; i++) {
		fake_count(dev, 2, 200);
		pv_sys_poll(sys);
	}

	cr_expect_eq(count(ev), 2000);
	pv_event_close(ev);
}

Test(counters, cpmu_group_starts_and_stops_in_one_instant)
{
	struct fake_cpmu *dev = &machine.cpmu[0];
	struct pv_event *leader = open_event(MEM0, D2H(2)), *ddr, *ticks;

	cr_assert_eq(open_member(MEM0, DDR(1), leader, &ddr), 0);
	cr_assert_eq(open_member(MEM0, TICKS, leader, &ticks), 0);

	dev->writes = 0;
	cr_assert_eq(pv_event_enable(leader), 0);
	cr_expect_eq(dev->log[dev->writes - 1].off, CPMU_FREEZE, "all are let go at last");
	cr_expect_eq(dev->freeze, 0);
	fake_count(dev, 0, 9);
	fake_count(dev, 2, 3);
	fake_count(dev, 3, 4);
	dev->writes = 0;
	cr_assert_eq(pv_event_disable(leader), 0);

	cr_expect_eq(dev->log[0].off, CPMU_FREEZE);
	cr_expect_eq(dev->log[0].value, 0xd, "counters 0, 2 and 3 stop together");
	cr_expect_eq(count(leader), 3);
	cr_expect_eq(count(ddr), 4);
	cr_expect_eq(count(ticks), 9);
}

Test(counters, cpmu_refuses_one_event_too_many_when_it_is_enabled)
{
	struct pv_event *ev[4];
	unsigned i;

	for (i = 0; i < 4; i++)
		ev[i] = open_event(MEM0, D2H(2u << i));
	for (i = 0; i < 3; i++)
		cr_assert_eq(pv_event_enable(ev[i]), 0);

	cr_expect_eq(pv_event_enable(ev[3]), -PV_ENOSPC);
	cr_expect_eq(pv_event_disable(ev[0]), 0);
	cr_expect_eq(pv_event_enable(ev[3]), 0, "a counter is free again");
}

Test(counters, an_event_whose_counters_are_in_use_is_refused_at_opening)
{
	struct pv_event_attr cpmu = {.config = D2H(64)}, dwc = {.config = TIME_BASED(4)};
	struct pv_event *time = open_event(PORT0, TIME_BASED(3)), *ev;
	unsigned i;

	cr_assert_eq(pv_event_enable(time), 0);
	for (i = 0; i < 3; i++)
		cr_assert_eq(pv_event_enable(open_event(MEM0, D2H(2u << i))), 0);

	cr_expect_eq(pv_event_open(sys, MEM0, &cpmu, NULL, NULL, &ev), -PV_ENOSPC);
	cr_expect_eq(pv_event_open(sys, PORT0, &dwc, NULL, NULL, &ev), -PV_ENOSPC);
	pv_event_disable(time);
	cr_expect_eq(pv_event_open(sys, PORT0, &dwc, NULL, NULL, &ev), 0);
}

Test(counters, cpmu_refuses_a_group_that_can_never_run)
{
	struct pv_event *leader = open_event(MEM0, D2H(2)), *ev;

	cr_expect_eq(open_member(MEM0, D2H(4), leader, &ev), 0);
	cr_expect_eq(open_member(MEM0, D2H(8), leader, &ev), 0);
	cr_expect_eq(open_member(MEM0, D2H(16), leader, &ev), -PV_ENOSPC);
	cr_expect_eq(pv_event_enable(leader), 0, "the rest of the group is sound");
}

Test(counters, a_cpmu_group_that_does_not_fit_now_starts_no_part_of_itself)
{
	struct fake_cpmu *dev = &machine.cpmu[0];
	struct pv_event *other = open_event(MEM0, DDR(1)), *leader = open_event(MEM0, D2H(2)), *a, *b;

	cr_assert_eq(open_member(MEM0, D2H(4), leader, &a), 0);
	cr_assert_eq(open_member(MEM0, D2H(8), leader, &b), 0);
	cr_assert_eq(pv_event_enable(other), 0);

	cr_expect_eq(pv_event_enable(leader), -PV_ENOSPC);
	cr_expect_eq((dev->cfg[3] | dev->cfg[4]) & CPMU_CFG_ENABLE, 0);
	cr_expect_eq(dev->freeze, 0);
	fake_count(dev, 2, 5);
	cr_expect_eq(count(other), 5, "what ran, runs");
}

Test(counters, a_group_that_cannot_start_leaves_its_members_that_run_alone)
{
	struct fake_cpmu *dev = &machine.cpmu[0];
	struct pv_event *other = open_event(MEM0, DDR(1)), *leader = open_event(MEM0, D2H(2)), *runs, *last;
	size_t i;

	cr_assert_eq(open_member(MEM0, D2H(4), leader, &runs), 0);
	cr_assert_eq(open_member(MEM0, D2H(8), leader, &last), 0);
	cr_assert_eq(pv_event_enable(runs), 0);
	cr_assert_eq(pv_event_enable(other), 0);
	fake_count(dev, 2, 7);
	dev->writes = 0;

	cr_expect_eq(pv_event_enable(leader), -PV_ENOSPC, "there is a counter for the leader, none for the last");
	for (i = 0; i < dev->writes; i++)
		cr_expect(dev->log[i].off != CPMU_FREEZE || !(dev->log[i].value & 1 << 2),
			  "what runs is not even held");
	fake_count(dev, 2, 5);
	cr_expect_eq(count(runs), 12);
	cr_expect_eq(count(leader), 0);
	cr_expect_eq(dev->cfg[4] & CPMU_CFG_ENABLE, 0);
	cr_expect_eq(pv_event_disable(other), 0);
	cr_expect_eq(pv_event_enable(leader), 0, "there is room for the rest now");
}

Test(counters, cpmu_is_idle_after_close)
{
	struct fake_cpmu *dev = &machine.cpmu[0];
	struct pv_event *ev = open_event(MEM0, D2H(2));

	cr_assert_eq(pv_event_enable(ev), 0);
	fake_count(dev, 2, 255);
	fake_count(dev, 2, 1);
	pv_event_close(ev);

	cr_expect_eq(dev->cfg[2], AT_REST);
	cr_expect_eq(dev->overflow, 0);
	cr_expect_eq(dev->freeze, 0);
	cr_expect_eq(dev->bad_accesses, 0);
}

Test(counters, dwc_wraps_are_absorbed_while_nobody_reads)
{
	struct pv_event *ev = open_event(PORT0, LANE(0x70c, 3));

	cr_assert_eq(pv_event_enable(ev), 0);
	set_lane_counter(BDF_PORT0, 0xfffffff0);
	pv_sys_poll(sys);
	set_lane_counter(BDF_PORT0, 0x10);
	pv_sys_poll(sys);
	set_lane_counter(BDF_PORT0, 0x20);

	cr_expect_eq(count(ev), 0x100000020ull);
}

/* PTT waits for its device for up to a second. */
Test(counters, dwc_wraps_are_absorbed_while_a_driver_waits)
{
	const struct pv_clock clock = pv_sys_clock(sys);
	struct pv_event *ev = open_event(PORT0, LANE(0x70c, 3));

	cr_assert_eq(pv_event_enable(ev), 0);
	for (unsigned wraps = 0; wraps < 2; wraps++) {
		set_lane_counter(BDF_PORT0, 0xfffffff0);
		clock.delay_ns(clock.ctx, PV_SYS_POLL_NS);
		set_lane_counter(BDF_PORT0, 0x10);
		clock.delay_ns(clock.ctx, PV_SYS_POLL_NS);
	}

	cr_expect_eq(count(ev), 0x200000010ull);
	set_lane_counter(BDF_PORT0, 0x20);
	clock.delay_ns(clock.ctx, PV_SYS_POLL_NS / 2);
	set_lane_counter(BDF_PORT0, 0x10);
	cr_expect_eq(count(ev), 0x200000010ull, "no reading was due");
}

Test(counters, dwc_group_holds_lane_events_and_one_time_based)
{
	struct pv_event *leader = open_event(PORT0, TIME_BASED(0x21)), *lane, *ev;

	cr_expect_eq(open_member(PORT0, LANE(0x70c, 3), leader, &lane), 0);
	cr_expect_eq(open_member(PORT0, LANE(0x70b, 3), leader, &ev), 0);
	cr_expect_eq(open_member(PORT0, TIME_BASED(0), leader, &ev), -PV_ENOSPC);
	cr_assert_eq(pv_event_enable(leader), 0);
	cr_expect(time_control(BDF_PORT0) & DWC_TIME_START);
	cr_expect_eq(lane_control(BDF_PORT0) & DWC_EVENT_ENABLE_MASK, DWC_EVENT_SELECTED_ON << DWC_EVENT_ENABLE_SHIFT);
}

Test(counters, dwc_second_time_based_event_is_refused_when_it_is_enabled)
{
	struct pv_event *first = open_event(PORT0, TIME_BASED(3)), *second = open_event(PORT0, TIME_BASED(4));

	cr_assert_eq(pv_event_enable(first), 0);
	cr_expect_eq(pv_event_enable(second), -PV_ENOSPC);
	pv_event_close(first);
	cr_expect_eq(pv_event_enable(second), 0);
}

Test(counters, dwc_ports_do_not_disturb_each_other)
{
	struct pv_event *a = open_event(PORT0, LANE(0x70c, 0)), *b = open_event(PORT2, LANE(0x70c, 0));

	cr_assert_eq(pv_event_enable(a), 0);
	cr_assert_eq(pv_event_enable(b), 0);
	set_lane_counter(BDF_PORT0, 11);
	set_lane_counter(BDF_PORT2, 22);
	pv_event_close(a);

	cr_expect_eq(count(b), 22);
	cr_expect_eq(lane_control(BDF_PORT2) & DWC_EVENT_ENABLE_MASK, 0, "selected to be read, left on");
}

Test(counters, dwc_is_off_and_cleared_after_close)
{
	struct pv_event *lane = open_event(PORT0, LANE(0x70c, 0)), *time = open_event(PORT0, TIME_BASED(3));

	cr_assert_eq(pv_event_enable(lane), 0);
	cr_assert_eq(pv_event_enable(time), 0);
	pv_event_close(lane);
	pv_event_close(time);

	cr_expect_eq(lane_control(BDF_PORT0) & (DWC_EVENT_ENABLE_MASK | DWC_EVENT_CLEAR_MASK),
		     DWC_EVENT_ALL_OFF << DWC_EVENT_ENABLE_SHIFT | DWC_EVENT_CLEAR_SELECTED);
	cr_expect_eq(time_control(BDF_PORT0) & DWC_TIME_START, 0);
}

Test(counters, shutdown_leaves_the_hardware_idle_whoever_touched_it)
{
	struct pv_event *ev = open_event(MEM0, D2H(2)), *lane = open_event(PORT0, LANE(0x70c, 0));

	cr_assert_eq(pv_event_enable(ev), 0);
	cr_assert_eq(pv_event_enable(lane), 0);
	machine.cpmu[0].cfg[4] |= CPMU_CFG_ENABLE;
	pv_sys_shutdown(sys);
	sys = NULL;

	cr_expect_eq(machine.cpmu[0].freeze, 0);
	cr_expect_eq(machine.cpmu[0].cfg[2], AT_REST);
	cr_expect_eq(machine.cpmu[0].cfg[4], AT_REST);
	cr_expect_eq(lane_control(BDF_PORT0), DWC_EVENT_ALL_OFF << DWC_EVENT_ENABLE_SHIFT | DWC_EVENT_CLEAR_ALL);
	cr_expect_eq(time_control(BDF_PORT0), 0);
	cr_expect_null(machine.irq, "no interrupt comes any more");
	cr_expect_eq(machine.mapped, 0, "no registers stay mapped");
}

Test(counters, memory_decoding_and_bus_mastering_are_on)
{
	uint32_t command = fake_get(machine_cfg(&machine, BDF_MEM0), PCI_COMMAND, 2);

	cr_expect_eq(command, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
}

Test(counters, one_member_of_a_cpmu_group_stops_alone)
{
	struct fake_cpmu *dev = &machine.cpmu[0];
	struct pv_event *leader = open_event(MEM0, D2H(2)), *member, *last;

	cr_assert_eq(open_member(MEM0, DDR(1), leader, &member), 0);
	cr_assert_eq(open_member(MEM0, DDR(2), leader, &last), 0);
	cr_assert_eq(pv_event_enable(leader), 0);
	dev->writes = 0;
	cr_assert_eq(pv_event_disable(member), 0);
	fake_count(dev, 2, 6);
	fake_count(dev, 3, 6);

	cr_expect_eq(dev->log[0].value, 1u << 3, "the others are not even held");
	cr_expect_eq(count(leader), 6);
	cr_expect_eq(count(member), 0);
}

Test(counters, events_outlive_a_device_that_is_pulled)
{
	struct pv_event *ev = open_event(MEM0, D2H(2));
	uint64_t value;

	cr_assert_eq(pv_event_enable(ev), 0);
	memset(machine_cfg(&machine, BDF_MEM0)->byte, 0xff, PCI_CFG_BYTES);
	machine.cpmu[0].gone = true;
	pv_sys_poll(sys);

	cr_expect_eq(pv_sys_device_removed(sys, BDF_MEM0), 0);
	cr_expect_eq(pv_event_read(ev, &value), -PV_ENODEV);
	pv_event_close(ev);
}

Test(counters, a_failed_dwc_reading_is_logged_once)
{
	struct pv_event *ev = open_event(PORT2, LANE(0x70c, 0));

	cr_assert_eq(pv_event_enable(ev), 0);
	memset(machine_cfg(&machine, BDF_PORT2)->byte, 0xff, PCI_CFG_BYTES);
	pv_sys_poll(sys);
	pv_sys_poll(sys);

	cr_expect(pv_sys_log_line(sys, 1) && strstr(pv_sys_log_line(sys, 1), PORT2));
	cr_expect_null(pv_sys_log_line(sys, 2), "the first line is the CPMU that is refused");
}
