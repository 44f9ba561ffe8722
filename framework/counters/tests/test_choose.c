/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The choice of events on a machine. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#include "framework/counters/choose.h"

#define DWC(name, id) "dwc_rootport_8/events/" name " eventid=" id ",type=0x0"
#define CXL(name)     "cxl_pmu_mem0.0/events/" name " vid=0x1e98,gid=0x11,mask=0x2"

/* All PMUs of a current board. */
static const char *const board[] = {
	DWC("one_cycle", "0x00"),
	DWC("L1", "0x04"),
	DWC("Tx_PCIe_TLP_Data_Payload", "0x20"),
	DWC("Rx_PCIe_TLP_Data_Payload", "0x21"),
	DWC("rx_memory_write", "0x700"),
	CXL("clock_ticks"),
	CXL("m2s_req_memrd"),
	CXL("s2m_drs_memdata"),
	"hisi_pcie0_core0/events/rx_mwr_flux event=0x0104",
	"hisi_pcie0_core0/events/rx_mrd_time event=0x10210,port=?",
	"power/events/energy-pkg event=0x02",
	"power/events/energy-pkg.unit Joules",
	NULL,
};

static struct pv_choice c;

static void tear_down(void)
{
	pv_choice_free(&c);
}

TestSuite(choose, .fini = tear_down);

/* Returns the chosen events; "": none. */
static const char *chosen(const char *const *lines, const char *const *pmus)
{
	pv_choice_free(&c);
	c.pmus = pmus;
	for (; *lines; lines++)
		cr_assert_eq(pv_choice_add(&c, *lines), 0, "%s", *lines);
	return c.events ? c.events : "";
}

/* perf cannot find payload events by name, so they get their numbers (docs/linux-drivers.md). */
Test(choose, payload_and_opcodes_unless_told)
{
	cr_expect_str_eq(chosen(board, NULL),
			 "dwc_rootport_8/eventid=0x20,type=0x0/,dwc_rootport_8/eventid=0x21,type=0x0/,"
			 "cxl_pmu_mem0.0/m2s_req_memrd/,cxl_pmu_mem0.0/s2m_drs_memdata/");
	cr_expect_eq(c.n, 4);
}

Test(choose, names_of_linux_7_3_have_small_letters)
{
	static const char *const lines[] = {DWC("rx_pcie_tlp_data_payload", "0x21"), NULL};

	cr_expect_str_eq(chosen(lines, NULL), "dwc_rootport_8/eventid=0x21,type=0x0/");
}

Test(choose, only_the_pmus_that_are_named)
{
	static const char *const cxl[] = {"cxl_pmu_mem*", NULL};
	static const char *const others[] = {"power", "hisi_pcie*", NULL};
	static const char *const none[] = {"dwc", NULL};

	cr_expect_str_eq(chosen(board, cxl), "cxl_pmu_mem0.0/m2s_req_memrd/,cxl_pmu_mem0.0/s2m_drs_memdata/");
	cr_expect_str_eq(chosen(board, others), "hisi_pcie0_core0/rx_mwr_flux/,power/energy-pkg/",
			 "neither events with parameters nor files about events");
	cr_expect_str_eq(chosen(board, none), "");
}

/* A board may print anything: perf must not parse it as several events. */
Test(choose, lines_that_are_no_events)
{
	static const char *const any[] = {"*", NULL};
	static const char *const lines[] = {"",
					    "a",
					    "a/events/",
					    "a/events/b",
					    "/events/b c=1",
					    "a/b/events/c d=1",
					    "a b/events/c d=1",
					    "a/events/b,c d=1",
					    "a/events/b /,x/y=1",
					    "a/events/b\033[2J d=1",
					    "a/events/{b} d=1",
					    NULL};

	cr_expect_str_eq(chosen(lines, any), "");
}

Test(choose, no_more_than_a_limit)
{
	char line[64];

	for (unsigned i = 0; i < PV_CHOICE_MAX; i++) {
		snprintf(line, sizeof(line), "cxl_pmu_mem%u.0/events/m2s_req_memrd a=1", i);
		cr_assert_eq(pv_choice_add(&c, line), 0);
	}
	cr_expect_eq(pv_choice_add(&c, line), -E2BIG);
	cr_expect_eq(c.n, PV_CHOICE_MAX);
}
