/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that play the roles of CXL memory devices: their PMUs show the events of the case. */
#include <criterion/criterion.h>

#include "framework/board/tests/bind_fixture.h"

Test(bind, events_of_a_cxl_pmu_are_those_that_it_shows)
{
	MACHINE({"0000:c0:01.0", PORT, 8, 0xc1}, {"0000:c1:00.0", MEM});
	facts(MEM_FACTS);
	make_case(TWO_MEMS, OPEN("cxl_pmu_mem1.0", "d2h_req_rdcurr"));
	expect_none("role mem1: expected d2h_req_rdcurr, got cxl_pmu_mem7.0 without this event at 0000:c1:00.0");
}

#define TWO_CPMUS                                                                                               \
	RP0 "\"width\":8},{\"kind\":\"cxl-mem\",\"name\":\"mem0\",\"bdf\":\"01:00.0\",\"parent\":0,\"cpmus\":[" \
	    "{\"counters\":4,\"width\":48},{\"counters\":7,\"width\":64}]}"

#define ONE_CPMU(more)                                                                                          \
	RP0 "\"width\":8},{\"kind\":\"cxl-mem\",\"name\":\"mem0\",\"bdf\":\"01:00.0\",\"parent\":0,\"cpmus\":[" \
	    "{\"counters\":4,\"width\":48" more "}]}"

Test(bind, a_cpmu_is_one_with_the_events)
{
	MACHINE({"0000:c0:01.0", PORT, 8, 0xc1}, {"0000:c1:00.0", MEM});
	facts("{\"PMU cxl_pmu_mem7.0\":\"at 0000:c1:00.0, events clock_ticks m2s_req_memrd\","
	      "\"PMU cxl_pmu_mem7.1\":\"at 0000:c1:00.0, events clock_ticks ddr_act\"}");
	make_case(TWO_CPMUS, OPEN("cxl_pmu_mem0.1", "m2s_req_memrd"));
	use_bound();
	cr_expect_str_eq(attr(0, "pmu"), "cxl_pmu_mem0.0");
	json_object *cpmu = json_object_array_get_idx(json_object_object_get(node(1), "cpmus"), 0);
	cr_expect_eq(json_object_get_int(json_object_object_get(cpmu, "counters")), 7);
}

Test(bind, two_cpmus_are_two)
{
	MACHINE({"0000:c0:01.0", PORT, 8, 0xc1}, {"0000:c1:00.0", MEM});
	facts("{\"PMU cxl_pmu_mem7.0\":\"at 0000:c1:00.0, events clock_ticks m2s_req_memrd\","
	      "\"PMU cxl_pmu_mem7.1\":\"at 0000:c1:00.0, events clock_ticks ddr_act\"}");
	make_case(TWO_CPMUS, OPEN("cxl_pmu_mem0.0", "m2s_req_memrd") "," OPEN("cxl_pmu_mem0.1", "m2s_req_memrd"));
	expect_none("role mem0: expected m2s_req_memrd, got cxl_pmu_mem7.1 without this event at 0000:c1:00.0");
}

Test(bind, a_raw_event_needs_the_events_of_its_mask)
{
	MACHINE({"0000:c0:01.0", PORT, 8, 0xc1}, {"0000:c1:00.0", MEM});
	facts("{\"PMU cxl_pmu_mem7.0\":\"at 0000:c1:00.0, events clock_ticks m2s_req_memrd\","
	      "\"PMU cxl_pmu_mem7.1\":\"at 0000:c1:00.0, events m2s_req_memrd m2s_req_memrddata\"}");
	description.vouches_for_all = true;
	make_case(TWO_CPMUS, OPEN("cxl_pmu_mem0.0", "vid=0x1e98,gid=0x20,mask=0x6"));
	use_bound();
	cr_expect_str_eq(attr(0, "pmu"), "cxl_pmu_mem0.1");
}

Test(bind, a_config_needs_its_events_too)
{
	MACHINE({"0000:c0:01.0", PORT, 8, 0xc1}, {"0000:c1:00.0", MEM});
	facts(MEM_FACTS);
	description.vouches_for_all = true;
	make_case(TWO_CPMUS,
		  STEP("counter-open", "\"id\":\"c\",\"pmu\":\"cxl_pmu_mem0.0\",\"config\":\"0x1e98002100000002\""));
	expect_none("role mem0: expected m2s_rwd_memwr, got cxl_pmu_mem7.0 without this event at 0000:c1:00.0");
}

