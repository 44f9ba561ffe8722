/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user-space driver as a whole, with a made-up PMU kind that writes down what it is asked:
 * binding, groups of events, hot-plug, MPS and MRRS, the log.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "drivers/user/pmu.h"
#include "drivers/user/sys.h"
#include "drivers/user/tests/fake_machine.h"

static struct fake_machine machine;
static struct pv_sys *sys;
static char said[1024];

static void say(const char *text, const char *name)
{
	size_t len = strlen(said);

	snprintf(said + len, sizeof(said) - len, "%s%s ", text, name);
}

/* The kind: conventional functions, as many PMUs as their interrupt pin says; 9 is refused, the last of 3 too. */
static bool match(const struct pv_func *func)
{
	return !func->pcie && !func->is_bridge;
}

static int instances(struct pv_func *func, char why[PV_WHY_MAX])
{
	struct pv_cfg cfg = pv_func_cfg(func);
	int n = (int)cfg.read(cfg.ctx, cfg.bdf, PCI_INTERRUPT_PIN, 1);

	return n == 9 ? pv_func_why(why, -PV_EINVAL, "%d are too many", n) : n;
}

static int probe(struct pv_pmu *pmu)
{
	if (pmu->instance == 2)
		return pv_pmu_why(pmu, -PV_ENODEV, "instance %u is broken", pmu->instance);
	snprintf(pmu->name, sizeof(pmu->name), "toy%u.%u", pmu->func->ordinal, pmu->instance);
	pmu->vector = (int)pmu->instance + 1;
	return 0;
}

static void remove_pmu(struct pv_pmu *pmu)
{
	say("remove:", pmu->name);
}

static int event_init(struct pv_event *ev)
{
	if (ev->attr.config == 99)
		return -PV_EINVAL;
	ev->index = (int)ev->attr.config;
	return 0;
}

static const char *digit(const struct pv_event *ev)
{
	static char text[2];

	text[0] = (char)('0' + ev->index);
	return text;
}

static void event_exit(struct pv_event *ev)
{
	say("exit", digit(ev));
}

static int start(struct pv_event *ev)
{
	say("start", digit(ev));
	return ev->attr.config == 8 ? -PV_EBUSY : 0;
}

static void stop(struct pv_event *ev)
{
	say("stop", digit(ev));
	ev->count += 10;
}

static void read_event(struct pv_event *ev)
{
	say("read", digit(ev));
	ev->count++;
}

static void freeze(struct pv_pmu *pmu)
{
	say("[", "");
}

static void unfreeze(struct pv_pmu *pmu)
{
	say("]", "");
}

static void irq(struct pv_pmu *pmu)
{
	say("irq:", pmu->name);
}

static void func_added(struct pv_pmu *pmu, const struct pv_func *func)
{
	char text[16];

	snprintf(text, sizeof(text), "%04x", func->bdf);
	say("added:", text);
}

static void func_removed(struct pv_pmu *pmu, const struct pv_func *func)
{
	char text[16];

	snprintf(text, sizeof(text), "%04x", func->bdf);
	say("removed:", text);
}

static int show_arg(struct pv_pmu *pmu, const struct pv_attr *a, char *buf, size_t size)
{
	return pv_attr_printf(buf, size, "event=0x%02x", (unsigned)a->arg);
}

static bool is_first(const struct pv_pmu *pmu, const struct pv_attr *a)
{
	return pmu->instance == 0;
}

static const struct pv_attr attrs[] = {
	{.dir = "events", .name = "tick", .show = show_arg, .arg = 7},
	{.dir = "events", .name = "only_first", .show = show_arg, .arg = 8, .visible = is_first},
	{.name = NULL},
};

static const struct pv_pmu_kind toy = {
	.name = "toy",
	.match = match,
	.instances = instances,
	.probe = probe,
	.remove = remove_pmu,
	.attrs = attrs,
	.event_init = event_init,
	.event_exit = event_exit,
	.start = start,
	.stop = stop,
	.read = read_event,
	.pmu_disable = freeze,
	.pmu_enable = unfreeze,
	.irq = irq,
	.func_added = func_added,
	.func_removed = func_removed,
};

