/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of use of a CXL memory device: its CPMUs, CP-1 to CP-10, and its mailbox, CX-1. */
#include "drivers/regs/cpmu.h"
#include "drivers/regs/cxl.h"
#include "drivers/regs/pcie.h"
#include "framework/oracle/rules.h"
#include "framework/oracle/rules_internal.h"

/* The events that count, and how: read-only in counters that are not configurable (F-C16). */
#define SELECTION_MASK \
	(CPMU_CFG_EDGE | CPMU_CFG_INVERT | CPMU_CFG_THRESHOLD_MASK | CPMU_CFG_EVENTS_MASK | CPMU_CFG_GROUP_MASK)
#define FIELDS_MASK (CPMU_CFG_INT_ON_OVERFLOW | CPMU_CFG_FREEZE_ON_OVERFLOW | SELECTION_MASK)

/* A CPMU that is accessed. */
struct cpmu {
	struct pv_rules *r;
	const struct pv_rule_function *f;
	const struct pv_rule_access *a;
	const struct pv_rule_block *at;
	uint32_t off; /* of the access, in the block */
};

static uint64_t reg(const struct cpmu *c, uint32_t off, unsigned bytes)
{
	return pv_rule_peek(c->r, c->f, c->at->bar, c->at->off + off, bytes);
}

static uint64_t merged(const struct cpmu *c, uint32_t off, unsigned bytes, uint64_t old)
{
	return pv_rule_merged(c->a, c->at->off + off, bytes, old);
}

static unsigned counters(const struct cpmu *c)
{
	return (unsigned)(reg(c, CPMU_CAP, 8) & CPMU_CAP_COUNTERS_MASK) + 1;
}

/* ---- where the blocks are ---- */

/* Notes the mailbox among the device registers at `block`. */
static void find_mailbox(struct pv_rules *r, struct pv_rule_function *f, const struct pv_rule_block *block)
{
	uint64_t caps = pv_rule_peek(r, f, block->bar, block->off + CXL_DEV_CAPS, 8);

	if (caps & CXL_DEV_CAP_ID_MASK)
		return; /* no array of capabilities, or a BAR that is not decoded and reads as all ones */
	for (unsigned i = 0; i < CXL_DEV_CAPS_ENTRIES(caps); i++) {
		uint32_t at = block->off + CXL_DEV_CAP(i);

		if ((pv_rule_peek(r, f, block->bar, at, 4) & CXL_DEV_CAP_ID_MASK) != CXL_DEV_CAP_ID_MAILBOX)
			continue;
		f->mailbox.bar = block->bar;
		f->mailbox.off = block->off + (uint32_t)pv_rule_peek(r, f, block->bar, at + 4, 4);
		return;
	}
}

static bool find(struct pv_rules *r, struct pv_rule_function *f)
{
	uint32_t locator = pv_rule_vsec(r, f, true, CXL_DVSEC_VENDOR_ID, CXL_DVSEC_REG_LOCATOR_ID);
	uint32_t bytes =
		locator ? (uint32_t)pv_rule_peek(r, f, PV_RULE_CONFIG, locator + PCI_DVSEC_HEADER1, 4) >> 20 : 0;

	for (uint32_t at = CXL_REG_LOCATOR_FIRST; at + CXL_REG_LOCATOR_ENTRY_BYTES <= bytes;
	     at += CXL_REG_LOCATOR_ENTRY_BYTES) {
		uint32_t entry = (uint32_t)pv_rule_peek(r, f, PV_RULE_CONFIG, locator + at, 4);
		struct pv_rule_block block = {(int)(entry & CXL_REG_LOCATOR_BIR_MASK),
					      entry & CXL_REG_LOCATOR_OFF_LO_MASK};
		uint32_t id = (entry & CXL_REG_LOCATOR_ID_MASK) >> CXL_REG_LOCATOR_ID_SHIFT;

		if (id == CXL_REG_BLOCK_CPMU && f->cpmus < PV_RULE_BLOCKS)
			f->cpmu[f->cpmus++] = block;
		else if (id == CXL_REG_BLOCK_MEMDEV)
			find_mailbox(r, f, &block);
	}
	return locator != 0;
}

/* ---- COUNTER_CFG ---- */

/* Returns true if a counter that is not configurable counts from this event group. */
static bool is_fixed_group(const struct cpmu *c, unsigned group)
{
	for (unsigned n = 0; n < counters(c); n++) {
		uint64_t cfg = reg(c, CPMU_COUNTER_CFG(n), 8);

		if ((cfg & CPMU_CFG_TYPE_MASK) != CPMU_CFG_TYPE_CONFIGURABLE && cfg >> CPMU_CFG_GROUP_SHIFT == group)
			return true;
	}
	return false;
}

