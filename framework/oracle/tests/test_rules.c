/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of use: each one kept and broken, on a machine whose registers are plain memory. */
#include <criterion/criterion.h>
#include <string.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/cxl.h"
#include "drivers/regs/dwc.h"
#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "framework/oracle/rules.h"

enum { PTT, CXL, PORT, CARD, FUNCTIONS };
#define CPMU_AT	    0x20000u
#define DEVICE_AT   0x10000u
#define MAILBOX_AT  (DEVICE_AT + 0x100)
#define BAR_BYTES   0x21000u
#define RAS_AT	    0x200u
#define SRIOV_AT    0x140u
#define LOCATOR_AT  0x100u
#define EXP_AT	    0x40u
#define LANES	    4u
#define FIXED_GROUP 2u

/* Counter 0 is fixed-function, counters 1 and 2 are configurable; both filters, freeze and interrupt are there. */
static uint8_t config[FUNCTIONS][4096], bar[FUNCTIONS][BAR_BYTES];
static bool gone[FUNCTIONS];
static struct pv_rules *rules;
static uint64_t accesses;

static uint8_t *reg(unsigned f, int space, uint32_t off)
{
	return space < 0 ? &config[f][off] : &bar[f][off];
}

static void put(unsigned f, int space, uint32_t off, unsigned bytes, uint64_t value)
{
	memcpy(reg(f, space, off), &value, bytes);
}

static uint64_t get(unsigned f, int space, uint32_t off, unsigned bytes)
{
	uint64_t v = 0;

	memcpy(&v, reg(f, space, off), bytes);
	return v;
}

static uint64_t peek(void *ctx, pv_bdf bdf, int space, uint32_t off, unsigned bytes)
{
	uint32_t end = space < 0 ? sizeof(config[0]) : BAR_BYTES;

	cr_assert_lt(bdf, FUNCTIONS);
	if (gone[bdf] || off + bytes > end)
		return bytes == 8 ? UINT64_MAX : (1ull << 8 * bytes) - 1;
	return get(bdf, space, off, bytes);
}

static void drive(unsigned f, int space, uint32_t off, unsigned bytes, uint64_t value, bool write)
{
	pv_rules_access(rules, &(struct pv_rule_access){accesses++, f, space, off, bytes, value, write});
	if (write)
		put(f, space, off, bytes, value);
}

static void ptt(uint32_t off, uint32_t value)
{
	drive(PTT, PTT_BAR, off, 4, value, true);
}

static void cpmu(uint32_t off, unsigned bytes, uint64_t value)
{
	drive(CXL, 0, CPMU_AT + off, bytes, value, true);
}

static void dwc(uint32_t off, uint32_t value)
{
	drive(PORT, PV_RULE_CONFIG, RAS_AT + off, 4, value, true);
}

static void event_cap(unsigned n, uint16_t vid, uint16_t gid, uint32_t events)
{
	put(CXL, 0, CPMU_AT + CPMU_EVENT_CAP(n), 8, (uint64_t)vid << 48 | (uint64_t)gid << 32 | events);
}

