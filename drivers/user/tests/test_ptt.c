/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PTT's PMU as it is seen from above: probe, files, sessions, AUX data.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "drivers/core/hw.h"
#include "drivers/user/sys.h"
#include "drivers/user/tests/fake_machine.h"

#define PMU "hisi_ptt3_1"

enum { BUFFER = 4096, BUFFER_RECORDS = BUFFER / FAKE_RECORD, TAKEN_MAX = 1 << 16 };

static struct fake_machine machine;
static struct pv_sys *sys;

struct sink {
	uint32_t taken[TAKEN_MAX];
	unsigned count, commits;
	uint32_t flags;
};

static struct sink sink;

static int take(void *ctx, const void *data, size_t len, uint32_t flags)
{
	struct sink *s = ctx;
	size_t at;

	s->commits++;
	s->flags |= flags;
	for (at = 0; at + FAKE_RECORD <= len && s->count < TAKEN_MAX; at += FAKE_RECORD)
		memcpy(&s->taken[s->count++], (const uint8_t *)data + at, sizeof(uint32_t));
	return 0;
}

static bool took(unsigned first, unsigned count)
{
	unsigned i;

	for (i = 0; i < sink.count; i++)
		if (sink.taken[i] != first + i)
			return false;
	return sink.count == count;
}

static void setup_again(void)
{
	sys = pv_sys_boot(&machine.bus, PV_MPS_DEFAULT);
	cr_assert_eq(pv_sys_set_ptt_buffer_bytes(sys, BUFFER), 0);
}

static void setup(void)
{
	fake_core(&machine);
	memset(&sink, 0, sizeof(sink));
	setup_again();
}

static void teardown(void)
{
	pv_sys_shutdown(sys);
	sys = NULL;
	cr_expect_eq(machine.dma_live, 0, "DMA memory is left");
}

TestSuite(user_ptt, .init = setup, .fini = teardown);

/* Root Port 00:10.0, posted, inbound, 8DW would be reserved: 4DW. */
static struct pv_event_attr attr(void)
{
	return (struct pv_event_attr){.config = 0x80001 | 1 << 24, .aux = true};
}

static int open_with(struct pv_event_attr a, struct pv_event **ev)
{
	return pv_event_open(sys, PMU, &a, take, &sink, ev);
}

static struct pv_event *open_it(void)
{
	struct pv_event *ev;

	cr_assert_eq(open_with(attr(), &ev), 0);
	return ev;
}

Test(user_ptt, is_registered_under_its_sicl_and_core)
{
	const char *why;

	cr_assert_str_eq(pv_sys_pmu_name(sys, 0), PMU);
	cr_assert_null(pv_sys_pmu_name(sys, 1));
	cr_assert_eq(pv_sys_probe_status(sys, 0x0008, 0, &why), 0);
	cr_assert_eq(pv_sys_probe_status(sys, 0x0100, 0, &why), -PV_ENOENT);
	cr_assert_eq(machine.irq_vectors, 1);
}

static void reboot(void)
{
	pv_sys_shutdown(sys);
	sys = pv_sys_boot(&machine.bus, PV_MPS_DEFAULT);
}

Test(user_ptt, translating_iommu_is_refused_with_its_reason)
{
	const char *why = NULL;

	machine.translates = true;
	reboot();
	cr_assert_eq(pv_sys_probe_status(sys, 0x0008, 0, &why), -PV_EOPNOTSUPP);
	cr_assert(strstr(why, "IOMMU") && strstr(why, "identity"), "%s", why);
	cr_assert_null(pv_sys_pmu_name(sys, 0));
	cr_assert(strstr(pv_sys_log_line(sys, 0), "IOMMU"));
}

Test(user_ptt, device_without_its_interrupt_is_refused)
{
	const char *why = NULL;

	machine.no_irq = true;
	reboot();
	cr_assert_eq(pv_sys_probe_status(sys, 0x0008, 0, &why), -28);
	cr_assert(strstr(why, "MSI"), "%s", why);
	cr_assert_null(pv_sys_pmu_name(sys, 0));
}

