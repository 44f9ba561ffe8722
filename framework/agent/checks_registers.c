/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares a running counter with the registers of its PMU, which are read past the driver. The count only grows, so
 * the registers before and after a read by the driver bound what it may return.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/cpmu.h"
#include "drivers/regs/dwc.h"
#include "drivers/regs/pcie.h"
#include "framework/agent/checks.h"
#include "framework/agent/registers.h"

#define READ_TRIES 8 /* of the two halves of a 64-bit count */

/* The state of a counter according to the registers. */
struct seen {
	uint64_t count, most; /* most: of the hardware's counter, which then begins at 0 again */
	bool counts;	      /* it counts this event */
	bool is_time;	      /* time-based data of a Root Port */
	char text[256];	      /* for messages: the registers that say so */
};

/* ---- RAS D.E.S. ---- */

static bool has_lanes(uint16_t eventid)
{
	return eventid >> 8 == DWC_GROUP_LANE_ERROR || eventid >> 8 == DWC_GROUP_SKP;
}

/* Cores differ in what lanes other than 0 show of a counter of the whole port. */
static bool lane_counts(const struct pv_dwc_query *e, uint64_t ctl)
{
	uint64_t id = (ctl & DWC_EVENT_GROUP_MASK) >> DWC_EVENT_GROUP_SHIFT << 8 |
		      (ctl & DWC_EVENT_NUMBER_MASK) >> DWC_EVENT_NUMBER_SHIFT;

	return id == e->eventid && (ctl & DWC_EVENT_LANE_MASK) >> DWC_EVENT_LANE_SHIFT == e->lane &&
	       (ctl & DWC_EVENT_STATUS || (e->lane && !has_lanes(e->eventid)));
}

static int see_lane(struct pv_session *s, const struct pv_dwc_query *e, uint32_t cap, struct seen *out)
{
	uint64_t ctl;

	if (pv_registers_read(s, e->root_port, -1, cap + DWC_EVENT_CNT_CTL, 4, &ctl) ||
	    pv_registers_read(s, e->root_port, -1, cap + DWC_EVENT_CNT_DATA, 4, &out->count))
		return -1;
	out->most = pv_oracle_dwc_most(e->eventid);
	out->counts = lane_counts(e, ctl);
	snprintf(out->text, sizeof(out->text), "EVENT_CNT_CTL 0x%08" PRIx64, ctl);
	return 0;
}

/* The halves are not latched: a low half is valid if the high half is equal before and after it. */
static int read_halves(struct pv_session *s, pv_bdf port, uint32_t cap, uint64_t *count)
{
	uint64_t high, again, low;

	for (unsigned n = 0; n < READ_TRIES; n++) {
		if (pv_registers_read(s, port, -1, cap + DWC_TIME_BASED_DATA_HI, 4, &high) ||
		    pv_registers_read(s, port, -1, cap + DWC_TIME_BASED_DATA_LO, 4, &low) ||
		    pv_registers_read(s, port, -1, cap + DWC_TIME_BASED_DATA_HI, 4, &again))
			return -1;
		*count = high << 32 | low;
		if (high == again)
			return 0;
	}
	return pv_session_plan_error(s, "TIME_BASED_DATA of %s changes too fast to be read", pv_bdf_text(port).s);
}

static int see_time(struct pv_session *s, const struct pv_dwc_query *e, uint32_t cap, struct seen *out)
{
	uint64_t ctl;

	if (pv_registers_read(s, e->root_port, -1, cap + DWC_TIME_BASED_CTL, 4, &ctl) ||
	    read_halves(s, e->root_port, cap, &out->count))
		return -1;
	out->most = UINT64_MAX;
	out->is_time = true;
	out->counts = ctl & DWC_TIME_START && (ctl & DWC_TIME_REPORT_MASK) >> DWC_TIME_REPORT_SHIFT == e->eventid;
	snprintf(out->text, sizeof(out->text), "TIME_BASED_CTL 0x%08" PRIx64, ctl);
	return 0;
}