static void build_cxl(void)
{
	put(CXL, -1, PCI_VENDOR_ID, 4, 0x0d931b36);
	put(CXL, -1, LOCATOR_AT, 4, PCI_EXT_CAP_ID_DVSEC | 1 << 16);
	put(CXL, -1, LOCATOR_AT + PCI_DVSEC_HEADER1, 4, CXL_DVSEC_VENDOR_ID | 0x1cu << 20);
	put(CXL, -1, LOCATOR_AT + PCI_DVSEC_HEADER2, 2, CXL_DVSEC_REG_LOCATOR_ID);
	put(CXL, -1, LOCATOR_AT + CXL_REG_LOCATOR_FIRST, 4, DEVICE_AT | CXL_REG_BLOCK_MEMDEV << 8);
	put(CXL, -1, LOCATOR_AT + CXL_REG_LOCATOR_FIRST + 8, 4, CPMU_AT | CXL_REG_BLOCK_CPMU << 8);
	put(CXL, 0, DEVICE_AT + CXL_DEV_CAPS, 8, 1ull << 32);
	put(CXL, 0, DEVICE_AT + CXL_DEV_CAP(0), 4, CXL_DEV_CAP_ID_MAILBOX);
	put(CXL, 0, DEVICE_AT + CXL_DEV_CAP(0) + 4, 4, MAILBOX_AT - DEVICE_AT);
	put(CXL, 0, CPMU_AT + CPMU_CAP, 8,
	    2 | CPMU_CAP_FILTER_HDM | CPMU_CAP_FILTER_CRB | CPMU_CAP_FREEZE | CPMU_CAP_INTERRUPT |
		    CPMU_CAP_WRITABLE_WHEN_FROZEN);
	event_cap(0, CXL_DVSEC_VENDOR_ID, 0x20, 0x7);
	event_cap(1, 0x1234, 0x20, 0xff);
	event_cap(FIXED_GROUP, CXL_DVSEC_VENDOR_ID, 0x00, 0x1);
	event_cap(3, CXL_DVSEC_VENDOR_ID, 0x8000, 0x7f);
	event_cap(4, CXL_DVSEC_VENDOR_ID, 0x10, 0x7e);
	put(CXL, 0, CPMU_AT + CPMU_COUNTER_CFG(0), 8,
	    CPMU_CFG_TYPE_FIXED | (uint64_t)FIXED_GROUP << CPMU_CFG_GROUP_SHIFT);
	for (unsigned n = 0; n < 3; n++) {
		put(CXL, 0, CPMU_AT + CPMU_FILTER_CFG(n, 0), 8, UINT64_MAX);
		if (n)
			put(CXL, 0, CPMU_AT + CPMU_COUNTER_CFG(n), 8, CPMU_CFG_TYPE_CONFIGURABLE);
	}
}

static void build(void)
{
	memset(config, 0, sizeof(config));
	memset(bar, 0, sizeof(bar));
	memset(gone, 0, sizeof(gone));
	put(PTT, -1, PCI_VENDOR_ID, 4, PTT_VENDOR_ID | (uint64_t)PTT_DEVICE_ID << 16);
	put(PTT, PTT_BAR, PTT_TRACE_STS, 4, PTT_TRACE_STS_IDLE);
	build_cxl();
	put(PORT, -1, PCI_VENDOR_ID, 4, DWC_VENDOR_ALIBABA | 0x8000u << 16);
	put(PORT, -1, PCI_CAPABILITIES, 1, EXP_AT);
	put(PORT, -1, EXP_AT, 2, PCI_CAP_ID_EXP);
	put(PORT, -1, EXP_AT + PCI_EXP_LNKCAP, 4, LANES << PCI_EXP_LNKCAP_WIDTH_SHIFT);
	put(PORT, -1, PCI_EXT_CAP_START, 4, PCI_EXT_CAP_ID_AER | RAS_AT << 20);
	put(PORT, -1, RAS_AT, 4, PCI_EXT_CAP_ID_VSEC);
	put(PORT, -1, RAS_AT + PCI_VSEC_HEADER, 4, DWC_VSEC_ID | DWC_VSEC_REV << 16);
	put(CARD, -1, PCI_VENDOR_ID, 4, 0x10e01b36);
	put(CARD, -1, PCI_EXT_CAP_START, 4, PCI_EXT_CAP_ID_AER | SRIOV_AT << 20);
	put(CARD, -1, SRIOV_AT, 4, PCI_EXT_CAP_ID_SRIOV);
	rules = pv_rules_new(&(struct pv_rule_machine){NULL, peek});
	accesses = 0;
}

static void take_down(void)
{
	pv_rules_free(rules);
}

TestSuite(rules, .init = build, .fini = take_down);

/* Expects that nothing but `rule` was broken so far, `count` times; NULL: nothing at all. */
static void expect_broken(const char *rule, uint64_t count)
{
	const struct pv_rule_break *b;
	size_t n = pv_rules_broken(rules, &b);

	cr_assert_eq(n, rule != NULL, "%zu broken, the first %s: %s", n, n ? b->rule : "", n ? b->text : "");
	if (!rule)
		return;
	cr_expect_str_eq(b->rule, rule, "%s: %s", b->rule, b->text);
	cr_expect_eq(b->count, count, "%s: %llu times", b->rule, (unsigned long long)b->count);
}

/* ---- PTT ---- */