static const struct pv_pmu_kind *const kinds[] = {&toy, NULL};

static struct fake_func *add_toy(pv_bdf bdf, unsigned pmus)
{
	struct fake_func *f = fake_add(&machine, bdf, -1);

	f->cfg[PCI_INTERRUPT_PIN] = (uint8_t)pmus;
	return f;
}

static void boot(enum pv_mps_policy policy)
{
	pv_sys_shutdown(sys);
	sys = pv_sys_boot_kinds(&machine.bus, policy, kinds);
	said[0] = '\0';
}

static void setup(void)
{
	fake_core(&machine);
}

static void teardown(void)
{
	pv_sys_shutdown(sys);
	sys = NULL;
}

TestSuite(user_sys, .init = setup, .fini = teardown);

Test(user_sys, instances_of_several_devices_are_named_apart)
{
	add_toy(PCI_BDF(0, 2, 0), 2);
	add_toy(PCI_BDF(0, 3, 0), 1);
	boot(PV_MPS_DEFAULT);
	cr_expect_str_eq(pv_sys_pmu_name(sys, 0), "toy0.0");
	cr_expect_str_eq(pv_sys_pmu_name(sys, 1), "toy0.1");
	cr_expect_str_eq(pv_sys_pmu_name(sys, 2), "toy1.0");
	cr_expect_null(pv_sys_pmu_name(sys, 3));
}

Test(user_sys, refusals_keep_their_reason)
{
	const char *why;

	add_toy(PCI_BDF(0, 2, 0), 3);
	add_toy(PCI_BDF(0, 3, 0), 9);
	boot(PV_MPS_DEFAULT);
	cr_expect_eq(pv_sys_probe_status(sys, PCI_BDF(0, 2, 0), 1, &why), 0);
	cr_expect_eq(pv_sys_probe_status(sys, PCI_BDF(0, 2, 0), 2, &why), -PV_ENODEV);
	cr_expect_str_eq(why, "instance 2 is broken");
	cr_expect_eq(pv_sys_probe_status(sys, PCI_BDF(0, 2, 0), 3, &why), -PV_ENOENT);
	cr_expect_eq(pv_sys_probe_status(sys, PCI_BDF(0, 3, 0), 0, &why), -PV_EINVAL);
	cr_expect_str_eq(why, "9 are too many");
	cr_expect(strstr(pv_sys_log_line(sys, 0), "instance 2 is broken"));
}

Test(user_sys, vectors_go_to_their_instances)
{
	add_toy(PCI_BDF(0, 2, 0), 2);
	boot(PV_MPS_DEFAULT);
	cr_assert_eq(machine.irq_vectors, 3);
	machine.irq(machine.irq_arg, 2);
	machine.irq(machine.irq_arg, 0);
	cr_assert_str_eq(said, "irq:toy0.1 ");
}

/* Instance n wants vector n + 1; MSI has 32 (PCIe 5.0 7.7.1.2). */
Test(user_sys, the_last_vector_of_msi_is_31)
{
	const char *why;

	add_toy(PCI_BDF(0, 2, 0), 31);
	boot(PV_MPS_DEFAULT);
	cr_assert_eq(machine.irq_vectors, 32);
	machine.irq(machine.irq_arg, 31);
	cr_expect_str_eq(said, "irq:toy0.30 ");

	fake_func(&machine, PCI_BDF(0, 2, 0))->cfg[PCI_INTERRUPT_PIN] = 32;
	boot(PV_MPS_DEFAULT);
	cr_expect_eq(pv_sys_probe_status(sys, PCI_BDF(0, 2, 0), 31, &why), -PV_EINVAL);
	cr_expect_str_eq(why, "no MSI vector 32");
	cr_expect_null(pv_sys_pmu_name(sys, 0));
}

static struct pv_event *open_event(uint64_t config, struct pv_event *leader)
{
	struct pv_event_attr attr = {.config = config};
	struct pv_event *ev;
	int err = leader ? pv_event_open_group(sys, "toy0.0", &attr, leader, &ev)
			 : pv_event_open(sys, "toy0.0", &attr, NULL, NULL, &ev);

	cr_assert_eq(err, 0);
	return ev;
}

