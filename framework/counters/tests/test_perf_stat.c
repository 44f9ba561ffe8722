/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines printed by perf 6.12, and other lines. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/counters/perf_stat.h"

/* Returns "PMU EVENT VALUE END RUNNING", or the error. */
static const char *parsed(const char *line)
{
	static char text[256];
	struct pv_perf_stat s;
	int err = pv_perf_stat_parse(line, &s);

	if (err)
		return err == -ENOENT ? "none" : err == -EBADMSG ? "bad" : "?";
	snprintf(text, sizeof(text), "%s %s %s%.9g %.9g %.9g", s.pmu, s.event,
		 s.counted     ? ""
		 : s.supported ? "not counted "
			       : "not supported ",
		 s.value, s.end_s, s.running);
	return text;
}

Test(perf_stat, lines_of_the_whole_machine)
{
	cr_expect_str_eq(parsed("     1.000123456,4096,,dwc_rootport_10/Rx_PCIe_TLP_Data_Payload/,1000120000,100.00,,"),
			 "dwc_rootport_10 Rx_PCIe_TLP_Data_Payload 4096 1.00012346 100");
	cr_expect_str_eq(parsed("0.103525844,0.99,msec,task-clock,992410,100.00,0.010,CPUs utilized"),
			 " task-clock 0.99 0.103525844 100");
	cr_expect_str_eq(parsed("0.5,74,,page-faults,992410,33.25,74.566,K/sec"), " page-faults 74 0.5 33.25");
	cr_expect_str_eq(parsed("2.0;7;;cxl_pmu_mem0.0/m2s_req_memrd/;1;100.00;;"),
			 "cxl_pmu_mem0.0 m2s_req_memrd 7 2 100", "another separator");
}

Test(perf_stat, separators_in_an_event_do_not_separate)
{
	cr_expect_str_eq(parsed("1.0,5,,dwc_rootport_10/rx_memory_write,lane=0/,1000,100.00,,"),
			 "dwc_rootport_10 rx_memory_write,lane=0 5 1 100");
	cr_expect_str_eq(parsed("1.0,5,,dwc_rootport_10/eventid=0x21,type=0x0/k,1000,100.00,,"),
			 "dwc_rootport_10 eventid=0x21,type=0x0 5 1 100");
}

Test(perf_stat, an_event_of_several_pmus_has_its_pmu_behind_it)
{
	cr_expect_str_eq(parsed("1.0,5,,m2s_req_memrd [cxl_pmu_mem1.0],1000,100.00,,"),
			 "cxl_pmu_mem1.0 m2s_req_memrd 5 1 100");
}

Test(perf_stat, lines_of_parts_of_a_machine)
{
	cr_expect_str_eq(
		parsed("0.108450976,CPU1,108.61,msec,task-clock [software],108606791,100.00,1.086,CPUs utilized"),
		"software task-clock 108.61 0.108450976 100");
	cr_expect_str_eq(parsed("0.104895621,S0,2,237.93,msec,task-clock,237933302,100.00,2.379,CPUs utilized"),
			 " task-clock 237.93 0.104895621 100");
	cr_expect_str_eq(parsed("0.1,S0-D0-C1,2,5,,dwc_rootport_10/L1/,237933302,100.00,,"),
			 "dwc_rootport_10 L1 5 0.1 100");
}

Test(perf_stat, what_was_not_counted)
{
	cr_expect_str_eq(parsed("0.2,<not counted>,,dwc_rootport_10/L1/,0,100.00,,"),
			 "dwc_rootport_10 L1 not counted 0 0.2 100");
	cr_expect_str_eq(parsed("0.2,<not supported>,,cycles,0,0.00,,"), " cycles not supported 0 0.2 0");
}

Test(perf_stat, lines_without_a_count)
{
	static const char *const lines[] = {"", "   ", "# started on Wed Nov 25 10:00:00 2026",
					    "summary,0.98,msec,task-clock,983559,100.00,0.005,CPUs utilized"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		cr_expect_str_eq(parsed(lines[i]), "none", "%s", lines[i]);
}

Test(perf_stat, lines_that_perf_did_not_write)
{
	static const char *const lines[] = {
		"fio-3.33",
		"0.98,msec,task-clock,983559,100.00,0.005,CPUs utilized", /* without -I */
		"     0.100150581               0.94 msec task-clock                       #    0.009 CPUs utilized",
		"1.0",
		"1.0,",
		"1.0,5,,dwc_rootport_10/L1/",			 /* incomplete */
		"1.0,5,,dwc_rootport_10/L1,1000,100.00,,",	 /* no second slash */
		"1.0,5,<b>,dwc_rootport_10/L1/,1000,100.00,,",	 /* the unit is not a word */
		"1.0,5,,dwc_rootport_10/\033[2J/,1000,100.00,,", /* a control sequence for a terminal */
		"1.0,-5,,dwc_rootport_10/L1/,1000,100.00,,",
		"1.0,0x5,,dwc_rootport_10/L1/,1000,many,,",
		"1.0,nan,,dwc_rootport_10/L1/,1000,100.00,,",
		"1e3x5,,dwc_rootport_10/L1/,1000,100.00,,",
		"1.0e1276352,0,,dwc_rootport_10/L1/,1000,100.00,,", /* no end of the interval */
		"1000000001,5,,dwc_rootport_10/L1/,1000,100.00,,",
		"1.0,100000000000000000001000,,dwc_rootport_10/L1/,1000,100.00,,",
		"1.0,5e3,,dwc_rootport_10/L1/,1000,100.00,,",
		"1.0,,,,,,,,,,,,,,,,,",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		cr_expect_str_eq(parsed(lines[i]), "bad", "%s", lines[i]);
}

Test(perf_stat, names_have_room_or_are_refused)
{
	char line[300], pmu[100];

	memset(pmu, 'p', sizeof(pmu) - 1);
	pmu[63] = '\0';
	snprintf(line, sizeof(line), "1.0,5,,%s/L1/,1000,100.00,,", pmu);
	cr_expect_str_neq(parsed(line), "bad");
	pmu[63] = 'p';
	pmu[64] = '\0';
	snprintf(line, sizeof(line), "1.0,5,,%s/L1/,1000,100.00,,", pmu);
	cr_expect_str_eq(parsed(line), "bad");
}