#define TRACE(direction, type, more)                                                                                  \
	(PTT_TRACE_CTRL_EN | (direction) << PTT_TRACE_CTRL_RXTX_SEL_SHIFT | (type) << PTT_TRACE_CTRL_TYPE_SEL_SHIFT | \
	 (more))

static void ptt_start(uint32_t ctrl)
{
	ptt(PTT_TRACE_CTRL, PTT_TRACE_CTRL_RST);
	ptt(PTT_TRACE_CTRL, 0);
	ptt(PTT_TRACE_INT_STAT, 0xf);
	ptt(PTT_TRACE_INT_MASK, 0);
	ptt(PTT_TRACE_CTRL, ctrl);
}

Test(rules, a_trace_that_follows_the_sequence_breaks_none)
{
	ptt(PTT_TRACE_ADDR_SIZE, 0x400000);
	ptt(PTT_TRACE_ADDR_BASE_LO(0), 0x1000);
	ptt_start(TRACE(PTT_DIR_IN, 7, 0));
	ptt(PTT_TRACE_INT_STAT, 1);
	ptt(PTT_TRACE_CTRL, 0);
	ptt_start(TRACE(PTT_DIR_B, 1, 0));
	ptt(PTT_TRACE_CTRL, 0);
	ptt_start(TRACE(PTT_DIR_B, 3, PTT_TRACE_CTRL_DATA_FORMAT)); /* inbound alone */
	ptt(PTT_TUNING_CTRL, PTT_TUNE_QOS_TX_P);
	ptt(PTT_TUNING_DATA, 1);
	expect_broken(NULL, 0);
}

Test(rules, pt1_buffers_stay_while_a_trace_runs)
{
	ptt_start(TRACE(PTT_DIR_IN, 7, 0));
	ptt(PTT_TRACE_ADDR_BASE_HI(3), 1);
	expect_broken("PT-1", 1);
}

Test(rules, pt1_a_running_trace_keeps_its_selection)
{
	ptt_start(TRACE(PTT_DIR_IN, 7, 0));
	ptt(PTT_TRACE_CTRL, TRACE(PTT_DIR_IN, 1, 0));
	expect_broken("PT-1", 1);
}

Test(rules, pt2_buffers_stay_until_the_engine_is_idle)
{
	put(PTT, PTT_BAR, PTT_TRACE_STS, 4, 0);
	ptt(PTT_TRACE_ADDR_SIZE, 0x1000);
	ptt(PTT_TRACE_ADDR_BASE_LO(1), 0x1000);
	expect_broken("PT-2", 2);
}

Test(rules, pt3_each_trace_begins_with_a_reset)
{
	ptt_start(TRACE(PTT_DIR_IN, 7, 0));
	ptt(PTT_TRACE_CTRL, 0);
	ptt(PTT_TRACE_CTRL, TRACE(PTT_DIR_IN, 7, 0));
	expect_broken("PT-3", 1);
}

Test(rules, pt3_no_trace_begins_if_the_reset_does_not_end)
{
	put(PTT, PTT_BAR, PTT_TRACE_WR_STS, 4, 16);
	ptt(PTT_TRACE_CTRL, PTT_TRACE_CTRL_RST);
	ptt(PTT_TRACE_CTRL, 0);
	ptt(PTT_TRACE_CTRL, TRACE(PTT_DIR_IN, 7, 0));
	expect_broken("PT-3", 1);
}

Test(rules, pt4_tuning_waits_for_the_one_before)
{
	put(PTT, PTT_BAR, PTT_TUNING_INT_STAT, 4, PTT_TUNING_INT_STAT_BUSY);
	ptt(PTT_TUNING_CTRL, PTT_TUNE_QOS_TX_P);
	expect_broken("PT-4", 1);
}

Test(rules, pt5_eight_dwords_have_no_direction_0)
{
	ptt_start(TRACE(PTT_DIR_IN, 1, PTT_TRACE_CTRL_DATA_FORMAT));
	expect_broken("PT-5", 1);
}

Test(rules, pt5_outbound_has_one_type)
{
	ptt_start(TRACE(PTT_DIR_OUT, 5, PTT_TRACE_CTRL_DATA_FORMAT));
	ptt(PTT_TRACE_CTRL, 0);
	ptt_start(TRACE(PTT_DIR_A, 3, 0)); /* 4DW: outbound, too */
	expect_broken("PT-5", 2);
}