static int see_dwc(struct pv_session *s, const struct pv_dwc_query *e, struct seen *out)
{
	uint32_t cap = pv_registers_vsec(s, e->root_port, DWC_VSEC_ID, DWC_VSEC_REV);

	if (!cap)
		return pv_session_plan_error(s, "expected a RAS D.E.S. capability in %s, got none",
					     pv_bdf_text(e->root_port).s);
	return e->lane_event ? see_lane(s, e, cap, out) : see_time(s, e, cap, out);
}

/* ---- CPMU ---- */

/* Returns true if each event counts once, provided that it happens at most once in a cycle (F-C7). */
static bool counts_each(unsigned threshold, bool invert)
{
	return !threshold || (threshold == 1 && !invert);
}

/* A threshold of 0 switches the comparison off, and invert with it (F-C2). */
static bool compares_as_asked(const struct pv_cpmu_query *e, uint64_t cfg)
{
	unsigned threshold = (unsigned)((cfg & CPMU_CFG_THRESHOLD_MASK) >> CPMU_CFG_THRESHOLD_SHIFT);
	bool invert = cfg & CPMU_CFG_INVERT;

	if (e->vid == CXL_DVSEC_VENDOR_ID && counts_each(threshold, invert) && counts_each(e->threshold, e->invert))
		return true;
	return threshold == e->threshold && (!threshold || invert == e->invert);
}

/*
 * Threshold, edge and invert are read-only in counters that are not configurable: they serve only events that ask for
 * none of them (F-C16).
 */
static bool has_options(const struct pv_cpmu_query *e, uint64_t cfg)
{
	if ((cfg & CPMU_CFG_TYPE_MASK) != CPMU_CFG_TYPE_CONFIGURABLE)
		return !e->edge && counts_each(e->threshold, e->invert);
	return !(cfg & CPMU_CFG_EDGE) == !e->edge && compares_as_asked(e, cfg);
}

/* Adds a register of counter i that is not as the event asks for. The first ones fit. */
static void add_register(struct seen *out, const char *name, unsigned i, uint64_t value)
{
	size_t at = strlen(out->text);

	snprintf(out->text + at, sizeof(out->text) - at, ", counter %u: %s 0x%" PRIx64, i, name, value);
}

/* Returns 1 if the filters that are there are as the event asks for, 0 if not, -1: reported. */
static int has_filters(struct pv_session *s, const struct pv_cpmu_registers *b, const struct pv_cpmu_query *e,
		       unsigned i, struct seen *out)
{
	const uint32_t asked[CPMU_FILTERS_MAX] = {
		[CPMU_FILTER_HDM] = e->hdm_enable ? e->hdm : CPMU_FILTER_NONE,
		[CPMU_FILTER_CRB] = e->crb_enable ? e->crb : CPMU_FILTER_NONE,
	};
	uint64_t cap, value;

	if (pv_registers_cpmu_read(s, b, CPMU_CAP, &cap))
		return -1;
	for (unsigned f = 0; f < CPMU_FILTERS_MAX; f++) {
		if (!(cap >> CPMU_CAP_FILTERS_SHIFT >> f & 1))
			continue;
		if (pv_registers_read(s, b->bdf, b->bar, b->off + CPMU_FILTER_CFG(i, f), 4, &value))
			return -1;
		if (value != asked[f]) {
			add_register(out, f == CPMU_FILTER_HDM ? "HDM filter" : "CRB filter", i, value);
			return 0;
		}
	}
	return 1;
}

