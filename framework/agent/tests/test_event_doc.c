/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Config words of events by name, as the documents have them. */
#include <criterion/criterion.h>
#include <inttypes.h>

#include "framework/agent/events.h"

static void expect(const char *pmu, const char *event, const char *name, struct pv_event_config config,
		   struct pv_event_config mask)
{
	struct pv_event_doc d = pv_event_doc_find(pmu, event);

	cr_expect_str_eq(d.name, name, "%s/%s/: expected event \"%s\", got \"%s\"", pmu, event, name, d.name);
	for (size_t i = 0; i < 3; i++) {
		cr_expect_eq(d.mask.word[i], mask.word[i], "%s/%s/: expected mask %zu 0x%" PRIx64 ", got 0x%" PRIx64,
			     pmu, event, i, mask.word[i], d.mask.word[i]);
		cr_expect_eq(d.config.word[i], config.word[i],
			     "%s/%s/: expected word %zu 0x%" PRIx64 ", got 0x%" PRIx64, pmu, event, i, config.word[i],
			     d.config.word[i]);
	}
}

#define WORDS(...) ((struct pv_event_config){{__VA_ARGS__}})
#define NONE	   WORDS(0)
#define CPMU_ALL   WORDS(UINT64_MAX, 0xfffff, 0xffffffff0000ffff)
#define DWC_ALL	   WORDS(0xfffffff)

Test(documented, cpmu_events_are_their_terms)
{
	expect("cxl_pmu_mem0.0", "clock_ticks", "clock_ticks", WORDS(0x1e98000000000001), CPMU_ALL);
	expect("cxl_pmu_mem3.7", "s2m_ndr_biconflictack", "s2m_ndr_biconflictack", WORDS(0x1e98002400000010), CPMU_ALL);
}

Test(documented, dwc_events_are_a_number_a_type_and_a_lane)
{
	expect("dwc_rootport_80", "rx_memory_read,lane=2", "rx_memory_read", WORDS(0x21070c), DWC_ALL);
	expect("dwc_rootport_80", "L0", "L0", WORDS(0x3), DWC_ALL);
}

Test(documented, what_sources_exchange_is_not_known)
{
	expect("dwc_rootport_80", "L1_AUX", "", NONE, NONE);
	expect("dwc_rootport_80", "TX_RX_L0S", "", NONE, NONE);
}

/* A driver's format/ files may have them at other bits. */
Test(documented, each_term_has_its_bits)
{
	static const struct {
		const char *pmu, *term;
		struct pv_event_config config, mask;
	} rows[] = {
		{"cxl_pmu_mem0.0", "mask=0x5", {{5}}, {{0xffffffff}}},
		{"cxl_pmu_mem0.0", "gid=0x8000", {{0x800000000000}}, {{0xffff00000000}}},
		{"cxl_pmu_mem0.0", "vid=0x19e5", {{0x19e5000000000000}}, {{0xffff000000000000}}},
		{"cxl_pmu_mem0.0", "threshold=0x102", {{0, 0x102}}, {{0, 0xffff}}},
		{"cxl_pmu_mem0.0", "invert=1", {{0, 0x10000}}, {{0, 0x10000}}},
		{"cxl_pmu_mem0.0", "edge", {{0, 0x20000}}, {{0, 0x20000}}},
		{"cxl_pmu_mem0.0", "edge=0", {{0}}, {{0, 0x20000}}},
		{"cxl_pmu_mem0.0", "hdm_filter_en=1", {{0, 0x40000}}, {{0, 0x40000}}},
		{"cxl_pmu_mem0.0", "crb_filter_en=1", {{0, 0x80000}}, {{0, 0x80000}}},
		{"cxl_pmu_mem0.0", "hdm=0x8001", {{0, 0, 0x8001}}, {{0, 0, 0xffff}}},
		{"cxl_pmu_mem0.0", "crb=0x1ffff02", {{0, 0, 0x1ffff0200000000}}, {{0, 0, 0xffffffff00000000}}},
		{"dwc_rootport_80", "eventid=0x705", {{0x705}}, {{0xffff}}},
		{"dwc_rootport_80", "type=1", {{0x10000}}, {{0xf0000}}},
		{"dwc_rootport_80", "lane=15", {{0xf00000}}, {{0xff00000}}},
		{"dwc_rootport_80", "config1=7", {{0, 7}}, {{0, UINT64_MAX}}},
		{"dwc_rootport_80", "threshold=2", {{0}}, {{0}}},
		{"cxl_pmu_mem0.0", "lane=2", {{0}}, {{0}}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(rows[i].pmu, rows[i].term, "", rows[i].config, rows[i].mask);
}

Test(documented, what_the_plan_gives_itself_has_the_last_word)
{
	expect("cxl_pmu_mem0.0", "d2h_req_rdcurr,threshold=3,edge=1", "d2h_req_rdcurr",
	       WORDS(0x1e98001000000002, 0x20003), CPMU_ALL);
	expect("cxl_pmu_mem0.0", "d2h_req_rdcurr,mask=0x3e", "d2h_req_rdcurr", WORDS(0x1e9800100000003e), CPMU_ALL);
	expect("cxl_pmu_mem0.0", "vid=1,d2h_req_rdcurr,gid=2", "d2h_req_rdcurr", WORDS(0x0001000200000002), CPMU_ALL);
	expect("cxl_pmu_mem0.0", "clock_ticks,config=7", "clock_ticks", WORDS(7), CPMU_ALL);
	expect("dwc_rootport_80", "rx_memory_read,eventid=1", "rx_memory_read", WORDS(0x10001), DWC_ALL);
}

/* A driver may have terms of its own, at any bits. */
Test(documented, a_term_without_documentation_has_no_bits)
{
	expect("cxl_pmu_mem0.0", "clock_ticks,new=7", "clock_ticks", WORDS(0x1e98000000000001), CPMU_ALL);
	expect("cxl_pmu_mem0.0", "new=7", "", NONE, NONE);
	expect("hisi_ptt0_0", "threshold=7", "", NONE, NONE);
}

Test(documented, what_has_no_documented_name_is_not_known)
{
	expect("cxl_pmu_mem0.0", "rx_memory_read", "", NONE, NONE);
	expect("dwc_rootport_80", "clock_ticks", "", NONE, NONE);
	expect("hisi_ptt0_0", "clock_ticks", "", NONE, NONE);
	expect("cxl_pmu_mem0.0", "", "", NONE, NONE);
}

Test(documented, other_bits_of_an_event_are_the_drivers)
{
	static const uint64_t config[] = {0xfedcba9876543210, 0xf00000, 0x30000};
	struct pv_event_doc d = pv_event_doc_find("cxl_pmu_mem0.0", "gid=0x10,threshold=3,hdm=4");
	struct pv_event_config c = pv_event_doc_apply(&d, config);

	cr_expect_eq(c.word[0], 0xfedc001076543210);
	cr_expect_eq(c.word[1], 0xf00003);
	cr_expect_eq(c.word[2], 0x30004);
}