Test(user_ptt, device_whose_registers_do_not_answer_is_refused)
{
	machine.ptt.range = machine.ptt.location = 0xffffffff;
	reboot();
	cr_assert_eq(pv_sys_probe_status(sys, 0x0008, 0, NULL), -PV_ENODEV);
}

static char listing[1024];

static void append(void *ctx, const char *name)
{
	strncat(listing, name, sizeof(listing) - strlen(listing) - 1);
	strncat(listing, " ", sizeof(listing) - strlen(listing) - 1);
}

static const char *list(const char *dir)
{
	listing[0] = '\0';
	cr_assert_eq(pv_sys_attr_list(sys, PMU, dir, append, NULL), 0);
	return listing;
}

static const char *read_attr(const char *path)
{
	static char text[128];
	int len = pv_sys_attr_read(sys, PMU, path, text, sizeof(text));

	if (len < 0)
		snprintf(text, sizeof(text), "%d", len);
	else
		cr_expect_eq((size_t)len, strlen(text));
	return text;
}

Test(user_ptt, files_of_the_abi)
{
	cr_expect_str_eq(list(""), "cpumask format requester_filters root_port_filters tune type ");
	cr_expect_str_eq(list("tune"), "qos_tx_cpl qos_tx_np qos_tx_p rx_alloc_buf_level tx_alloc_buf_level ");
	cr_expect_str_eq(list("format"), "direction filter format type ");
	cr_expect_str_eq(read_attr("format/filter"), "config:0-19");
	cr_expect_str_eq(read_attr("format/direction"), "config:20-23");
	cr_expect_str_eq(read_attr("format/type"), "config:24-31");
	cr_expect_str_eq(read_attr("format/format"), "config:32-35");
	cr_expect_str_eq(read_attr("cpumask"), "0");
	cr_expect_str_eq(read_attr("root_port_filters/multiselect"), "1");
	cr_expect_str_eq(read_attr("requester_filters/multiselect"), "0");
}

Test(user_ptt, files_that_are_not_there)
{
	cr_expect_str_eq(read_attr("tune/qos_tx_dp"), "-2");
	cr_expect_str_eq(read_attr("tune"), "-2");
	cr_expect_str_eq(read_attr("tune/"), "-2");
	cr_expect_str_eq(read_attr("/type"), "-2");
	cr_expect_str_eq(read_attr("requester_filters/0000:06:00.0"), "-2");
	cr_expect_eq(pv_sys_attr_list(sys, PMU, "events", append, NULL), -PV_ENOENT);
	cr_expect_eq(pv_sys_attr_list(sys, "hisi_ptt9_9", "", append, NULL), -PV_ENODEV);
	cr_expect_eq(pv_sys_attr_write(sys, PMU, "type", "1"), -PV_EACCES);
	cr_expect_eq(pv_sys_attr_write(sys, PMU, "root_port_filters/0000:00:10.0", "1"), -PV_EACCES);
	cr_expect_eq(pv_sys_attr_write(sys, PMU, "nothing", "1"), -PV_ENOENT);
}

Test(user_ptt, small_buffer_is_an_error)
{
	char text[4];

	cr_assert_eq(pv_sys_attr_read(sys, PMU, "format/filter", text, sizeof(text)), -PV_ENOSPC);
}

Test(user_ptt, filters_are_the_functions_of_the_core)
{
	cr_expect_str_eq(list("root_port_filters"), "0000:00:10.0 0000:00:11.0 0000:00:12.0 multiselect ");
	cr_expect_str_eq(list("requester_filters"),
			 "0000:01:00.0 0000:01:00.1 0000:02:00.0 0000:03:00.0 0000:04:00.0 multiselect ");
	cr_expect_str_eq(read_attr("root_port_filters/0000:00:11.0"), "0x80004");
	cr_expect_str_eq(read_attr("requester_filters/0000:01:00.1"), "0x00101");
}

