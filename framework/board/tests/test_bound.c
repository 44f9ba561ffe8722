/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topology and steps of a case, rewritten for the functions that play its roles. */
#include <criterion/criterion.h>

#include "framework/board/tests/bind_fixture.h"

/* Binds steps of a PTT to one with other ports, and a NIC on another bus. */
static void use_bound_ptt(const char *steps)
{
	make_case(WITH_PTT, steps);
	MACHINE({"0000:75:00.0", PTT}, {"0000:75:03.0", PORT, 8, 0x77}, {"0000:75:05.0", PORT, 4, 0x78},
		{"0000:77:00.0", NIC});
	facts(PTT_FACTS);
	use_bound();
}

Test(bind, topology_and_steps_of_a_ptt)
{
	use_bound_ptt(TRACE("0x80004") "," TRACE("0x00100") "," TRACE("rp0"));
	cr_expect_str_eq(attr(0, "pmu"), "hisi_ptt2_1");
	cr_expect_str_eq(attr(0, "filter"), "0x80400");
	cr_expect_str_eq(attr(1, "filter"), "0x07700");
	cr_expect_str_eq(attr(2, "filter"), "rp0");
	cr_expect_str_eq(member(0, "bdf"), "75:03.0");
	cr_expect_str_eq(member(1, "width"), "4");
	cr_expect_str_eq(member(2, "sicl"), "2");
	cr_expect_str_eq(member(2, "core"), "1");
	cr_expect_str_eq(member(2, "range_lower"), "75:03.0");
	cr_expect_str_eq(member(2, "range_upper"), "75:05.0");
	cr_expect_str_eq(member(3, "parent"), "0");
	cr_expect_str_eq(pv_json_line(json_object_object_get(bound, "roles")),
			 "{\"rp0\":\"0000:75:03.0\",\"rp1\":\"0000:75:05.0\",\"ptt0\":\"0000:75:00.0\",\"nic0\":"
			 "\"0000:77:00.0\"}");
}

#define CONFIG(config) STEP("counter-open", "\"id\":\"d\",\"pmu\":\"hisi_ptt0_0\",\"config\":\"" config "\"")

static const char filters[] = OPEN("hisi_ptt0_0", "type=1,filter=0x80004,format=1") "," PERF(
	"hisi_ptt0_0/filter=0x80001/,hisi_ptt0_0/"
	"filter=0x00100,type=1/") "," CONFIG("0x101280005") "," REFUSED("0x80002") "," REFUSED("0xa0001") "," REFUSED("0x40100");

Test(bind, filters_in_events_and_configs_of_a_ptt)
{
	use_bound_ptt(filters);
	cr_expect_str_eq(attr(0, "event"), "type=1,filter=0x80400,format=1");
	cr_expect_str_eq(attr(1, "events"), "hisi_ptt2_1/filter=0x80040/,hisi_ptt2_1/filter=0x07700,type=1/");
	cr_expect_str_eq(attr(2, "config"), "0x101280440");
	cr_expect_str_eq(attr(3, "filter"), "0x80002");
	/* The reserved bit is the only reason for the refusal. */
	cr_expect_str_eq(attr(4, "filter"), "0xa0040");
	cr_expect_str_eq(attr(5, "filter"), "0x47700");
}

Test(bind, functions_that_are_not_needed_are_left_out)
{
	make_case(TWO_MEMS, OPEN("cxl_pmu_mem1.0", "clock_ticks"));
	MACHINE({"0000:c0:01.0", PORT, 8, 0xc1}, {"0000:c1:00.0", MEM});
	facts(MEM_FACTS);
	use_bound();
	/* The only memory device of the case is number 0; the target finds the kernel's number (board.c). */
	cr_expect_str_eq(attr(0, "pmu"), "cxl_pmu_mem0.0");
	cr_expect_str_eq(member(0, "name"), "rp1");
	cr_expect_str_eq(member(1, "parent"), "0");
	cr_expect_null(node(2));
}

Test(bind, a_root_ports_pmu_has_its_new_bdf)
{
	make_case(TWO_PORTS, OPEN("dwc_rootport_80", "L0") "," TRAFFIC("01:00.0"));
	MACHINE({"0000:3a:03.0", DWC, 8, 0x3d}, {"0000:3d:00.0", NIC});
	facts(DWC_FACTS);
	use_bound();
	cr_expect_str_eq(attr(0, "pmu"), "dwc_rootport_3a18");
	cr_expect_str_eq(attr(1, "from"), "3d:00.0");
	cr_expect_str_eq(member(0, "vendor"), "43981");
	cr_expect_str_eq(member(0, "secondary"), "61");
	cr_expect_str_eq(member(0, "max_speed"), "16");
	cr_expect_str_eq(member(0, "speed"), "8");
}
