/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The needs of a case, and the functions that can play its roles. A random search is compared with one that tries all
 * assignments.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "framework/board/board.h"
#include "framework/board/lacks.h"
#include "framework/board/tests/bind_fixture.h"

/* ---- needs ---- */

Test(bind, a_case_needs_what_its_steps_name)
{
	expect_needed(TWO_PORTS, OPEN("dwc_rootport_80", "L0"), "x...");
	expect_needed(TWO_PORTS, TRAFFIC("nic1"), ".x.x");
	expect_needed(TWO_PORTS, OPEN("dwc_rootport_80", "L0") "," TRAFFIC("01:00.0"), "x.x.");
	expect_needed(TWO_PORTS, STEP("perf", "\"id\":\"p\",\"what\":\"stat\",\"events\":\"dwc_rootport_80/L0/\""),
		      "x...");
	expect_needed(WITH_PTT, TRACE("rp1"), ".xx.");
	expect_needed(WITH_PTT, TRACE("0x80004"), ".xx.");
	expect_needed(WITH_PTT, TRACE("0x80005"), "xxx.");
	expect_needed(WITH_PTT, TRACE("0x00100"), "x.xx");
	expect_needed(TWO_MEMS, OPEN("cxl_pmu_mem1.0", "clock_ticks"), ".x.x");
	expect_needed(WITH_PTT, OPEN("hisi_ptt0_0", "filter=0x80004,type=1"), ".xx.");
	expect_needed(WITH_PTT, STEP("counter-open", "\"pmu\":\"hisi_ptt0_0\",\"config\":\"0x101200100\""), "x.xx");
	expect_needed(WITH_PTT,
		      STEP("perf", "\"id\":\"p\",\"what\":\"record\",\"events\":\"hisi_ptt0_0/filter=0x80001/\""),
		      "x.x.");
}

/* The same kind of step may depend on the plan's machine or not. */
Test(bind, some_steps_of_a_kind_run_anywhere)
{
	expect_needed(TWO_PORTS, OPEN_WITH("dwc_rootport_80", "L0", "\"type\":\"0x7ffffff0\""), "x...");
	expect_needed(TWO_PORTS, OPEN_WITH("dwc_rootport_80", "L0", "\"type\":\"8\""),
		      "counter-open: it names a PMU by number");
	expect_needed(TWO_PORTS, STEP("reg-read", "\"device\":\"nic0\",\"offset\":\"0x4\",\"bytes\":\"2\""), "x.x.");
	expect_needed(TWO_PORTS, STEP("reg-read", "\"device\":\"nic0\",\"offset\":\"0x48\",\"bytes\":\"2\""),
		      "reg-read: its registers have offsets of the plan's devices");
	expect_needed(WITH_PTT, STEP("reg-read", "\"device\":\"ptt0\",\"space\":\"bar2\",\"offset\":\"0x850\""),
		      "..x.");
	expect_needed(WITH_PTT, STEP("reg-read", "\"device\":\"nic0\",\"space\":\"bar2\",\"offset\":\"0x850\""),
		      "reg-read: its registers have offsets of the plan's devices");
	expect_needed(WITH_PTT, STEP("attr-list", "\"pmu\":\"hisi_ptt0_0\",\"dir\":\"format\",\"equals\":\"type\""),
		      "..x.");
	expect_needed(TWO_MEMS, STEP("attr-list", "\"pmu\":\"cxl_pmu_mem0.0\",\"dir\":\"format\",\"equals\":\"type\""),
		      "attr-list: it lists all files of a PMU");
	expect_needed(
		TWO_PORTS,
		STEP("mrrs-set", "\"device\":\"nic0\",\"bytes\":\"256\"") "," STEP("mrrs-get", "\"device\":\"nic0\""),
		"x.x.");
	expect_needed(TWO_PORTS,
		      STEP("mrrs-set", "\"device\":\"nic0\",\"bytes\":\"1\",\"expect\":\"EINVAL\"") "," STEP(
			      "mrrs-get", "\"device\":\"nic0\""),
		      "mrrs-get: sizes depend on all functions below a Root Port");
}