Test(user_ptt, filters_follow_removal_and_rescan)
{
	struct pv_event_attr a = attr();
	struct pv_event *ev;

	a.config = 0x00400 | 1 << 24;
	cr_assert_eq(pv_sys_device_removed(sys, PCI_BDF(2, 0, 0)), 0);
	cr_expect_str_eq(list("requester_filters"), "0000:01:00.0 0000:01:00.1 multiselect ");
	cr_expect_eq(open_with(a, &ev), -PV_EINVAL);
	cr_expect_eq(pv_sys_device_removed(sys, PCI_BDF(4, 0, 0)), -PV_ENODEV);

	cr_assert_eq(pv_sys_rescan(sys), 0);
	cr_expect_str_eq(read_attr("requester_filters/0000:04:00.0"), "0x00400");
	cr_assert_eq(open_with(a, &ev), 0);
	pv_event_close(ev);
}

Test(user_ptt, filters_follow_a_new_card)
{
	fake_add(&machine, PCI_BDF(5, 0, 0), PCI_EXP_TYPE_ENDPOINT);
	cr_expect_str_eq(read_attr("requester_filters/0000:05:00.0"), "-2");
	cr_assert_eq(pv_sys_rescan(sys), 0);
	cr_expect_str_eq(read_attr("requester_filters/0000:05:00.0"), "0x00500");
}

Test(user_ptt, tune_files)
{
	static const struct {
		const char *text;
		int result;
		const char *then;
	} cases[] = {
		{"1", 0, "1"},
		{"2\n", 0, "2"},
		{"0x1", -PV_EINVAL, "2"},
		{"0", 0, "0"},
		{"3", 0, "2"},
		{"65535", 0, "2"},
		{"+1", 0, "1"},
		{"-1", -PV_EINVAL, "1"},
		{"", -PV_EINVAL, "1"},
		{"\n", -PV_EINVAL, "1"},
		{"two", -PV_EINVAL, "1"},
		{"2 ", -PV_EINVAL, "1"},
		{" 2", -PV_EINVAL, "1"},
		{"2\n\n", -PV_EINVAL, "1"},
		{"2x", -PV_EINVAL, "1"},
		{"65536", -PV_EINVAL, "1"},
		{"0000000000000000000000001", 0, "1"},
		{"08", 0, "2"},
		{"1", 0, "1"},
		{"4294967297", -PV_EINVAL, "1"},
		{"0x", -PV_EINVAL, "1"},
		{"99999999999999999999999999", -PV_EINVAL, "1"},
		{"++1", -PV_EINVAL, "1"},
		{"+-1", -PV_EINVAL, "1"},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int result = pv_sys_attr_write(sys, PMU, "tune/qos_tx_p", cases[i].text);

		cr_expect_eq(result, cases[i].result, "'%s' gave %d", cases[i].text, result);
		cr_expect_str_eq(read_attr("tune/qos_tx_p"), cases[i].then, "after '%s'", cases[i].text);
	}
}

Test(user_ptt, tune_of_a_stuck_device_times_out)
{
	uint64_t before = machine.now_ns;

	machine.ptt.tune_stuck = true;
	cr_assert_eq(pv_sys_attr_write(sys, PMU, "tune/qos_tx_p", "1"), -PV_ETIMEDOUT);
	cr_assert_geq(machine.now_ns - before, 1000000000);
	machine.ptt.tune_stuck = false;
	cr_assert_eq(pv_sys_attr_write(sys, PMU, "tune/qos_tx_p", "1"), 0);
}