/* Returns 1 if the counter is enabled and counts the event and nothing else, 0 if not, -1: reported. */
static int counts_event(struct pv_session *s, const struct pv_cpmu_registers *b, const struct pv_cpmu_query *e,
			unsigned i, struct seen *out)
{
	uint64_t cfg, cap;

	if (pv_registers_cpmu_read(s, b, CPMU_COUNTER_CFG(i), &cfg) ||
	    pv_registers_cpmu_read(s, b, CPMU_EVENT_CAP((cfg & CPMU_CFG_GROUP_MASK) >> CPMU_CFG_GROUP_SHIFT), &cap))
		return -1;
	if (!(cfg & CPMU_CFG_ENABLE) || (cfg & CPMU_CFG_EVENTS_MASK) >> CPMU_CFG_EVENTS_SHIFT != e->mask ||
	    (cap & CPMU_EVENT_CAP_VID_MASK) >> CPMU_EVENT_CAP_VID_SHIFT != e->vid ||
	    (cap & CPMU_EVENT_CAP_GID_MASK) >> CPMU_EVENT_CAP_GID_SHIFT != e->gid || !has_options(e, cfg)) {
		if (cfg & (CPMU_CFG_ENABLE | CPMU_CFG_EVENTS_MASK))
			add_register(out, "CFG", i, cfg);
		return 0;
	}
	return has_filters(s, b, e, i, out);
}

static int see_cpmu(struct pv_session *s, const struct pv_counter *c, const struct pv_cpmu_query *e, struct seen *out)
{
	struct pv_cpmu_registers b = {0};
	uint64_t cap, frozen;
	const char *dot = strrchr(c->pmu, '.');

	if (pv_registers_cpmu(s, e->device, dot ? (unsigned)strtoul(dot + 1, NULL, 10) : 0, &b) ||
	    pv_registers_cpmu_read(s, &b, CPMU_CAP, &cap) || pv_registers_cpmu_read(s, &b, CPMU_FREEZE, &frozen))
		return -1;
	unsigned width = (cap & CPMU_CAP_WIDTH_MASK) >> CPMU_CAP_WIDTH_SHIFT, n = (cap & CPMU_CAP_COUNTERS_MASK) + 1;
	int counts = 0;
	snprintf(out->text, sizeof(out->text), "%u counters, FREEZE 0x%" PRIx64, n, frozen);
	for (unsigned i = 0; i < n && !counts; i++) {
		counts = counts_event(s, &b, e, i, out);
		if (counts > 0 && pv_registers_cpmu_read(s, &b, CPMU_COUNTER(i), &out->count))
			return -1;
		out->counts = counts > 0 && !(frozen >> i & 1);
	}
	out->most = width && width < 64 ? (1ull << width) - 1 : UINT64_MAX;
	return counts < 0 ? -1 : 0;
}

/* ---- the check ---- */

static int see(struct pv_session *s, const struct pv_counter *c, struct seen *out)
{
	struct pv_cpmu_query cpmu;
	struct pv_dwc_query dwc;
	int err = pv_check_cpmu_event(c, &cpmu);

	*out = (struct seen){0};
	if (!err)
		return see_cpmu(s, c, &cpmu, out);
	if (!pv_check_dwc_event(c, &dwc))
		return see_dwc(s, &dwc, out);
	return pv_session_plan_error(s, "counter %s: expected a PMU of a Root Port or a CPMU, got %s", c->id, c->pmu);
}

/* Another counter of the PMU may select another event, or may have begun before and share the hardware's. */
static bool is_alone(const struct pv_session *s, const struct pv_counter *c)
{
	for (const struct pv_counter *o = s->counters; o; o = o->next)
		if (o != c && o->event && !strcmp(o->pmu, c->pmu))
			return false;
	return true;
}

static struct pv_counter *running_alone(struct pv_session *s, const struct pv_args *a)
{
	struct pv_counter *c = pv_session_counter(s, pv_arg_text(a, "id"));

	if (!c || (c->running && c->windows == 1 && is_alone(s, c)))
		return c;
	pv_session_plan_error(s, "counter %s: expected it to run since its first start, alone on %s", c->id, c->pmu);
	return NULL;
}