Test(bind, some_steps_need_the_whole_topology)
{
	expect_needed(TWO_PORTS, STEP("check-mps", ""), "check-mps: it judges the sizes of all functions");
	expect_needed(TWO_PORTS, STEP("pmu-list", "\"equals\":\"dwc_rootport_80\""), "pmu-list: it lists all PMUs");
	expect_needed(TWO_PORTS, STEP("drain", ""), "topology: no step names a function");
	expect_needed(TWO_PORTS, TRAFFIC("nic0") "," STEP("check-trace", "\"id\":\"t\",\"against\":\"golden\""),
		      "check-trace: its golden has the plan's functions");
	expect_needed(WITH_PTT, TRACE("0x80002"),
		      "trace-start: its filter names a function that the plan's machine lacks");
	expect_needed(WITH_PTT, TRACE("0x80003"),
		      "trace-start: its filter names a function that the plan's machine lacks");
	expect_needed(WITH_PTT, TRACE("0x00300"),
		      "trace-start: its filter names a function that the plan's machine lacks");
	expect_needed(TWO_PORTS, OPEN("dwc_rootport_90", "L0"),
		      "counter-open: it names a PMU that the plan's machine lacks");
	expect_needed(WITH_PTT, OPEN("hisi_ptt0_0", "type=1,filter=0x80002"),
		      "counter-open: its filter names a function that the plan's machine lacks");
	expect_needed(TWO_PORTS, "{\"kind\":\"none-such\"}", "none-such: its effect is not known");
}

/* ---- functions that play roles ---- */

Test(bind, the_first_assignment_that_fits)
{
	make_case(TWO_PORTS, OPEN("dwc_rootport_80", "L0") "," TRAFFIC("nic0"));
	MACHINE({"0000:3a:00.0", PORT, 16, 0x3b}, {"0000:3a:01.0", DWC, 4, 0x3c}, {"0000:3a:03.0", DWC, 8, 0x3d},
		{"0000:3b:00.0", NIC}, {"0000:3d:00.0", NIC});
	facts(DWC_FACTS);
	/* The first port with a PMU has no device below. */
	expect_roles("0000:3a:03.0 - 0000:3d:00.0 -");
}

Test(bind, a_function_plays_one_role)
{
	make_case(TWO_PORTS, TRAFFIC("nic0") "," TRAFFIC("nic1"));
	MACHINE({"0000:3a:01.0", PORT, 8, 0x3c}, {"0000:3c:00.0", NIC});
	expect_none("role rp1: expected Root Port, got none");
}

/* The domains of Intel VMD begin at 10000. Another device is at 0000:3a:01.0. */
Test(bind, no_function_is_one_of_another_domain)
{
	make_case(TWO_PORTS, OPEN("dwc_rootport_80", "L0"));
	MACHINE({"10000:3a:01.0", DWC, 8, 0x3c}, {"0000:3a:01.0", NIC});
	facts(DWC_FACTS);
	expect_none("role rp0: expected a domain of at most ffff, got 10000 at 10000:3a:01.0");
	teardown();
	MACHINE({"ffff:3a:01.0", DWC, 8, 0x3c});
	facts("{\"PMU dwc_rootport_ffff3a08\":\"at ffff:3a:01.0\"}");
	make_case(TWO_PORTS, OPEN("dwc_rootport_80", "L0"));
	expect_roles("ffff:3a:01.0 - - -");
}

Test(bind, what_is_missing_is_said_of_the_nearest)
{
	make_case(TWO_PORTS, OPEN("dwc_rootport_80", "rx_memory_read,lane=5"));
	MACHINE({"0000:3a:01.0", DWC, 4, 0x3c}, {"0000:3c:00.0", NIC});
	facts(DWC_FACTS);
	expect_none("role rp0: expected 6 lanes or more, got 4 at 0000:3a:01.0");
}

Test(bind, an_unknown_maker_needs_a_pmu)
{
	make_case(TWO_PORTS, OPEN("dwc_rootport_80", "L0"));
	MACHINE({"0000:3a:01.0", DWC, 8, 0x3c});
	facts("{}");
	expect_none("role rp0: expected ids 1ded:8000, got abcd:8000 at 0000:3a:01.0");
}

Test(bind, a_refused_lane_is_one_that_the_port_lacks)
{
	make_case(TWO_PORTS, OPEN_WITH("dwc_rootport_80", "rx_memory_read,lane=8", "\"expect\":\"EINVAL\""));
	MACHINE({"0000:3a:01.0", DWC, 16, 0x3c}, {"0000:3a:03.0", DWC, 4, 0x3d});
	facts(DWC_FACTS);
	expect_roles("0000:3a:03.0 - - -");
	wish[0] = (struct pv_bind_wish){"rp0", PCI_BDF(0x3a, 1, 0)};
	n_wishes = 1;
	expect_none("role rp0: expected at most 8 lanes, got 16 at 0000:3a:01.0");
}