/* ---- SR-IOV ---- */

static void card(uint32_t off, uint32_t value)
{
	drive(CARD, PV_RULE_CONFIG, SRIOV_AT + off, 2, value, true);
}

Test(rules, sr1_numvfs_is_written_before_vf_enable)
{
	card(PCI_SRIOV_NUM_VF, 2);
	card(PCI_SRIOV_CTRL, PCI_SRIOV_CTRL_VFE);
	expect_broken(NULL, 0);
	card(PCI_SRIOV_NUM_VF, 2);
	expect_broken("SR-1", 1);
	card(PCI_SRIOV_CTRL, 0);
	card(PCI_SRIOV_NUM_VF, 3);
	expect_broken("SR-1", 1);
}

/* ---- CPMU ---- */

#define EVENTS(group, mask)                                                       \
	(CPMU_CFG_TYPE_CONFIGURABLE | (uint64_t)(group) << CPMU_CFG_GROUP_SHIFT | \
	 (uint64_t)(mask) << CPMU_CFG_EVENTS_SHIFT)
#define THRESHOLD(n) ((uint64_t)(n) << CPMU_CFG_THRESHOLD_SHIFT)
#define ON	     CPMU_CFG_ENABLE

static void cfg(unsigned n, uint64_t value)
{
	cpmu(CPMU_COUNTER_CFG(n), 8, value);
}

Test(rules, a_counter_that_is_used_as_the_text_says_breaks_none)
{
	cpmu(CPMU_FREEZE, 8, 7);
	cpmu(CPMU_FILTER_CFG(1, 0), 4, 0x3);
	cpmu(CPMU_COUNTER(1), 8, 0);
	cfg(1, EVENTS(0, 1) | THRESHOLD(1));
	cfg(1, EVENTS(0, 1) | THRESHOLD(1) | ON | CPMU_CFG_INT_ON_OVERFLOW);
	cpmu(CPMU_COUNTER(1), 8, 5); /* enabled, and frozen */
	cpmu(CPMU_FREEZE, 8, 0);
	drive(CXL, 0, CPMU_AT + CPMU_COUNTER(1), 8, 5, false);
	cfg(1, EVENTS(0, 0));	   /* stops it, whatever else changes */
	cfg(2, EVENTS(1, 6) | ON); /* vendor events: their threshold is the vendor's */
	expect_broken(NULL, 0);
}

Test(rules, cp1_an_enabled_counter_keeps_its_fields)
{
	cfg(1, EVENTS(0, 1) | THRESHOLD(1) | ON);
	cfg(1, EVENTS(0, 2) | THRESHOLD(1) | ON);
	cpmu(CPMU_COUNTER_CFG(1) + 2, 1, 3); /* the threshold by a byte */
	expect_broken("CP-1", 2);
}

Test(rules, cp2_an_enabled_counter_keeps_its_filters)
{
	cfg(1, EVENTS(0, 1) | THRESHOLD(1) | ON);
	cpmu(CPMU_FILTER_CFG(1, 0), 4, UINT32_MAX); /* as it was */
	expect_broken(NULL, 0);
	cpmu(CPMU_FILTER_CFG(1, 0), 4, 1);
	expect_broken("CP-2", 1);
}

Test(rules, cp3_a_counter_that_counts_keeps_its_data)
{
	cfg(1, EVENTS(0, 1) | THRESHOLD(1) | ON);
	cpmu(CPMU_COUNTER(1), 8, 0);
	expect_broken("CP-3", 1);
}

Test(rules, cp3_frozen_is_not_enough_where_it_is_not_writable)
{
	put(CXL, 0, CPMU_AT + CPMU_CAP, 8, 2 | CPMU_CAP_FREEZE);
	cfg(1, EVENTS(0, 1) | THRESHOLD(1) | ON);
	cpmu(CPMU_FREEZE, 8, 2);
	cpmu(CPMU_COUNTER(1), 8, 0);
	expect_broken("CP-3", 1);
}

Test(rules, cp4_interrupt_and_freeze_are_capabilities)
{
	put(CXL, 0, CPMU_AT + CPMU_CAP, 8, 2);
	cfg(1, EVENTS(0, 1) | CPMU_CFG_INT_ON_OVERFLOW);
	cfg(2, EVENTS(0, 1) | CPMU_CFG_FREEZE_ON_OVERFLOW);
	expect_broken("CP-4", 2);
}