static void boot_toy(void)
{
	add_toy(PCI_BDF(0, 2, 0), 2);
	boot(PV_MPS_DEFAULT);
}

Test(user_sys, group_starts_reads_and_stops_together)
{
	struct pv_event *leader, *member;
	uint64_t value;

	boot_toy();
	leader = open_event(1, NULL);
	open_event(2, leader);
	member = open_event(3, leader);
	cr_assert_eq(pv_event_enable(leader), 0);
	cr_expect_str_eq(said, "[ start1 start2 start3 ] ");
	said[0] = '\0';
	cr_assert_eq(pv_event_read(member, &value), 0);
	cr_expect_str_eq(said, "read1 read2 read3 ");
	cr_expect_eq(value, 1);
	said[0] = '\0';
	cr_assert_eq(pv_event_disable(leader), 0);
	cr_expect_str_eq(said, "[ stop1 stop2 stop3 ] ");
	cr_assert_eq(pv_event_read(member, &value), 0);
	cr_expect_eq(value, 11, "a stopped event keeps its count");
}

Test(user_sys, group_that_cannot_start_whole_does_not_start)
{
	struct pv_event *leader;

	boot_toy();
	leader = open_event(1, NULL);
	open_event(8, leader);
	open_event(3, leader);
	cr_assert_eq(pv_event_enable(leader), -PV_EBUSY);
	cr_assert_str_eq(said, "[ start1 start8 stop1 ] ");
}

Test(user_sys, enable_of_what_runs_already_is_nothing)
{
	struct pv_event *ev;

	boot_toy();
	ev = open_event(1, NULL);
	cr_assert_eq(pv_event_enable(ev), 0);
	cr_assert_eq(pv_event_enable(ev), 0);
	cr_assert_eq(pv_event_disable(ev), 0);
	cr_assert_eq(pv_event_disable(ev), 0);
	cr_assert_str_eq(said, "[ start1 ] [ ] [ stop1 ] [ ] ");
}

Test(user_sys, member_is_enabled_and_disabled_alone)
{
	struct pv_event *leader, *member;

	boot_toy();
	leader = open_event(1, NULL);
	member = open_event(2, leader);
	cr_assert_eq(pv_event_enable(leader), 0);
	said[0] = '\0';
	cr_assert_eq(pv_event_disable(member), 0);
	cr_assert_str_eq(said, "[ stop2 ] ");
}

Test(user_sys, members_outlive_their_leader)
{
	struct pv_event *leader, *member, *other;
	uint64_t value;

	boot_toy();
	leader = open_event(1, NULL);
	member = open_event(2, leader);
	other = open_event(3, leader);
	cr_assert_eq(pv_event_enable(leader), 0);
	said[0] = '\0';
	pv_event_close(leader);
	cr_expect_str_eq(said, "[ stop1 ] exit1 ");
	cr_assert_eq(pv_event_read(member, &value), 0);
	cr_expect_eq(value, 1);
	pv_event_close(member);
	pv_event_close(other);
}

Test(user_sys, group_is_of_one_pmu_and_one_leader)
{
	struct pv_event_attr attr = {0};
	struct pv_event *leader, *member, *ev;

	boot_toy();
	leader = open_event(1, NULL);
	member = open_event(2, leader);
	cr_expect_eq(pv_event_open_group(sys, "toy0.1", &attr, leader, &ev), -PV_EINVAL);
	cr_expect_eq(pv_event_open_group(sys, "toy0.0", &attr, member, &ev), -PV_EINVAL);
	attr.config = 99;
	cr_expect_eq(pv_event_open_group(sys, "toy0.0", &attr, leader, &ev), -PV_EINVAL);
	cr_expect_null(ev);
	cr_assert_eq(pv_event_enable(leader), 0);
	cr_expect_str_eq(said, "[ start1 start2 ] ", "a refused member is no member");
}