/* Lane 3 is refused because of bit 28, so the port must have it. */
Test(bind, a_config_has_a_lane)
{
	make_case(TWO_PORTS, STEP("counter-open", "\"id\":\"c\",\"pmu\":\"dwc_rootport_80\",\"config\":"
						  "\"0x1031070b\",\"expect\":\"EINVAL\""));
	MACHINE({"0000:3a:01.0", DWC, 2, 0x3c}, {"0000:3a:03.0", DWC, 4, 0x3d});
	facts(DWC_FACTS);
	expect_roles("0000:3a:03.0 - - -");
}

Test(bind, an_event_of_perf_needs_its_lane)
{
	make_case(TWO_PORTS, PERF("dwc_rootport_80/rx_skp_add,lane=2/"));
	MACHINE({"0000:3a:01.0", DWC, 2, 0x3c}, {"0000:3a:03.0", DWC, 4, 0x3d});
	facts(DWC_FACTS);
	expect_roles("0000:3a:03.0 - - -");
}

Test(bind, the_last_lane_is_that_of_any_port)
{
	make_case(TWO_PORTS, OPEN("dwc_rootport_80", "rx_memory_read,lane=last"));
	MACHINE({"0000:3a:01.0", DWC, 1, 0x3c});
	facts(DWC_FACTS);
	expect_roles("0000:3a:01.0 - - -");
}

Test(bind, wishes_and_devices_decide)
{
	make_case(TWO_PORTS, TRAFFIC("nic0"));
	MACHINE({"0000:3a:01.0", PORT, 8, 0x3c}, {"0000:3a:03.0", PORT, 8, 0x3d}, {"0000:3c:00.0", NIC},
		{"0000:3d:00.0", NIC});
	wish[0] = (struct pv_bind_wish){"nic0", PCI_BDF(0x3d, 0, 0)};
	n_wishes = 1;
	expect_roles("0000:3a:03.0 - 0000:3d:00.0 -");
	n_wishes = 0;
	description.devices = &(struct pv_board_device){PCI_BDF(0, 0x10, 0), PCI_BDF(0x3a, 3, 0)};
	description.n_devices = 1;
	expect_roles("0000:3a:03.0 - 0000:3d:00.0 -");
}

Test(bind, ports_of_a_ptt_are_those_that_it_serves)
{
	make_case(WITH_PTT, TRACE("0x80005"));
	MACHINE({"0000:75:00.0", PTT}, {"0000:75:01.0", PORT, 8, 0x76}, {"0000:75:03.0", PORT, 8, 0x77},
		{"0000:75:05.0", PORT, 8, 0x78});
	facts(PTT_FACTS);
	expect_roles("0000:75:03.0 0000:75:05.0 0000:75:00.0 -");
}

Test(bind, ports_of_a_ptt_have_bits_of_their_own)
{
	make_case(WITH_PTT, TRACE("0x80005"));
	MACHINE({"0000:75:00.0", PTT}, {"0000:75:03.0", PORT, 8, 0x77}, {"0000:75:0b.0", PORT, 8, 0x78});
	facts("{\"PMU hisi_ptt2_1\":\"at 0000:75:00.0, ports 0000:75:03.0 0000:75:0b.0\"}");
	expect_none("role ptt0: expected PTT, got none");
}

/* The machine's ports have the bits 0x40 and 0x400. */
static void expect_foreign(const char *filter_case, bool runs)
{
	make_case(WITH_PTT, filter_case);
	cr_expect_eq(!bind_case(), runs, "%s: %s", filter_case, e.text);
	pv_needs_free(&needs);
	pv_topology_free(plan);
	json_object_put(message);
	plan = NULL;
	message = NULL;
}