/* Judges the events that a configurable counter selects. */
static void selects(const struct cpmu *c, unsigned n, uint64_t cfg)
{
	unsigned group = (unsigned)(cfg >> CPMU_CFG_GROUP_SHIFT);
	uint32_t events = (uint32_t)((cfg & CPMU_CFG_EVENTS_MASK) >> CPMU_CFG_EVENTS_SHIFT);
	uint64_t cap = reg(c, CPMU_EVENT_CAP(group), 8);

	if (is_fixed_group(c, group))
		pv_rule_broken(c->r, c->a, "CP-5", "counter %u has event group %u, which belongs to another kind", n,
			       group);
	if (events & ~(uint32_t)cap)
		pv_rule_broken(c->r, c->a, "CP-6", "counter %u selects events 0x%x of group %u, which has 0x%x", n,
			       events, group, (uint32_t)cap);
	if (cap >> CPMU_EVENT_CAP_VID_SHIFT == CXL_DVSEC_VENDOR_ID && !(cfg & CPMU_CFG_THRESHOLD_MASK))
		pv_rule_broken(c->r, c->a, "CP-9",
			       "counter %u is enabled with threshold 0 for group 0x%04x, events 0x%x", n,
			       (unsigned)(cap >> CPMU_EVENT_CAP_GID_SHIFT & 0xffff), events);
}

/* The filter that serves an event group of the specification; CPMU_FILTERS_MAX: none does. */
static unsigned filter_of(uint16_t gid)
{
	if (gid >= 0x20 && gid <= 0x25)
		return CPMU_FILTER_HDM;
	return gid >= 0x8000 && gid <= 0x8003 ? CPMU_FILTER_CRB : CPMU_FILTERS_MAX;
}

static void filters(const struct cpmu *c, unsigned n, uint64_t cfg)
{
	uint64_t supported = (reg(c, CPMU_CAP, 8) & CPMU_CAP_FILTERS_MASK) >> CPMU_CAP_FILTERS_SHIFT;
	uint64_t cap = reg(c, CPMU_EVENT_CAP((unsigned)(cfg >> CPMU_CFG_GROUP_SHIFT)), 8);
	uint64_t events = (cfg & CPMU_CFG_EVENTS_MASK) >> CPMU_CFG_EVENTS_SHIFT;
	uint16_t gid = (uint16_t)(cap >> CPMU_EVENT_CAP_GID_SHIFT);

	for (unsigned f = 0; f < CPMU_FILTERS_MAX; f++) {
		uint32_t value = (uint32_t)reg(c, CPMU_FILTER_CFG(n, f), 4);

		if (!(supported >> f & 1) || value == CPMU_FILTER_NONE)
			continue;
		if (cap >> CPMU_EVENT_CAP_VID_SHIFT == CXL_DVSEC_VENDOR_ID && filter_of(gid) != f)
			pv_rule_broken(c->r, c->a, "CP-7", "counter %u has filter %u = 0x%x for group 0x%04x", n, f,
				       value, gid);
		if (events & (events - 1))
			pv_rule_broken(c->r, c->a, "CP-8", "counter %u has filter %u = 0x%x and events 0x%x", n, f,
				       value, (unsigned)events);
	}
}

static void cfg_write(const struct cpmu *c, unsigned n)
{
	uint64_t old = reg(c, CPMU_COUNTER_CFG(n), 8), cap = reg(c, CPMU_CAP, 8);
	bool configurable = (old & CPMU_CFG_TYPE_MASK) == CPMU_CFG_TYPE_CONFIGURABLE;
	uint64_t read_only = CPMU_CFG_TYPE_MASK | (configurable ? 0 : SELECTION_MASK);
	uint64_t now = (merged(c, CPMU_COUNTER_CFG(n), 8, old) & ~read_only) | (old & read_only);

	if ((old & CPMU_CFG_TYPE_MASK) == CPMU_CFG_TYPE_FREE_RUNNING)
		return;
	/* A write that also takes Enable away stops the counter first: nothing is counted with the new fields. */
	if (old & now & CPMU_CFG_ENABLE && (old ^ now) & FIELDS_MASK)
		pv_rule_broken(c->r, c->a, "CP-1", "COUNTER_CFG %u changed from 0x%llx to 0x%llx while enabled", n,
			       (unsigned long long)old, (unsigned long long)now);
	if ((now & CPMU_CFG_INT_ON_OVERFLOW && !(cap & CPMU_CAP_INTERRUPT)) ||
	    (now & CPMU_CFG_FREEZE_ON_OVERFLOW && !(cap & CPMU_CAP_FREEZE)))
		pv_rule_broken(c->r, c->a, "CP-4", "COUNTER_CFG %u written as 0x%llx, CAP is 0x%llx", n,
			       (unsigned long long)now, (unsigned long long)cap);
	if (now & ~old & CPMU_CFG_ENABLE) {
		if (configurable)
			selects(c, n, now);
		filters(c, n, now);
	}
}