Test(user_sys, attributes_of_tables)
{
	char text[32];

	boot_toy();
	cr_assert_eq(pv_sys_attr_read(sys, "toy0.0", "events/tick", text, sizeof(text)), 10);
	cr_expect_str_eq(text, "event=0x07");
	cr_expect_eq(pv_sys_attr_read(sys, "toy0.0", "events/only_first", text, sizeof(text)), 10);
	cr_expect_eq(pv_sys_attr_read(sys, "toy0.1", "events/only_first", text, sizeof(text)), -PV_ENOENT);
}

Test(user_sys, types_are_different)
{
	char a[16], b[16];

	boot_toy();
	cr_assert_gt(pv_sys_attr_read(sys, "toy0.0", "type", a, sizeof(a)), 0);
	cr_assert_gt(pv_sys_attr_read(sys, "toy0.1", "type", b, sizeof(b)), 0);
	cr_assert_str_neq(a, b);
}

Test(user_sys, hot_plug_is_told_to_the_other_pmus)
{
	boot_toy();
	cr_assert_eq(pv_sys_device_removed(sys, PCI_BDF(2, 0, 0)), 0);
	cr_expect_str_eq(said, "removed:0400 removed:0400 removed:0300 removed:0300 removed:0200 removed:0200 ");
	said[0] = '\0';
	cr_assert_eq(pv_sys_rescan(sys), 0);
	cr_expect_str_eq(said, "added:0200 added:0200 added:0300 added:0300 added:0400 added:0400 ");
	said[0] = '\0';
	cr_assert_eq(pv_sys_rescan(sys), 0);
	cr_expect_str_eq(said, "");
	cr_assert_str_eq(fake_order(sys), "0008 0010 0080 0100 0101 0088 0200 0300 0400 0090 0098 0600 ");
}

Test(user_sys, a_device_leaves_its_slot_with_all_functions)
{
	boot_toy();
	cr_assert_eq(pv_sys_device_gone(sys, PCI_BDF(1, 1, 1)), 0, "with ARI a number of the same device");
	cr_expect_str_eq(said, "removed:0101 removed:0101 removed:0100 removed:0100 ");
	cr_expect_eq(pv_sys_device_gone(sys, PCI_BDF(1, 0, 0)), -PV_ENODEV);
	said[0] = '\0';
	cr_assert_eq(pv_sys_device_gone(sys, PCI_BDF(0, 2, 1)), 0, "a root bus has device numbers");
	cr_expect_str_eq(said, "remove:toy0.0 remove:toy0.1 ");
}

static uint64_t disabled_ns, numbered_ns;

static void note_sriov(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value)
{
	if (off == PCI_EXT_CAP_START + PCI_SRIOV_CTRL)
		disabled_ns = machine.now_ns;
	if (off == PCI_EXT_CAP_START + PCI_SRIOV_NUM_VF)
		numbered_ns = machine.now_ns;
	fake_cfg_write(ctx, bdf, off, bytes, value);
}

/* PCIe 5.0 9.3.3.3.1: for 1 s no field of the capability is accessed. */
Test(user_sys, the_number_of_vfs_is_cleared_a_second_after_they_are_disabled)
{
	struct fake_func *f = fake_func(&machine, PCI_BDF(1, 0, 0));
	const uint32_t head = PCI_EXT_CAP_ID_SRIOV | 1u << 16;

	memcpy(f->cfg + PCI_EXT_CAP_START, &head, sizeof(head));
	machine.bus.cfg_write = note_sriov;
	boot(PV_MPS_TUNE_OFF);
	fake_put16(f, PCI_EXT_CAP_START + PCI_SRIOV_TOTAL_VF, 3);
	fake_put16(f, PCI_EXT_CAP_START + PCI_SRIOV_NUM_VF, 3);
	fake_put16(f, PCI_EXT_CAP_START + PCI_SRIOV_CTRL, PCI_SRIOV_CTRL_VFE);
	cr_assert_eq(pv_sys_set_vfs(sys, PCI_BDF(1, 0, 0), 0), 0);
	cr_expect_eq(f->cfg[PCI_EXT_CAP_START + PCI_SRIOV_NUM_VF], 0);
	cr_expect_geq(numbered_ns - disabled_ns, 1000000000);
}