Test(bind, a_refused_filter_is_one_that_the_ptt_lacks)
{
	MACHINE({"0000:75:00.0", PTT}, {"0000:75:01.0", PORT, 8, 0x76}, {"0000:75:03.0", PORT, 8, 0x77},
		{"0000:75:05.0", PORT, 8, 0x78}, {"0000:76:00.0", NIC}, {"0000:77:00.0", NIC});
	facts(PTT_FACTS);
	expect_foreign(REFUSED("0x80002"), true);
	expect_foreign(REFUSED("0x80040"), false); /* 75:03.0 */
	expect_foreign(REFUSED("0x80440"), false); /* both */
	expect_foreign(REFUSED("0x80442"), true);
	expect_foreign(REFUSED("0x80000"), true);
	expect_foreign(REFUSED("0x90040"), true); /* a reserved bit */
	expect_foreign(REFUSED("0x07600"), true); /* a card below a port that the PTT does not serve */
	expect_foreign(REFUSED("0x07700"), false);
	expect_foreign(REFUSED("0x07503"), true);
}

#define SWITCH(name, kind, bdf, bus, below)                                                                        \
	"{\"kind\":\"" kind "\",\"name\":\"" name "\",\"bdf\":\"" bdf "\",\"parent\":" below ",\"secondary\":" bus \
	",\"subordinate\":4},"
#define BELOW_A_SWITCH                                                                                             \
	"{\"kind\":\"root-port\",\"name\":\"rp2\",\"bdf\":\"00:0f.0\",\"secondary\":5,\"subordinate\":5},"         \
	"{\"kind\":\"root-port\",\"name\":\"rp0\",\"bdf\":\"00:10.0\",\"secondary\":1,\"subordinate\":4}," SWITCH( \
		"sw0", "upstream", "01:00.0", "2", "1")                                                            \
		SWITCH("sw0p0", "downstream", "02:00.0", "4",                                                      \
		       "2") "{\"kind\":\"endpoint\",\"name\":\"nic0\",\"bdf\":\"04:00.0\",\"parent\":3}"

Test(bind, a_switch_that_no_step_names_may_be_missing)
{
	make_case(BELOW_A_SWITCH,
		  TRAFFIC("nic0") "," STEP("reg-read", "\"device\":\"rp2\",\"offset\":\"4\",\"bytes\":\"2\""));
	MACHINE({"0000:3a:01.0", PORT, 8, 0x3b}, {"0000:3a:03.0", PORT, 8, 0x3c}, {"0000:3c:00.0", NIC});
	expect_roles("0000:3a:01.0 0000:3a:03.0 - - 0000:3c:00.0");
	use_bound();
	cr_expect_str_eq(member(2, "name"), "nic0");
	cr_expect_str_eq(member(2, "parent"), "1");
}

Test(bind, a_switch_that_a_step_names_is_needed)
{
	make_case(BELOW_A_SWITCH, TRAFFIC("nic0") "," TRAFFIC("sw0p0"));
	MACHINE({"0000:3a:01.0", PORT, 8, 0x3c}, {"0000:3c:00.0", NIC});
	expect_none("role sw0p0: expected Downstream Port, got endpoint (8086:1015) at 0000:3c:00.0");
}

#define OPTIONAL(from) STEP("traffic", "\"from\":\"" from "\",\"kind\":\"mwr64\",\"optional\":\"yes\"")

Test(bind, an_optional_step_is_left_out)
{
	make_case(TWO_PORTS, OPTIONAL("nic1") "," TRAFFIC("nic0") "," OPTIONAL("nic0"));
	MACHINE({"0000:3a:01.0", PORT, 8, 0x3c}, {"0000:3c:00.0", NIC});
	use_bound();
	cr_expect_str_eq(attr(0, "from"), "nic0");
	cr_expect_str_eq(attr(1, "optional"), "yes");
	cr_expect_null(attr(2, "from"));
	cr_expect_str_eq(pv_json_line(json_object_object_get(bound, "roles")),
			 "{\"rp0\":\"0000:3a:01.0\",\"nic0\":\"0000:3c:00.0\",\"nic1\":\"none\"}");
}

#define LANE(lane) \
	STEP("link-event", "\"port\":\"rp0\",\"event\":\"skp-add\",\"optional\":\"yes\",\"lane\":\"" lane "\"")

Test(bind, an_optional_step_of_a_lane_that_is_missing_is_left_out)
{
	make_case(TWO_PORTS, OPEN("dwc_rootport_80", "eventid=0x400,type=1,lane=1") "," LANE("3") "," LANE("4"));
	MACHINE({"0000:3a:01.0", DWC, 4, 0x3c}, {"0000:3c:00.0", NIC});
	facts(DWC_FACTS);
	use_bound();
	cr_expect_str_eq(attr(1, "lane"), "3");
	cr_expect_null(attr(2, "lane"));
}

