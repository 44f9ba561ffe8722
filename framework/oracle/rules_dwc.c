/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of use of the Synopsys RAS D.E.S. counters: DW-1 to DW-4. */
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/dwc.h"
#include "drivers/regs/pcie.h"
#include "framework/oracle/rules.h"
#include "framework/oracle/rules_internal.h"

#define SELECT_MASK (DWC_EVENT_LANE_MASK | DWC_EVENT_NUMBER_MASK | DWC_EVENT_GROUP_MASK)

enum { GROUPS = 8 };

static bool find(struct pv_rules *r, struct pv_rule_function *f)
{
	f->ras_des = pv_rule_vsec(r, f, false, (uint16_t)f->id, DWC_VSEC_ID);
	f->exp = pv_rule_cap(r, f, PCI_CAP_ID_EXP);
	if (f->ras_des && f->exp)
		f->enabled = calloc(GROUPS, sizeof(*f->enabled));
	return f->enabled;
}

static uint32_t config(const struct pv_rules *r, const struct pv_rule_function *f, uint32_t off)
{
	return (uint32_t)pv_rule_peek(r, f, PV_RULE_CONFIG, off, 4);
}

static unsigned group_of(uint32_t ctl)
{
	return (ctl & DWC_EVENT_GROUP_MASK) >> DWC_EVENT_GROUP_SHIFT;
}

static unsigned event_of(uint32_t ctl)
{
	return (ctl & DWC_EVENT_NUMBER_MASK) >> DWC_EVENT_NUMBER_SHIFT;
}

static unsigned lane_of(uint32_t ctl)
{
	return (ctl & DWC_EVENT_LANE_MASK) >> DWC_EVENT_LANE_SHIFT;
}

/* Only two groups have counters per lane. */
static unsigned counter_of(uint32_t ctl)
{
	unsigned group = group_of(ctl);

	return group == DWC_GROUP_LANE_ERROR || group == DWC_GROUP_SKP ? lane_of(ctl) : 0;
}

/* Returns true if a counter other than the selected one is on, and names it by group << 8 | event. */
static bool another_is_on(const struct pv_rule_function *f, uint32_t ctl, unsigned *which)
{
	for (unsigned group = 0; group < GROUPS; group++)
		for (unsigned event = 0; event < 256; event++) {
			uint32_t on = f->enabled[group][event];

			if (group == group_of(ctl) && event == event_of(ctl))
				on &= ~(1u << counter_of(ctl));
			*which = group << 8 | event;
			if (on)
				return true;
		}
	return false;
}

static void clear(struct pv_rules *r, const struct pv_rule_function *f, const struct pv_rule_access *a, uint32_t ctl)
{
	unsigned other;

	if ((ctl & DWC_EVENT_CLEAR_MASK) == DWC_EVENT_CLEAR_ALL && another_is_on(f, ctl, &other))
		pv_rule_broken(r, a, "DW-1", "all counters cleared while event 0x%03x counts, EVENT_CNT_CTL 0x%08x",
			       other, ctl);
}

static void enable(struct pv_rule_function *f, uint32_t ctl)
{
	unsigned how = (ctl & DWC_EVENT_ENABLE_MASK) >> DWC_EVENT_ENABLE_SHIFT;
	uint32_t *on = group_of(ctl) < GROUPS ? &f->enabled[group_of(ctl)][event_of(ctl)] : NULL;

	if (how == DWC_EVENT_ALL_OFF || how == DWC_EVENT_ALL_ON)
		memset(f->enabled, how == DWC_EVENT_ALL_ON ? UINT8_MAX : 0, GROUPS * sizeof(*f->enabled));
	else if (on && how == DWC_EVENT_SELECTED_ON)
		*on |= 1u << counter_of(ctl);
	else if (on && how == DWC_EVENT_SELECTED_OFF)
		*on &= ~(1u << counter_of(ctl));
}

static void select_event(struct pv_rules *r, struct pv_rule_function *f, const struct pv_rule_access *a)
{
	uint32_t at = f->ras_des + DWC_EVENT_CNT_CTL;
	uint32_t ctl = (uint32_t)pv_rule_merged(a, at, 4, config(r, f, at));
	uint32_t lanes = PCI_EXP_LNKCAP_LANES(config(r, f, f->exp + PCI_EXP_LNKCAP));

	if (lane_of(ctl) >= lanes)
		pv_rule_broken(r, a, "DW-4", "lane %u selected on a link of %u, EVENT_CNT_CTL 0x%08x", lane_of(ctl),
			       lanes, ctl);
	clear(r, f, a, ctl);
	enable(f, ctl);
	f->selected = ctl & SELECT_MASK;
	f->selects = true;
}

static void read_data(struct pv_rules *r, const struct pv_rule_function *f, const struct pv_rule_access *a)
{
	uint32_t ctl = config(r, f, f->ras_des + DWC_EVENT_CNT_CTL);

	/* All ones: the port is gone. */
	if (f->selects && ~ctl && (ctl & SELECT_MASK) != f->selected)
		pv_rule_broken(r, a, "DW-2", "the count of 0x%08x read, and 0x%08x was selected", ctl & SELECT_MASK,
			       f->selected);
}

static void time_write(struct pv_rules *r, const struct pv_rule_function *f, const struct pv_rule_access *a)
{
	uint32_t at = f->ras_des + DWC_TIME_BASED_CTL, old = config(r, f, at);
	uint32_t now = (uint32_t)pv_rule_merged(a, at, 4, old);

	if (old & now & DWC_TIME_START && old != now)
		pv_rule_broken(r, a, "DW-3", "TIME_BASED_CTL changed from 0x%08x to 0x%08x while it measures", old,
			       now);
}

static void on_access(struct pv_rules *r, struct pv_rule_function *f, const struct pv_rule_access *a)
{
	if (!a->write && pv_rule_hits(a, PV_RULE_CONFIG, f->ras_des + DWC_EVENT_CNT_DATA, 4))
		read_data(r, f, a);
	else if (a->write && pv_rule_hits(a, PV_RULE_CONFIG, f->ras_des + DWC_EVENT_CNT_CTL, 4))
		select_event(r, f, a);
	else if (a->write && pv_rule_hits(a, PV_RULE_CONFIG, f->ras_des + DWC_TIME_BASED_CTL, 4))
		time_write(r, f, a);
}

const struct pv_rule_device pv_rule_dwc = {.find = find, .access = on_access};