Test(user_sys, removed_device_loses_its_pmus_and_gets_its_number_back)
{
	struct pv_event *ev;

	add_toy(PCI_BDF(0, 2, 0), 1);
	add_toy(PCI_BDF(0, 3, 0), 1);
	boot(PV_MPS_DEFAULT);
	ev = open_event(1, NULL);
	cr_assert_eq(pv_event_enable(ev), 0);
	said[0] = '\0';
	cr_assert_eq(pv_sys_device_removed(sys, PCI_BDF(0, 2, 0)), 0);
	cr_expect_str_eq(said, "[ stop1 ] exit1 remove:toy0.0 removed:0010 ");
	cr_expect_str_eq(pv_sys_pmu_name(sys, 0), "toy1.0");
	cr_assert_eq(pv_sys_rescan(sys), 0);
	cr_expect_str_eq(pv_sys_pmu_name(sys, 1), "toy0.0");
	pv_event_close(ev);
	cr_expect_eq(pv_sys_device_removed(sys, 0x1234), -PV_ENODEV);
}

Test(user_sys, policy_is_applied_at_boot)
{
	boot(PV_MPS_PERFORMANCE);
	cr_expect_eq(pv_sys_get_mps(sys, 0x0080), 512);
	cr_expect_eq(pv_sys_get_mps(sys, 0x0400), 512);
	cr_expect_eq(pv_sys_get_mrrs(sys, 0x0400), 512);
	boot(PV_MPS_PEER2PEER);
	cr_expect_eq(pv_sys_get_mps(sys, 0x0080), 128);
	cr_expect_eq(pv_sys_get_mps(sys, 0x0008), 128);
}

Test(user_sys, step_one_is_applied_to_a_new_card)
{
	struct fake_func *card;

	fake_put16(fake_func(&machine, 0x0090), FAKE_PCIE_CAP + PCI_EXP_DEVCTL, 0x2020);
	boot(PV_MPS_DEFAULT);
	cr_assert_eq(pv_sys_get_mps(sys, 0x0090), 256);
	card = fake_add(&machine, PCI_BDF(5, 0, 0), PCI_EXP_TYPE_ENDPOINT);
	cr_assert_eq(pv_sys_rescan(sys), 0);
	cr_assert_eq(pv_sys_get_mps(sys, card->bdf), 256);
}

static void make_slot(pv_bdf port)
{
	struct fake_func *f = fake_func(&machine, port);

	f->cfg[FAKE_PCIE_CAP + PCI_EXP_FLAGS + 1] |= PCI_EXP_FLAGS_SLOT >> 8;
	fake_put16(f, FAKE_PCIE_CAP + PCI_EXP_SLTCAP, PCI_EXP_SLTCAP_HPC);
}

Test(user_sys, both_steps_are_applied_to_what_pciehp_finds)
{
	make_slot(0x0090);
	boot(PV_MPS_PERFORMANCE);
	fake_add(&machine, PCI_BDF(5, 0, 0), PCI_EXP_TYPE_ENDPOINT)->cfg[FAKE_PCIE_CAP + PCI_EXP_DEVCAP] = 1;
	fake_add(&machine, PCI_BDF(5, 0, 1), PCI_EXP_TYPE_ENDPOINT);
	said[0] = '\0';
	cr_assert_eq(pv_sys_device_plugged(sys, 0x0090), 0);
	cr_expect_eq(pv_sys_get_mps(sys, 0x0500), 256);
	cr_expect_eq(pv_sys_get_mrrs(sys, 0x0500), 256);
	cr_expect_eq(pv_sys_get_mps(sys, 0x0501), 512);
	cr_expect_eq(pv_sys_get_mps(sys, 0x0090), 512);
}

Test(user_sys, pciehp_leaves_what_it_knows_already_alone)
{
	make_slot(0x0080);
	boot(PV_MPS_PERFORMANCE);
	cr_assert_eq(pv_sys_set_mps(sys, 0x0100, 128), 0);
	cr_expect_eq(pv_sys_device_plugged(sys, 0x0080), 0);
	cr_expect_eq(pv_sys_get_mps(sys, 0x0100), 128);
}