Test(bind, an_optional_step_stays_where_its_functions_are)
{
	make_case(TWO_PORTS, OPTIONAL("nic1") "," TRAFFIC("nic0"));
	MACHINE({"0000:3a:01.0", PORT, 8, 0x3c}, {"0000:3a:03.0", PORT, 8, 0x3d}, {"0000:3c:00.0", NIC},
		{"0000:3d:00.0", NIC});
	expect_roles("0000:3a:01.0 0000:3a:03.0 0000:3c:00.0 0000:3d:00.0");
}

Test(bind, a_link_has_states_with_a_device_below)
{
	make_case(TWO_PORTS, STEP("link-state", "\"port\":\"rp0\",\"state\":\"L1\",\"us\":\"5\""));
	MACHINE({"0000:3a:01.0", PORT, 8, 0x3c}, {"0000:3a:03.0", PORT, 8, 0x3d}, {"0000:3d:00.0", NIC});
	expect_roles("0000:3a:03.0 - - -");
}

Test(bind, an_event_of_a_lane_needs_that_lane)
{
	make_case(TWO_PORTS, STEP("link-event", "\"port\":\"rp1\",\"event\":\"sync-header\",\"lane\":\"2\""));
	MACHINE({"0000:3a:01.0", PORT, 1, 0x3c}, {"0000:3a:03.0", PORT, 4, 0x3d}, {"0000:3c:00.0", NIC},
		{"0000:3d:00.0", NIC});
	expect_roles("- 0000:3a:03.0 - -");
}

Test(bind, a_workload_is_of_a_device_that_the_lab_can_use)
{
	struct pv_board_workload workload = {.from = (char[]){"0000:3d:00.0"}, .to = (char[]){"memory"}};

	make_case(TWO_PORTS, STEP("workload", "\"id\":\"w\",\"from\":\"nic0\""));
	MACHINE({"0000:3a:01.0", PORT, 8, 0x3c}, {"0000:3a:03.0", PORT, 8, 0x3d}, {"0000:3c:00.0", NIC},
		{"0000:3d:00.0", NIC});
	expect_none("role nic0: expected a <workload> from it, got none in the board's description at 0000:3c:00.0");
	description.workloads = &workload;
	description.n_workloads = 1;
	expect_roles("0000:3a:03.0 - 0000:3d:00.0 -");
}

/* ---- besides functions ---- */

static const char *lack(const char *steps)
{
	static struct pv_board b;

	b = (struct pv_board){.description.writes = true, .environment = environment};
	json_object_put(message);
	message = json_object_new_object();
	json_object_object_add(message, "steps", json_tokener_parse(steps));
	return pv_board_lacks(&b, message);
}

#define BOOT(policy) STEP("boot", "\"policy\":\"" policy "\"")

Test(bind, a_case_has_the_kernels_mps_policy)
{
	facts("{\"command line\":\"root=/dev/sda pci=pcie_bus_safe\"}");
	cr_expect_null(lack("[" BOOT("safe") "]"));
	cr_expect_not_null(lack("[" BOOT("peer2peer") "]"));
	cr_expect_not_null(lack("[]"), "the policy default");
	cr_expect_not_null(lack("[" BOOT("safe") "," BOOT("safe") "]"), "a machine in use is not rebooted");
}

#define BUILT_IN(word) "\"MPS policy built in\":\"" word " (proc/config.gz)\""

Test(bind, the_last_mps_policy_of_the_command_line_counts)
{
	facts("{\"command line\":\"pci=pcie_bus_safe,noaer quiet pci=nomsi,pcie_bus_perf\"}");
	cr_expect_null(lack("[" BOOT("perf") "]"));
	facts("{\"command line\":\"pci=pcie_bus_peer2peer,pcie_bus_tune_off\"," BUILT_IN("safe") "}");
	cr_expect_null(lack("[" BOOT("tune_off") "]"));
}

