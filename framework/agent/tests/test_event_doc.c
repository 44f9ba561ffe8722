/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Config words of events by name, as the documents have them. */
#include <criterion/criterion.h>
#include <inttypes.h>

#include "framework/agent/events.h"

static void expect(const char *pmu, const char *event, const char *name, uint64_t config, uint64_t mask)
{
	struct pv_event_doc d = pv_event_doc_find(pmu, event);

	cr_expect_str_eq(d.name, name, "%s/%s/: expected event \"%s\", got \"%s\"", pmu, event, name, d.name);
	cr_expect_eq(d.mask, mask, "%s/%s/: expected mask 0x%" PRIx64 ", got 0x%" PRIx64, pmu, event, mask, d.mask);
	cr_expect_eq(d.config & d.mask, config, "%s/%s/: expected 0x%" PRIx64 ", got 0x%" PRIx64, pmu, event, config,
		     d.config & d.mask);
}

Test(documented, cpmu_events_are_whole_words)
{
	expect("cxl_pmu_mem0.0", "clock_ticks", "clock_ticks", 0x1e98000000000001, UINT64_MAX);
	expect("cxl_pmu_mem3.7", "s2m_ndr_biconflictack", "s2m_ndr_biconflictack", 0x1e98002400000010, UINT64_MAX);
	expect("cxl_pmu_mem0.0", "d2h_req_rdcurr,threshold=3,edge=1", "d2h_req_rdcurr", 0x1e98001000000002, UINT64_MAX);
}

Test(documented, dwc_events_are_a_number_and_a_type)
{
	expect("dwc_rootport_80", "rx_memory_read,lane=2", "rx_memory_read", 0x1070c, 0xfffff);
	expect("dwc_rootport_80", "L0", "L0", 0x3, 0xfffff);
}

Test(documented, what_sources_exchange_is_not_known)
{
	expect("dwc_rootport_80", "L1_AUX", "", 0, 0);
	expect("dwc_rootport_80", "TX_RX_L0S", "", 0, 0);
}

Test(documented, what_the_plan_gives_itself_is_the_plans)
{
	expect("cxl_pmu_mem0.0", "d2h_req_rdcurr,mask=0x3e", "d2h_req_rdcurr", 0x1e98001000000000, 0xffffffff00000000);
	expect("cxl_pmu_mem0.0", "vid=1,d2h_req_rdcurr,gid=2", "d2h_req_rdcurr", 0x2, 0xffffffff);
	expect("cxl_pmu_mem0.0", "clock_ticks,config=7", "clock_ticks", 0, 0);
	expect("dwc_rootport_80", "rx_memory_read,eventid=1", "rx_memory_read", 0x10000, 0xf0000);
}

Test(documented, what_has_no_documented_name_is_not_known)
{
	expect("cxl_pmu_mem0.0", "vid=0x1e98,gid=0x10,mask=0x2", "", 0, 0);
	expect("cxl_pmu_mem0.0", "rx_memory_read", "", 0, 0);
	expect("dwc_rootport_80", "clock_ticks", "", 0, 0);
	expect("hisi_ptt0_0", "clock_ticks", "", 0, 0);
	expect("cxl_pmu_mem0.0", "", "", 0, 0);
}
