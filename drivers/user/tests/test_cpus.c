/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs and types of events, with two made-up PMU kinds: "one" counts on one CPU and moves its events there, "any"
 * leaves them where they were opened.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "drivers/user/pmu.h"
#include "drivers/user/sys.h"
#include "drivers/user/tests/fake_machine.h"

static struct fake_machine machine;
static struct pv_sys *sys;
static bool refuses; /* every event of its own */

static bool match_one(const struct pv_func *func)
{
	return func->bdf == PCI_BDF(0, 2, 0);
}

static bool match_any(const struct pv_func *func)
{
	return func->bdf == PCI_BDF(0, 3, 0);
}

static int probe(struct pv_pmu *pmu)
{
	snprintf(pmu->name, sizeof(pmu->name), "%s", pmu->kind->name);
	return 0;
}

static int event_init(struct pv_event *ev)
{
	if (ev->attr.type != ev->pmu->type)
		return -PV_ENOENT;
	if (!ev->pmu->kind->any_cpu)
		ev->cpu = ev->pmu->cpu;
	return refuses ? -PV_EBUSY : 0;
}

static int start(struct pv_event *ev)
{
	return 0;
}

static void stop(struct pv_event *ev)
{
	ev->count++;
}

static const struct pv_pmu_kind one = {
	.name = "one", .match = match_one, .probe = probe, .event_init = event_init, .start = start, .stop = stop};
static const struct pv_pmu_kind any = {.name = "any",
				       .any_cpu = true,
				       .match = match_any,
				       .probe = probe,
				       .event_init = event_init,
				       .start = start,
				       .stop = stop};
static const struct pv_pmu_kind *const kinds[] = {&one, &any, NULL};

static void boot(uint64_t (*local_cpus)(void *ctx, pv_bdf bdf))
{
	fake_core(&machine);
	fake_add(&machine, PCI_BDF(0, 2, 0), -1);
	fake_add(&machine, PCI_BDF(0, 3, 0), -1);
	machine.bus.cpus = 4;
	machine.bus.local_cpus = local_cpus;
	refuses = false;
	sys = pv_sys_boot_kinds(&machine.bus, PV_MPS_DEFAULT, kinds);
}

static void setup(void)
{
	boot(NULL);
}

static void teardown(void)
{
	pv_sys_shutdown(sys);
}

TestSuite(user_cpus, .init = setup, .fini = teardown);

static int open_on(const char *pmu, unsigned cpu, struct pv_event **ev)
{
	const struct pv_event_attr attr = {.on_cpu = true, .cpu = cpu};

	return pv_event_open(sys, pmu, &attr, NULL, NULL, ev);
}

static const char *mask(const char *pmu)
{
	static char text[64];

	cr_assert_gt(pv_sys_attr_read(sys, pmu, "cpumask", text, sizeof(text)), 0);
	return text;
}

Test(user_cpus, masks_name_those_that_count)
{
	cr_expect_str_eq(mask("one"), "0");
	cr_expect_str_eq(mask("any"), "0-3");
	cr_assert_eq(pv_sys_cpu_online(sys, 1, false), 0);
	cr_expect_str_eq(mask("one"), "0");
	cr_expect_str_eq(mask("any"), "0,2-3");
	cr_assert_eq(pv_sys_cpu_online(sys, 0, false), 0);
	cr_expect_str_eq(mask("one"), "2");
	cr_assert_eq(pv_sys_cpu_online(sys, 0, true), 0);
	cr_expect_str_eq(mask("one"), "2", "it does not go back");
	cr_expect_str_eq(mask("any"), "0,2-3");
}

Test(user_cpus, mask_that_does_not_fit)
{
	char text[4];

	cr_assert_eq(pv_sys_cpu_online(sys, 1, false), 0);
	cr_expect_eq(pv_sys_attr_read(sys, "any", "cpumask", text, sizeof(text)), -PV_ENOSPC);
}

Test(user_cpus, mask_ends_where_its_buffer_does)
{
	char text[8];

	cr_expect_eq(pv_sys_attr_read(sys, "any", "cpumask", text, 3), -PV_ENOSPC);
	cr_expect_eq(pv_sys_attr_read(sys, "one", "cpumask", text, 1), -PV_ENOSPC);
	cr_expect_eq(pv_sys_attr_read(sys, "any", "cpumask", text, 4), 3);
	cr_expect_str_eq(text, "0-3");
}

Test(user_cpus, there_may_be_64)
{
	pv_sys_shutdown(sys);
	machine.bus.cpus = 64;
	sys = pv_sys_boot_kinds(&machine.bus, PV_MPS_DEFAULT, kinds);
	cr_expect_str_eq(mask("any"), "0-63");
	cr_assert_eq(pv_sys_cpu_online(sys, 62, false), 0);
	cr_expect_str_eq(mask("any"), "0-61,63");
	cr_assert_eq(pv_sys_cpu_online(sys, 63, false), 0);
	cr_expect_str_eq(mask("any"), "0-61");
	cr_expect_eq(pv_sys_cpu_online(sys, 64, true), -PV_EINVAL);
}

Test(user_cpus, last_one_stays)
{
	unsigned cpu;

	for (cpu = 0; cpu < 3; cpu++)
		cr_expect_eq(pv_sys_cpu_online(sys, cpu, false), 0);
	cr_expect_eq(pv_sys_cpu_online(sys, 0, false), 0, "it is off line already");
	cr_expect_eq(pv_sys_cpu_online(sys, 3, false), -PV_EBUSY);
	cr_expect_eq(pv_sys_cpu_online(sys, 3, true), 0);
	cr_expect_eq(pv_sys_cpu_online(sys, 4, false), -PV_EINVAL);
	cr_expect_eq(pv_sys_cpu_online(sys, 4, true), -PV_EINVAL);
}