/* CONFIG_PCIE_BUS_PERFORMANCE and so on. Not all that looks like the argument is one. */
Test(bind, the_mps_policy_of_the_configuration)
{
	facts("{\"command line\":\"quiet\"," BUILT_IN("perf") "}");
	cr_expect_null(lack("[" BOOT("perf") "]"));
	cr_expect_str_eq(lack("[]"), "the kernel was booted with another MPS policy than the case");
	facts("{\"command line\":\"lsm=pcie_bus_perf pci=nomsi xpci=pcie_bus_perf -- pci=pcie_bus_perf\"," BUILT_IN(
		"default") "}");
	cr_expect_null(lack("[]"));
	cr_expect_null(lack("[" BOOT("default") "]"));
	facts("{\"command line\":\"quiet\"}");
	cr_expect_str_eq(lack("[]"), PV_BOARD_POLICY_UNKNOWN);
}

Test(bind, registers_in_bars_are_not_written)
{
	facts("{" BUILT_IN("default") "}");
	cr_expect_null(lack("[" STEP("reg-write", "\"space\":\"config\"") "]"));
	cr_expect_not_null(lack("[" STEP("reg-write", "\"space\":\"bar2\"") "]"));
}

/* ---- comparison with all assignments ---- */

static uint32_t seed;

static unsigned draw(unsigned n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 16) % n;
}

static bool plays(size_t i, const struct pv_pci_func *f)
{
	const struct pv_role_match role = {&needs, &needs.role[i], machine, &description, environment};
	struct pv_board_difference d;

	return !pv_board_role_differs(&role, &plan->nodes[i], f, &d);
}

/* Returns true if all roles are played by different functions, with the parents of the plan. */
static bool is_right(const struct pv_pci_func *const *is)
{
	for (size_t i = 0; i < plan->n; i++) {
		int parent = plan->nodes[i].parent;

		if (!plays(i, is[i]) || is[i]->parent != (parent < 0 ? NULL : is[parent]))
			return false;
		for (size_t k = 0; k < i; k++)
			if (is[k] == is[i])
				return false;
	}
	return true;
}

/* Advances to the next assignment in the order of BDFs. */
static bool count_up(const struct pv_pci_func **is)
{
	size_t digit[4] = {0};

	for (;;) {
		for (size_t i = 0; i < 4; i++)
			is[i] = &machine->funcs[digit[i]];
		if (is_right(is))
			return true;
		size_t at = 4;
		while (at-- > 0 && ++digit[at] == machine->n)
			digit[at] = 0;
		if (at == SIZE_MAX)
			return false;
	}
}

static void random_machine(void)
{
	struct function f[8];
	size_t n = 0;

	for (unsigned port = 0; port < 4; port++) {
		f[n] = (struct function){.what = draw(2) ? DWC : PORT, .lanes = 1u << draw(5), .bus = 0x40 + port};
		snprintf(f[n++].name, sizeof(f[0].name), "0000:3a:%02x.0", 2 * port + draw(2));
		if (!draw(3))
			continue;
		f[n] = (struct function){.what = draw(3) ? NIC : MEM};
		snprintf(f[n++].name, sizeof(f[0].name), "0000:%02x:00.0", 0x40 + port);
	}
	make_machine(f, n);
	facts("{\"PMU dwc_rootport_3a00\":\"at 0000:3a:00.0\",\"PMU dwc_rootport_3a10\":\"at 0000:3a:02.0\","
	      "\"PMU dwc_rootport_3a18\":\"at 0000:3a:03.0\",\"PMU dwc_rootport_3a28\":\"at 0000:3a:05.0\","
	      "\"PMU dwc_rootport_3a38\":\"at 0000:3a:07.0\"}");
}

Test(bind, a_hundred_machines_against_all_assignments)
{
	unsigned found = 0;

	for (unsigned round = 1; round <= 100; round++) {
		const struct pv_pci_func *is[4];

		seed = round;
		make_case(TWO_PORTS,
			  OPEN("dwc_rootport_80", "rx_memory_read,lane=3") "," TRAFFIC("nic0") "," TRAFFIC("nic1"));
		random_machine();
		bool there = count_up(is);
		cr_expect_eq(!bind_case(), there, "machine %u: %s", round, e.text);
		for (size_t i = 0; there && i < 4; i++)
			cr_expect_eq(func[i], is[i], "machine %u: %s is %s, not %s", round, plan->nodes[i].name,
				     func[i]->name, is[i]->name);
		found += there;
		teardown();
	}
	cr_expect(found > 10 && found < 90, "%u machines could", found);
}