Test(rules, cp5_the_group_of_a_fixed_counter_serves_no_other)
{
	cfg(1, EVENTS(FIXED_GROUP, 1) | THRESHOLD(1) | ON);
	expect_broken("CP-5", 1);
}

Test(rules, cp5_the_type_of_a_counter_is_read_only)
{
	cfg(1, (EVENTS(FIXED_GROUP, 1) & ~CPMU_CFG_TYPE_MASK) | THRESHOLD(1) | ON);
	expect_broken("CP-5", 1);
}

Test(rules, cp6_only_events_that_the_group_has)
{
	cfg(1, EVENTS(0, 8) | THRESHOLD(1) | ON);
	expect_broken("CP-6", 1);
}

Test(rules, cp7_a_filter_serves_its_groups_only)
{
	cpmu(CPMU_FILTER_CFG(1, CPMU_FILTER_HDM), 4, 1);
	cfg(1, EVENTS(4, 2) | THRESHOLD(1) | ON); /* CXL.cache */
	cfg(1, EVENTS(4, 2));
	cfg(1, EVENTS(3, 1) | THRESHOLD(1) | ON); /* DDR has the other one */
	expect_broken("CP-7", 2);
}

Test(rules, cp7_the_ddr_filter_serves_ddr)
{
	cpmu(CPMU_FILTER_CFG(1, CPMU_FILTER_CRB), 4, 0x0004ff00);
	cfg(1, EVENTS(3, 1) | THRESHOLD(1) | ON);
	expect_broken(NULL, 0);
	cfg(1, EVENTS(3, 1));
	cfg(1, EVENTS(0, 1) | THRESHOLD(1) | ON);
	expect_broken("CP-7", 1);
}

/* Counter 0 counts DDR events; Enable alone is written. */
Test(rules, cp7_the_group_of_a_fixed_counter_is_read_only)
{
	const uint64_t fixed = CPMU_CFG_TYPE_FIXED | 3ull << CPMU_CFG_GROUP_SHIFT | 1ull << CPMU_CFG_EVENTS_SHIFT;

	put(CXL, 0, CPMU_AT + CPMU_COUNTER_CFG(0), 8, fixed | THRESHOLD(1));
	cpmu(CPMU_FILTER_CFG(0, CPMU_FILTER_CRB), 4, 0x0004ff00);
	cfg(0, ON);
	expect_broken(NULL, 0);
	put(CXL, 0, CPMU_AT + CPMU_COUNTER_CFG(0), 8, fixed | THRESHOLD(1));
	cpmu(CPMU_FILTER_CFG(0, CPMU_FILTER_HDM), 4, 1);
	cfg(0, ON);
	expect_broken("CP-7", 1);
}

Test(rules, cp8_a_filter_takes_one_event)
{
	cpmu(CPMU_FILTER_CFG(1, CPMU_FILTER_HDM), 4, 1);
	cfg(1, EVENTS(0, 3) | THRESHOLD(1) | ON);
	expect_broken("CP-8", 1);
}

Test(rules, cp9_events_of_the_specification_have_threshold_1)
{
	cfg(1, EVENTS(0, 1) | ON);
	cfg(1, EVENTS(0, 1) | ON); /* nothing is enabled anew */
	expect_broken("CP-9", 1);
}

Test(rules, cp9_the_threshold_of_a_fixed_counter_is_the_hardwares)
{
	cfg(0, CPMU_CFG_TYPE_FIXED | (uint64_t)FIXED_GROUP << CPMU_CFG_GROUP_SHIFT | ON);
	expect_broken(NULL, 0);
}

Test(rules, cp1_read_only_fields_do_not_change)
{
	put(CXL, 0, CPMU_AT + CPMU_COUNTER_CFG(0), 8, CPMU_CFG_TYPE_FIXED | THRESHOLD(1) | ON);
	cfg(0, CPMU_CFG_TYPE_FIXED | ON);
	expect_broken(NULL, 0);
}

Test(rules, cp10_counters_by_8_bytes_and_filters_by_4)
{
	cpmu(CPMU_FILTER_CFG(1, 0), 8, UINT64_MAX);
	cpmu(CPMU_COUNTER(1), 4, 0);
	drive(CXL, 0, CPMU_AT + CPMU_COUNTER(1) + 4, 4, 0, false);
	expect_broken("CP-10", 3);
}