Test(user_sys, step_one_alone_is_applied_by_a_rescan)
{
	make_slot(0x0090);
	boot(PV_MPS_PERFORMANCE);
	fake_add(&machine, PCI_BDF(5, 0, 0), PCI_EXP_TYPE_ENDPOINT);
	cr_assert_eq(pv_sys_rescan(sys), 0);
	cr_expect_eq(pv_sys_get_mps(sys, 0x0500), 128);
}

Test(user_sys, pciehp_is_at_slots_that_can_be_plugged)
{
	struct fake_func *other = fake_add_bridge(&machine, PCI_BDF(0, 0x14, 0), PCI_EXP_TYPE_PCIE_BRIDGE, 7, 7);

	make_slot(other->bdf);
	make_slot(0x0090);
	boot(PV_MPS_DEFAULT);
	fake_add(&machine, PCI_BDF(7, 0, 0), PCI_EXP_TYPE_ENDPOINT);
	fake_add(&machine, PCI_BDF(5, 1, 0), PCI_EXP_TYPE_ENDPOINT);
	cr_expect_eq(pv_sys_device_plugged(sys, 0x0098), -PV_ENODEV, "no slot");
	cr_expect_eq(pv_sys_device_plugged(sys, other->bdf), -PV_ENODEV, "no service");
	cr_expect_eq(pv_sys_device_plugged(sys, 0x1234), -PV_ENODEV, "no port");
	cr_expect_eq(pv_sys_device_plugged(sys, 0x0090), -PV_ENODEV, "not on device 0 of the link");
	cr_expect_eq(pv_sys_get_mps(sys, 0x0508), -PV_ENODEV);
}

Test(user_sys, a_slot_whose_bus_cannot_be_right_is_not_followed)
{
	make_slot(0x0090);
	fake_func(&machine, 0x0090)->cfg[PCI_SECONDARY_BUS] = 0;
	boot(PV_MPS_DEFAULT);
	cr_expect_eq(pv_sys_device_plugged(sys, 0x0090), -PV_ENODEV);
}

Test(user_sys, get_and_set_of_sizes)
{
	boot(PV_MPS_DEFAULT);
	cr_expect_eq(pv_sys_set_mps(sys, 0x0100, 256), 0);
	cr_expect_eq(pv_sys_get_mps(sys, 0x0100), 256);
	cr_expect_eq(pv_sys_set_mps(sys, 0x0100, 1024), -PV_EINVAL);
	cr_expect_eq(pv_sys_set_mrrs(sys, 0x0100, 4096), 0);
	cr_expect_eq(pv_sys_get_mrrs(sys, 0x0100), 4096);
	cr_expect_eq(pv_sys_set_mrrs(sys, 0x0100, 100), -PV_EINVAL);
	cr_expect_eq(pv_sys_get_mps(sys, 0x7777), -PV_ENODEV);
	cr_expect_eq(pv_sys_set_mps(sys, 0x7777, 128), -PV_ENODEV);
	cr_expect_eq(pv_sys_get_mrrs(sys, 0x7777), -PV_ENODEV);
	cr_expect_eq(pv_sys_set_mrrs(sys, 0x7777, 128), -PV_ENODEV);
}

Test(user_sys, mismatch_under_tune_off_is_in_the_log)
{
	fake_put16(fake_func(&machine, 0x0100), FAKE_PCIE_CAP + PCI_EXP_DEVCTL, 0x2020);
	boot(PV_MPS_TUNE_OFF);
	cr_assert_str_eq(pv_sys_log_line(sys, 0),
			 "0000:01:00.0: Max Payload Size 256, but upstream bridge set to 128; if "
			 "necessary, use the safe policy");
	cr_assert_null(pv_sys_log_line(sys, 1));
}

Test(user_sys, log_is_bounded_and_keeps_the_newest)
{
	char line[32];
	size_t n, i;

	boot(PV_MPS_DEFAULT);
	for (i = 0; i < 1000; i++)
		pv_sys_log(sys, 4, "line %zu", i);
	pv_sys_log(sys, 6, "information is not kept");
	for (n = 0; pv_sys_log_line(sys, n); n++) {
		snprintf(line, sizeof(line), "line %zu", 744 + n);
		cr_expect_str_eq(pv_sys_log_line(sys, n), line);
	}
	cr_expect_eq(n, 256);
}