/* 64 bits never wrap: a time-based count that falls is that of a core with 32 bits (F-D7). */
static void find_width(struct seen *before, struct seen *after)
{
	if (after->count < before->count && before->is_time && before->count <= UINT32_MAX)
		before->most = after->most = UINT32_MAX;
}

/*
 * While its event runs, a register changes only by counting up, modulo its width. Clears come from software: by
 * EVENT_CNT_CTL (F-D13), by the start of the next measurement (F-D17), by a write to COUNTER (CXL 8.2.7). A counter of
 * 32 bits or more does not go round between two reads.
 */
static bool has_fallen(const struct seen *before, const struct seen *after)
{
	return before->most >= UINT32_MAX && ((after->count - before->count) & before->most) > before->most / 2;
}

/* Returns true if the value, in counts, is as far from the registers as the tolerance allows, or nearer. */
static bool is_near(uint64_t value, uint64_t unit, double tolerance, const struct seen *before,
		    const struct seen *after)
{
	double slack = (double)before->count * tolerance;
	uint64_t grown = (after->count - before->count) & after->most, below = (uint64_t)slack + 1;

	if (!(tolerance > 0)) /* a double cannot hold all digits */
		return ((value / unit - before->count) & after->most) <= grown;
	double more = (double)((value / unit - before->count + below) & after->most) - (double)below +
		      (double)(value % unit) / (double)unit;
	return more >= -slack && more <= (double)grown + slack;
}

/* Judges the driver's value, which may be the sum of several rounds of the hardware's counter. */
static int judge(struct pv_session *s, const struct pv_args *a, const struct pv_counter *c, const struct seen *before,
		 const struct seen *after)
{
	uint64_t unit = pv_arg_number(a, "unit");
	double tolerance = pv_arg_real(a, "tolerance");

	if (!(tolerance > 0) && c->value % unit)
		return pv_session_judge(s, false, NULL,
					"counter %s: expected a multiple of %" PRIu64 ", got %" PRIu64 ": %s", c->id,
					unit, c->value, c->what);
	return pv_session_judge(s, is_near(c->value, unit, tolerance, before, after), NULL,
				"counter %s: expected what the registers of %s count, %" PRIu64 " to %" PRIu64
				", got %" PRIu64 " (%" PRIu64 " in units of %" PRIu64 "): %s",
				c->id, c->pmu, before->count, after->count, c->value / unit, c->value, unit, c->what);
}

static int do_check_counter_registers(struct pv_session *s, const struct pv_args *a)
{
	struct pv_counter *c = running_alone(s, a);
	struct seen before, after;
	uint64_t least = pv_arg_number(a, "min");

	if (!c || !pv_check_counter_documented(s, c) || see(s, c, &before))
		return -1;
	if (!before.counts)
		return pv_session_judge(s, false, NULL,
					"counter %s: expected registers of %s that count %s, got %s: not that event",
					c->id, c->pmu, c->what, before.text);
	int err = pv_counter_read(s, c);
	if (err)
		return pv_session_expect(s, err, NULL, "reading counter %s on %s", c->id, c->pmu);
	if (see(s, c, &after))
		return -1;
	find_width(&before, &after);
	if (has_fallen(&before, &after))
		return pv_session_judge(s, false, NULL,
					"counter %s: expected registers of %s that only count up, got %" PRIu64
					" after %" PRIu64 ": %s",
					c->id, c->pmu, after.count, before.count, c->what);
	if (before.count < least)
		return pv_session_plan_error(s,
					     "counter %s: expected at least %" PRIu64 " in the registers, got %" PRIu64
					     ": the check proves nothing",
					     c->id, least, before.count);
	return judge(s, a, c, &before, &after);
}

const struct pv_step_def pv_checks_registers[] = {
	{"check-counter-registers", do_check_counter_registers, PV_STEP_CHECK | PV_STEP_DRIVER},
	{NULL},
};