Test(user_ptt, refused_sessions)
{
	struct pv_event_attr a;
	struct pv_event *ev;

	a = attr();
	a.per_task = true;
	cr_expect_eq(open_with(a, &ev), -PV_EOPNOTSUPP);
	a = attr();
	a.exclude = 1u << PV_EXCLUDE_KERNEL;
	cr_expect_eq(open_with(a, &ev), -PV_EINVAL);
	cr_expect_null(ev);
	a = attr();
	a.aux_overwrite = true;
	cr_expect_eq(open_with(a, &ev), -PV_ENOMEM);
	a = attr();
	a.aux_bytes = 4 * BUFFER - 1;
	cr_expect_eq(open_with(a, &ev), -PV_ENOMEM);
	a = attr();
	a.config = 0;
	cr_expect_eq(open_with(a, &ev), -PV_EINVAL);
	cr_expect_null(ev);
	cr_expect_eq(pv_event_open(sys, "nobody", &a, take, &sink, &ev), -PV_ENODEV);
}

Test(user_ptt, sample_period_is_taken_as_perf_record_sets_it)
{
	struct pv_event_attr a = attr();
	struct pv_event *ev;

	a.sampling = true;
	cr_assert_eq(open_with(a, &ev), 0);
	pv_event_close(ev);
}

Test(user_ptt, least_area_is_four_buffers_of_four_mib)
{
	struct pv_event_attr a = attr();
	struct pv_event *ev;

	cr_assert_eq(pv_sys_set_ptt_buffer_bytes(sys, 4 << 20), 0);
	a.aux_bytes = (16 << 20) - 4096;
	cr_assert_eq(open_with(a, &ev), -PV_ENOMEM);
	a.aux_bytes = 16 << 20;
	cr_assert_eq(open_with(a, &ev), 0);
	pv_event_close(ev);
	a.aux_bytes = 0;
	cr_assert_eq(open_with(a, &ev), 0);
	pv_event_close(ev);
}

Test(user_ptt, buffer_sizes)
{
	struct pv_event *ev = open_it();

	cr_expect_eq(pv_sys_set_ptt_buffer_bytes(sys, 8192), -PV_EBUSY);
	pv_event_close(ev);
	cr_expect_eq(pv_sys_set_ptt_buffer_bytes(sys, 8192), 0);
	cr_expect_eq(pv_sys_set_ptt_buffer_bytes(sys, 8191), -PV_EINVAL);
	cr_expect_eq(pv_sys_set_ptt_buffer_bytes(sys, 0), -PV_EINVAL);
	cr_expect_eq(pv_sys_set_ptt_buffer_bytes(sys, 0xffffffe0), -PV_EINVAL);
}

Test(user_ptt, second_session_is_refused_while_one_is_open)
{
	struct pv_event *first = open_it(), *second, *group;
	struct pv_event_attr a = attr();

	cr_expect_eq(open_with(attr(), &second), -PV_EBUSY);
	cr_expect_eq(pv_event_open_group(sys, PMU, &a, first, &group), -PV_EBUSY);
	pv_event_close(first);
	cr_assert_eq(open_with(attr(), &second), 0);
	pv_event_close(second);
}

Test(user_ptt, no_dma_memory_is_an_error)
{
	struct pv_event *ev;

	machine.no_dma = true;
	cr_assert_eq(open_with(attr(), &ev), -PV_ENOMEM);
	machine.no_dma = false;
	cr_assert_eq(open_with(attr(), &ev), 0);
	pv_event_close(ev);
}

Test(user_ptt, busy_device_is_refused_at_start_and_usable_later)
{
	struct pv_event *ev = open_it();

	machine.ptt.busy = true;
	cr_assert_eq(pv_event_enable(ev), -PV_EBUSY);
	machine.ptt.busy = false;
	cr_assert_eq(pv_event_enable(ev), 0);
	pv_event_close(ev);
}