/* The plan's CPMUs have no events of the DRAM. */
Test(bind, an_event_that_is_refused_is_one_that_the_cpmu_lacks)
{
	MACHINE({"0000:c0:01.0", PORT, 8, 0xc1}, {"0000:c1:00.0", MEM});
	facts("{\"PMU cxl_pmu_mem7.0\":\"at 0000:c1:00.0, events clock_ticks ddr_act\"}");
	description.vouches_for_all = true;
	make_case(TWO_MEMS, OPEN_WITH("cxl_pmu_mem0.0", "ddr_act", "\"expect\":\"EINVAL\""));
	expect_none("role mem0: expected no ddr_act, got cxl_pmu_mem7.0 with this event at 0000:c1:00.0");
}

Test(bind, a_file_of_an_event_needs_that_event)
{
	MACHINE({"0000:c0:01.0", PORT, 8, 0xc1}, {"0000:c1:00.0", MEM});
	facts(MEM_FACTS);
	make_case(TWO_MEMS, STEP("attr-read", "\"pmu\":\"cxl_pmu_mem0.0\",\"path\":\"events/ddr_act\""));
	expect_none("role mem0: expected ddr_act, got cxl_pmu_mem7.0 without this event at 0000:c1:00.0");
}

Test(bind, what_only_registers_show_needs_a_vouch)
{
	MACHINE({"0000:c0:01.0", PORT, 8, 0xc1}, {"0000:c1:00.0", MEM});
	facts(MEM_FACTS);
	make_case(TWO_MEMS, OPEN("cxl_pmu_mem1.0", "clock_ticks") "," OPEN("cxl_pmu_mem1.0", "m2s_req_memrd"));
	expect_none("role mem1: expected room for several events, got what only registers show: a <vouch> says it at "
		    "0000:c1:00.0");
	description.vouches_for_all = true;
	expect_roles("- 0000:c0:01.0 - 0000:c1:00.0");
}

/* The known fault of a driver that refuses such a CPMU would be missed elsewhere. */
Test(bind, a_cpmu_without_interrupts_needs_a_vouch)
{
	MACHINE({"0000:c0:01.0", PORT, 8, 0xc1}, {"0000:c1:00.0", MEM});
	facts(MEM_FACTS);
	make_case(ONE_CPMU(",\"interrupt\":false"), OPEN("cxl_pmu_mem0.0", "clock_ticks"));
	expect_none("role mem0: expected a CPMU without interrupts, got what only registers show: a <vouch> says it at "
		    "0000:c1:00.0");
	make_case(ONE_CPMU(",\"msi\":0"), OPEN("cxl_pmu_mem0.0", "clock_ticks"));
	expect_none("role mem0: expected a CPMU with message number 0, got what only registers show: a <vouch> says it "
		    "at 0000:c1:00.0");
	make_case(ONE_CPMU(""), OPEN("cxl_pmu_mem0.0", "clock_ticks"));
	expect_roles("0000:c0:01.0 0000:c1:00.0");
}

Test(bind, events_of_perf_are_those_that_the_pmu_shows)
{
	MACHINE({"0000:c0:01.0", PORT, 8, 0xc1}, {"0000:c1:00.0", MEM});
	facts(MEM_FACTS);
	make_case(ONE_CPMU(""), PERF("dwc_rootport_80/x/,cxl_pmu_mem0.0/m2s_rwd_memwr/"));
	expect_none("role mem0: expected m2s_rwd_memwr, got cxl_pmu_mem7.0 without this event at 0000:c1:00.0");
	make_case(ONE_CPMU(""), PERF("cxl_pmu_mem0.0/m2s_req_memrd,threshold=2/"));
	expect_none("role mem0: expected filters, thresholds, groups and raw events, got what only registers show: a "
		    "<vouch> says it at 0000:c1:00.0");
	make_case(ONE_CPMU(""), PERF("cxl_pmu_mem0.0/clock_ticks/") "," STEP("perf-end", "\"id\":\"p\"") "," PERF(
					"cxl_pmu_mem0.0/m2s_req_memrd/"));
	expect_roles("0000:c0:01.0 0000:c1:00.0");
	make_case(ONE_CPMU(""), STEP("check-perf", "\"id\":\"p\",\"match\":\"^ *cxl_pmu_mem0\\\\.0/m2s_rwd_memwr/\""));
	facts("{\"PMU cxl_pmu_mem0.0\":\"at 0000:c1:00.0, events clock_ticks m2s_req_memrd\"}");
	expect_none("role mem0: expected m2s_rwd_memwr, got cxl_pmu_mem0.0 without this event at 0000:c1:00.0");
}

Test(bind, one_event_after_another_needs_no_room)
{
	MACHINE({"0000:c0:01.0", PORT, 8, 0xc1}, {"0000:c1:00.0", MEM});
	facts(MEM_FACTS);
	make_case(TWO_MEMS, OPEN("cxl_pmu_mem1.0", "clock_ticks") "," STEP("counter-close", "\"id\":\"b c\"") "," OPEN(
				    "cxl_pmu_mem1.0", "m2s_req_memrd"));
	expect_roles("- 0000:c0:01.0 - 0000:c1:00.0");
}