Test(rules, a_block_that_does_not_decode_has_no_rules)
{
	put(CXL, 0, CPMU_AT + CPMU_CAP, 8, UINT64_MAX);
	cfg(1, EVENTS(0, 8) | ON);
	expect_broken(NULL, 0);
}

/* ---- mailbox ---- */

Test(rules, cx1_the_mailbox_is_left_alone_while_it_works)
{
	drive(CXL, 0, MAILBOX_AT + CXL_MB_PAYLOAD, 8, 1, true);
	drive(CXL, 0, MAILBOX_AT + CXL_MB_COMMAND, 8, 0x4000, true);
	drive(CXL, 0, MAILBOX_AT + CXL_MB_CTRL, 4, CXL_MB_DOORBELL, true);
	expect_broken(NULL, 0);
	drive(CXL, 0, MAILBOX_AT + CXL_MB_PAYLOAD + 8, 8, 1, true);
	drive(CXL, 0, MAILBOX_AT + CXL_MB_COMMAND, 4, 0x4000, true);
	expect_broken("CX-1", 2);
}

/* While a BAR is not decoded, its registers read as all ones: no 65,535 capabilities. */
Test(rules, device_registers_without_an_array_of_capabilities_have_no_mailbox)
{
	put(CXL, 0, DEVICE_AT + CXL_DEV_CAPS, 8, UINT64_MAX);
	drive(CXL, 0, MAILBOX_AT + CXL_MB_CTRL, 4, CXL_MB_DOORBELL, true);
	drive(CXL, 0, MAILBOX_AT + CXL_MB_PAYLOAD, 8, 1, true);
	expect_broken(NULL, 0);
}

/* ---- DWC ---- */

#define SELECT(event, lane)                                                                              \
	(((uint32_t)(event) >> 8) << DWC_EVENT_GROUP_SHIFT | ((event)&0xffu) << DWC_EVENT_NUMBER_SHIFT | \
	 (uint32_t)(lane) << DWC_EVENT_LANE_SHIFT)
#define ENABLE(how) ((uint32_t)(how) << DWC_EVENT_ENABLE_SHIFT)

static void count(uint32_t event, unsigned lane)
{
	dwc(DWC_EVENT_CNT_CTL, SELECT(event, lane) | DWC_EVENT_CLEAR_SELECTED);
	dwc(DWC_EVENT_CNT_CTL, SELECT(event, lane) | ENABLE(DWC_EVENT_SELECTED_ON));
}

static void read_count(void)
{
	drive(PORT, PV_RULE_CONFIG, RAS_AT + DWC_EVENT_CNT_DATA, 4, 0, false);
}

Test(rules, several_events_side_by_side_break_none)
{
	dwc(DWC_EVENT_CNT_CTL, DWC_EVENT_CLEAR_ALL | ENABLE(DWC_EVENT_ALL_OFF));
	count(0x600, 0);
	count(0x005, 3);
	dwc(DWC_EVENT_CNT_CTL, SELECT(0x600, 0));
	read_count();
	dwc(DWC_EVENT_CNT_CTL, SELECT(0x600, 0) | ENABLE(DWC_EVENT_SELECTED_OFF));
	dwc(DWC_EVENT_CNT_CTL, SELECT(0x005, 3) | DWC_EVENT_CLEAR_ALL); /* the only one that is left */
	dwc(DWC_TIME_BASED_CTL, 0x20u << DWC_TIME_REPORT_SHIFT | DWC_TIME_START);
	dwc(DWC_TIME_BASED_CTL, 0x20u << DWC_TIME_REPORT_SHIFT);
	dwc(DWC_TIME_BASED_CTL, 0x21u << DWC_TIME_REPORT_SHIFT | DWC_TIME_START);
	expect_broken(NULL, 0);
}

Test(rules, dw1_nobody_clears_what_another_event_counts)
{
	count(0x005, 3);
	count(0x600, 0);
	dwc(DWC_EVENT_CNT_CTL, SELECT(0x600, 0) | DWC_EVENT_CLEAR_ALL);
	expect_broken("DW-1", 1);
}