Test(user_ptt, trace_comes_whole_and_in_order)
{
	unsigned records = 13 * BUFFER_RECORDS + 5;
	struct pv_event_attr a = attr();
	struct pv_event *ev;

	a.aux_bytes = 4 * BUFFER;
	cr_assert_eq(open_with(a, &ev), 0);
	cr_assert_eq(pv_event_enable(ev), 0);
	fake_trace(&machine, records);
	cr_expect_eq(sink.commits, 3, "a full area is committed while the trace runs");
	cr_assert_eq(pv_event_disable(ev), 0);
	cr_expect(took(0, records));
	cr_expect_eq(sink.flags, 0);
	cr_expect_eq(machine.ptt.ctrl, 0);
	cr_expect_eq(machine.ptt.int_mask, 0xf);
	pv_event_close(ev);
}

Test(user_ptt, restart_of_the_same_event)
{
	struct pv_event *ev = open_it();

	cr_assert_eq(pv_event_enable(ev), 0);
	fake_trace(&machine, BUFFER_RECORDS + 9);
	cr_assert_eq(pv_event_disable(ev), 0);
	sink.count = 0;
	cr_assert_eq(pv_event_enable(ev), 0);
	fake_trace(&machine, 3);
	cr_assert_eq(pv_event_disable(ev), 0);
	cr_assert(took(BUFFER_RECORDS + 9, 3));
	pv_event_close(ev);
}

Test(user_ptt, slow_consumer_is_told_of_the_overrun)
{
	struct pv_event *ev = open_it();

	cr_assert_eq(pv_event_enable(ev), 0);
	machine.bus.irq_save(machine.bus.ctx);
	fake_trace(&machine, 6 * BUFFER_RECORDS);
	machine.bus.irq_restore(machine.bus.ctx);
	fake_trace(&machine, 10);
	cr_assert_eq(pv_event_disable(ev), 0);
	cr_expect(sink.flags & PV_AUX_TRUNCATED);
	cr_expect_eq(sink.taken[sink.count - 1], 6 * BUFFER_RECORDS + 9);
	pv_event_close(ev);
}

Test(user_ptt, closing_a_running_event_delivers_its_data)
{
	struct pv_event *ev = open_it();

	cr_assert_eq(pv_event_enable(ev), 0);
	fake_trace(&machine, 7);
	pv_event_close(ev);
	cr_assert(took(0, 7));
	cr_assert_eq(machine.ptt.ctrl, 0);
}

Test(user_ptt, shutdown_closes_what_is_open)
{
	struct pv_event *ev = open_it();

	cr_assert_eq(pv_event_enable(ev), 0);
	fake_trace(&machine, 7);
	pv_sys_shutdown(sys);
	sys = NULL;
	cr_assert(took(0, 7));
	cr_assert_eq(machine.ptt.ctrl, 0);
	cr_assert_null(machine.irq);
}

static uint8_t command(void)
{
	return fake_func(&machine, 0x0008)->cfg[PCI_COMMAND];
}

/* A trace is stopped, the device writes on; where it writes to freed memory, AddressSanitizer ends the test. */
static void leave_it_writing(void)
{
	struct pv_event *ev = open_it();

	cr_assert_eq(pv_event_enable(ev), 0);
	machine.ptt.endless = true;
	fake_trace(&machine, 7);
	cr_assert_eq(pv_event_disable(ev), 0);
	cr_expect(sink.flags & PV_AUX_TRUNCATED);
	pv_event_close(ev);
	fake_trace(&machine, 3 * BUFFER_RECORDS);
}

Test(user_ptt, buffers_stay_as_long_as_the_device_may_write)
{
	struct pv_event *ev;

	leave_it_writing();
	cr_assert_eq(pv_sys_set_ptt_buffer_bytes(sys, 2 * BUFFER), 0);
	cr_expect_eq(open_with(attr(), &ev), -PV_EBUSY, "these buffers cannot be given back now");
	fake_trace(&machine, 3 * BUFFER_RECORDS);

	machine.ptt.endless = false;
	cr_assert_eq(open_with(attr(), &ev), 0);
	cr_assert_eq(pv_event_enable(ev), 0);
	cr_expect_eq(machine.ptt.size, 2 * BUFFER);
	pv_event_close(ev);
}