Test(user_cpus, events_are_opened_on_cpus_that_are_there)
{
	struct pv_event *ev;

	cr_expect_eq(open_on("one", 4, &ev), -PV_EINVAL);
	cr_expect_eq(open_on("any", 4, &ev), -PV_EINVAL);
	cr_assert_eq(pv_sys_cpu_online(sys, 3, false), 0);
	cr_expect_eq(open_on("any", 3, &ev), -PV_ENODEV);
	cr_assert_eq(open_on("one", 3, &ev), 0, "it counts elsewhere");
	cr_expect_eq(ev->cpu, 0);
	cr_assert_eq(open_on("any", 2, &ev), 0);
	cr_expect_eq(ev->cpu, 2);
}

Test(user_cpus, events_move_and_go_on)
{
	struct pv_event *a, *b, *c;

	cr_assert_eq(open_on("one", 2, &a), 0);
	cr_assert_eq(open_on("any", 0, &b), 0);
	cr_assert_eq(open_on("any", 2, &c), 0);
	cr_assert_eq(pv_event_enable(a), 0);
	cr_assert_eq(pv_event_enable(b), 0);
	cr_assert_eq(pv_sys_cpu_online(sys, 0, false), 0);
	cr_expect(a->running && a->cpu == 1);
	cr_expect(b->running && b->cpu == 1);
	cr_expect(!c->running && c->cpu == 2);
	cr_expect_eq(a->count, 0, "it was not stopped on the way");
}

Test(user_cpus, what_is_left_behind_runs_no_more)
{
	struct pv_event *ev;

	cr_assert_eq(open_on("any", 1, &ev), 0);
	cr_assert_eq(pv_event_enable(ev), 0);
	ev->cpu = 63;
	cr_assert_eq(pv_sys_cpu_online(sys, 3, false), 0);
	cr_expect(!ev->running);
	cr_expect_eq(pv_event_enable(ev), -PV_ENODEV);
}

/* ---- NUMA nodes: the functions of this machine are on one that has CPUs 2 and 3 ---- */

static uint64_t two_and_three(void *ctx, pv_bdf bdf)
{
	return 0xc;
}

static void setup_nodes(void)
{
	boot(two_and_three);
}

TestSuite(user_nodes, .init = setup_nodes, .fini = teardown);

Test(user_nodes, those_that_count_are_near_the_device)
{
	cr_expect_str_eq(mask("one"), "2");
	cr_expect_str_eq(mask("any"), "2-3");
	cr_assert_eq(pv_sys_cpu_online(sys, 2, false), 0);
	cr_expect_str_eq(mask("one"), "3");
	cr_expect_str_eq(mask("any"), "3");
	cr_assert_eq(pv_sys_cpu_online(sys, 3, false), 0);
	cr_expect_str_eq(mask("one"), "0", "none is left there");
	cr_expect_str_eq(mask("any"), "0-1");
	cr_assert_eq(pv_sys_cpu_online(sys, 3, true), 0);
	cr_expect_str_eq(mask("any"), "3");
}

Test(user_nodes, events_of_other_nodes_are_moved_or_refused)
{
	struct pv_event *ev;

	cr_assert_eq(open_on("one", 0, &ev), 0);
	cr_expect_eq(ev->cpu, 2);
	cr_expect_eq(open_on("any", 0, &ev), -PV_EINVAL);
	cr_assert_eq(open_on("any", 3, &ev), 0);
	cr_expect_eq(ev->cpu, 3);
	cr_assert_eq(pv_sys_cpu_online(sys, 2, false), 0);
	cr_expect_eq(open_on("any", 2, &ev), -PV_ENODEV);
}

Test(user_nodes, events_move_to_a_neighbour_first)
{
	struct pv_event *ev;

	cr_assert_eq(open_on("any", 3, &ev), 0);
	cr_assert_eq(pv_event_enable(ev), 0);
	cr_assert_eq(pv_sys_cpu_online(sys, 3, false), 0);
	cr_expect(ev->running && ev->cpu == 2);
	cr_assert_eq(pv_sys_cpu_online(sys, 2, false), 0);
	cr_expect(ev->running && ev->cpu == 0);
}

/* ---- types ---- */

Test(user_cpus, type_of_nobody_is_offered_to_all)
{
	const struct pv_event_attr nobody = {.type = 0x12345};
	struct pv_event *ev;

	cr_expect_eq(pv_event_open(sys, "one", &nobody, NULL, NULL, &ev), -PV_ENOENT);
	cr_expect_null(ev);
	refuses = true;
	cr_expect_eq(pv_event_open(sys, "one", &nobody, NULL, NULL, &ev), -PV_ENOENT);
}

Test(user_cpus, type_says_whose_an_event_is)
{
	struct pv_event_attr attr = {0};
	struct pv_event *ev;
	char text[16];

	cr_assert_gt(pv_sys_attr_read(sys, "any", "type", text, sizeof(text)), 0);
	attr.type = (uint32_t)strtoul(text, NULL, 10);
	cr_assert_eq(pv_event_open(sys, "one", &attr, NULL, NULL, &ev), 0);
	cr_expect_str_eq(ev->pmu->name, "any");
}