Test(rules, dw1_all_that_were_enabled_at_once_count)
{
	dwc(DWC_EVENT_CNT_CTL, SELECT(0x600, 0) | ENABLE(DWC_EVENT_ALL_ON));
	dwc(DWC_EVENT_CNT_CTL, SELECT(0x600, 0) | DWC_EVENT_CLEAR_ALL);
	expect_broken("DW-1", 1);
	dwc(DWC_EVENT_CNT_CTL, ENABLE(DWC_EVENT_ALL_OFF));
	dwc(DWC_EVENT_CNT_CTL, DWC_EVENT_CLEAR_ALL);
	expect_broken("DW-1", 1);
}

Test(rules, dw1_another_lane_is_another_counter)
{
	count(0x005, 3);
	dwc(DWC_EVENT_CNT_CTL, SELECT(0x005, 2) | DWC_EVENT_CLEAR_ALL);
	expect_broken("DW-1", 1);
}

Test(rules, dw1_a_machine_that_begins_anew_has_no_events)
{
	count(0x005, 3);
	pv_rules_restart(rules);
	dwc(DWC_EVENT_CNT_CTL, DWC_EVENT_CLEAR_ALL | ENABLE(DWC_EVENT_ALL_OFF));
	expect_broken(NULL, 0);
}

Test(rules, dw2_the_count_read_is_the_one_selected)
{
	count(0x600, 0);
	put(PORT, -1, RAS_AT + DWC_EVENT_CNT_CTL, 4, SELECT(0x601, 0)); /* another master */
	read_count();
	expect_broken("DW-2", 1);
}

Test(rules, dw2_a_port_that_is_gone_selects_nothing)
{
	count(0x600, 0);
	gone[PORT] = true;
	read_count();
	expect_broken(NULL, 0);
}

Test(rules, dw3_a_measurement_ends_before_the_next_begins)
{
	dwc(DWC_TIME_BASED_CTL, 0x20u << DWC_TIME_REPORT_SHIFT | DWC_TIME_START);
	dwc(DWC_TIME_BASED_CTL, 0x21u << DWC_TIME_REPORT_SHIFT | DWC_TIME_START);
	expect_broken("DW-3", 1);
}

Test(rules, dw4_a_lane_is_one_of_the_link)
{
	dwc(DWC_EVENT_CNT_CTL, SELECT(0x005, LANES - 1));
	expect_broken(NULL, 0);
	dwc(DWC_EVENT_CNT_CTL, SELECT(0x005, LANES));
	expect_broken("DW-4", 1);
}

/* ---- the judge ---- */

Test(rules, the_first_break_is_told_with_its_access)
{
	const struct pv_rule_break *b;

	cfg(1, EVENTS(0, 1) | ON);
	cfg(2, EVENTS(0, 2) | ON);
	cr_assert_eq(pv_rules_broken(rules, &b), 1);
	cr_expect_eq(b->count, 2);
	cr_expect_eq(b->access.number, 0);
	cr_expect_eq(b->access.off, CPMU_AT + CPMU_COUNTER_CFG(1));
	cr_expect_str_eq(b->text, "counter 1 is enabled with threshold 0 for group 0x0020, events 0x1");
}

Test(rules, accesses_are_counted_over_all_starts)
{
	cr_expect_eq(pv_rules_accesses(rules), 0);
	drive(PORT, PV_RULE_CONFIG, PCI_VENDOR_ID, 4, 0, false);
	pv_rules_restart(rules);
	drive(PTT, PTT_BAR, PTT_TRACE_CTRL, 4, 0, true);
	cr_expect_eq(pv_rules_accesses(rules), 2);
}

Test(rules, a_function_that_is_not_there_has_no_rules)
{
	gone[CXL] = true;
	cfg(1, EVENTS(0, 8) | ON);
	expect_broken(NULL, 0);
}

Test(rules, another_function_in_the_same_place_is_looked_at_anew)
{
	cfg(1, EVENTS(0, 1) | THRESHOLD(1));
	put(CXL, -1, PCI_VENDOR_ID, 4, PTT_VENDOR_ID | (uint64_t)PTT_DEVICE_ID << 16);
	drive(CXL, PTT_BAR, PTT_TRACE_ADDR_SIZE, 4, 0x1000, true);
	expect_broken("PT-2", 1);
}