/* ---- the other registers ---- */

static bool is_enabled(const struct cpmu *c, unsigned n)
{
	return reg(c, CPMU_COUNTER_CFG(n), 8) & CPMU_CFG_ENABLE;
}

static void filter_access(const struct cpmu *c)
{
	unsigned n = (c->off - CPMU_FILTER_CFG(0, 0)) / (CPMU_FILTER_CFG(1, 0) - CPMU_FILTER_CFG(0, 0));
	unsigned f = (c->off - CPMU_FILTER_CFG(n, 0)) / (CPMU_FILTER_CFG(0, 1) - CPMU_FILTER_CFG(0, 0));
	uint64_t old = reg(c, CPMU_FILTER_CFG(n, f), 4);

	if (c->a->bytes != 4)
		pv_rule_broken(c->r, c->a, "CP-10", "FILTER_CFG %u,%u accessed by %u bytes", n, f, c->a->bytes);
	if (c->a->write && is_enabled(c, n) && merged(c, CPMU_FILTER_CFG(n, f), 4, old) != old)
		pv_rule_broken(c->r, c->a, "CP-2", "FILTER_CFG %u,%u changed while the counter is enabled", n, f);
}

static void counter_access(const struct cpmu *c)
{
	unsigned n = (c->off - CPMU_COUNTER(0)) / (CPMU_COUNTER(1) - CPMU_COUNTER(0));
	bool writable = reg(c, CPMU_FREEZE, 8) >> n & 1 && reg(c, CPMU_CAP, 8) & CPMU_CAP_WRITABLE_WHEN_FROZEN;

	if (c->a->bytes != 8)
		pv_rule_broken(c->r, c->a, "CP-10", "COUNTER %u accessed by %u bytes", n, c->a->bytes);
	if (c->a->write && is_enabled(c, n) && !writable)
		pv_rule_broken(c->r, c->a, "CP-3", "COUNTER %u written while enabled and not frozen", n);
}

static void cpmu_access(const struct cpmu *c)
{
	unsigned n = counters(c);

	if (c->off >= CPMU_COUNTER_CFG(0) && c->off < CPMU_COUNTER_CFG(n)) {
		if (c->a->write)
			cfg_write(c, (c->off - CPMU_COUNTER_CFG(0)) / (CPMU_COUNTER_CFG(1) - CPMU_COUNTER_CFG(0)));
	} else if (c->off >= CPMU_FILTER_CFG(0, 0) && c->off < CPMU_FILTER_CFG(n, 0)) {
		filter_access(c);
	} else if (c->off >= CPMU_COUNTER(0) && c->off < CPMU_COUNTER(n)) {
		counter_access(c);
	}
}

static void mailbox_write(struct pv_rules *r, const struct pv_rule_function *f, const struct pv_rule_access *a)
{
	uint32_t at = f->mailbox.off;

	if (!pv_rule_hits(a, f->mailbox.bar, at + CXL_MB_COMMAND, 8) &&
	    !(a->bar == f->mailbox.bar && a->off >= at + CXL_MB_PAYLOAD && a->off < at + CXL_MB_PAYLOAD + 0x200))
		return;
	if (pv_rule_peek(r, f, f->mailbox.bar, at + CXL_MB_CTRL, 4) & CXL_MB_DOORBELL)
		pv_rule_broken(r, a, "CX-1", "register 0x%x of the mailbox written while the doorbell is set",
			       a->off - at);
}

static void on_access(struct pv_rules *r, struct pv_rule_function *f, const struct pv_rule_access *a)
{
	if (a->bar == PV_RULE_CONFIG)
		return;
	for (unsigned i = 0; i < f->cpmus; i++)
		if (pv_rule_hits(a, f->cpmu[i].bar, f->cpmu[i].off, CPMU_BLOCK_BYTES)) {
			const struct cpmu c = {r, f, a, &f->cpmu[i], a->off - f->cpmu[i].off};

			/* A block that does not decode reads all ones, and takes nothing. */
			if (~reg(&c, CPMU_CAP, 8))
				cpmu_access(&c);
			return;
		}
	if (a->write && f->mailbox.bar >= 0)
		mailbox_write(r, f, a);
}

const struct pv_rule_device pv_rule_cxl = {.find = find, .access = on_access};