Test(user_ptt, removed_device_that_writes_on_is_no_bus_master)
{
	struct pv_event *ev;

	leave_it_writing();
	cr_assert_eq(pv_sys_device_removed(sys, 0x0008), 0);
	cr_expect_eq(machine.dma_live, 0);
	cr_expect_eq(command() & PCI_COMMAND_MASTER, 0);
	fake_trace(&machine, 7);

	cr_assert_eq(pv_sys_rescan(sys), 0);
	cr_assert_str_eq(pv_sys_pmu_name(sys, 0), PMU);
	fake_trace(&machine, 7);
	cr_assert_eq(pv_sys_set_ptt_buffer_bytes(sys, BUFFER), 0);
	ev = open_it();
	cr_expect_eq(pv_event_enable(ev), -PV_EBUSY);
	cr_expect_eq(command() & PCI_COMMAND_MASTER, 0, "it would write to where its buffers were");
	machine.ptt.endless = false;
	cr_expect_eq(pv_event_enable(ev), 0);
	cr_expect_eq(command() & PCI_COMMAND_MASTER, PCI_COMMAND_MASTER);
	pv_event_close(ev);
}

Test(user_ptt, bus_master_as_found_is_not_put_back_on_a_device_that_writes)
{
	pv_sys_shutdown(sys);
	fake_func(&machine, 0x0008)->cfg[PCI_COMMAND] = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
	setup_again();
	leave_it_writing();
	pv_sys_shutdown(sys);
	sys = NULL;
	cr_expect_eq(command(), PCI_COMMAND_MEMORY);
	fake_trace(&machine, 7);
}

Test(user_ptt, event_of_a_device_that_went_away)
{
	struct pv_event *ev = open_it();
	uint64_t value;

	cr_assert_eq(pv_event_enable(ev), 0);
	fake_trace(&machine, 7);
	fake_func(&machine, 0x0008)->present = false;
	cr_assert_eq(pv_sys_device_removed(sys, 0x0008), 0);
	cr_expect(sink.flags & PV_AUX_TRUNCATED);
	cr_expect_null(pv_sys_pmu_name(sys, 0));
	cr_expect_eq(pv_event_enable(ev), -PV_ENODEV);
	cr_expect_eq(pv_event_disable(ev), -PV_ENODEV);
	cr_expect_eq(pv_event_read(ev, &value), -PV_ENODEV);
	cr_expect_eq(pv_sys_probe_status(sys, 0x0008, 0, NULL), -PV_ENOENT);
	pv_event_close(ev);
}

Test(user_ptt, event_without_an_area_does_not_start)
{
	struct pv_event_attr a = attr();
	struct pv_event *ev;

	a.aux = false;
	cr_assert_eq(open_with(a, &ev), 0);
	cr_assert_eq(pv_event_enable(ev), -PV_EINVAL);
	pv_event_close(ev);
}

Test(user_ptt, tune_works_while_a_trace_runs)
{
	struct pv_event *ev = open_it();

	cr_assert_eq(pv_event_enable(ev), 0);
	fake_trace(&machine, 5);
	cr_assert_eq(pv_sys_attr_write(sys, PMU, "tune/qos_tx_np", "2"), 0);
	cr_assert_str_eq(read_attr("tune/qos_tx_np"), "2");
	fake_trace(&machine, 5);
	cr_assert_eq(pv_event_disable(ev), 0);
	cr_assert(took(0, 10));
	pv_event_close(ev);
}

Test(user_ptt, command_register_is_put_back)
{
	cr_expect_eq(fake_func(&machine, 0x0008)->cfg[PCI_COMMAND], PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	pv_sys_shutdown(sys);
	sys = NULL;
	cr_expect_eq(fake_func(&machine, 0x0008)->cfg[PCI_COMMAND], 0);
}
