/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPMU: checking events, giving them counters, starting, stopping and reading (CXL 3.1 8.2.7). cpmu.h says how totals
 * are kept exact.
 */
#include "drivers/core/cpmu.h"

enum {
	/* A counter that wraps faster than this many register accesses cannot be followed at all. */
	READ_TRIES = 8,
	SERVICE_ROUNDS = 8,
	EVENTS_ONE_PER_CYCLE = 1, /* threshold of events that happen at most once per cycle */
};

static uint64_t rd(const struct pv_cpmu *pmu, uint32_t off)
{
	return pmu->io.read64(pmu->io.ctx, off);
}

static void wr(const struct pv_cpmu *pmu, uint32_t off, uint64_t value)
{
	pmu->io.write64(pmu->io.ctx, off, value);
}

static bool is_free_running(const struct pv_cpmu_counter *c)
{
	return c->type != CPMU_CFG_TYPE_FIXED && c->type != CPMU_CFG_TYPE_CONFIGURABLE;
}

static void write_cfg(struct pv_cpmu *pmu, unsigned i, uint64_t cfg)
{
	pmu->counter[i].cfg = cfg;
	wr(pmu, CPMU_COUNTER_CFG(i), cfg);
}

static uint64_t threshold(unsigned n)
{
	return (uint64_t)n << CPMU_CFG_THRESHOLD_SHIFT;
}

/* COUNTER_CFG of a counter that does nothing: the fields that are read-only, and the others as out of reset. */
static uint64_t idle_cfg(const struct pv_cpmu_counter *c)
{
	if (c->type == CPMU_CFG_TYPE_FIXED)
		return c->cfg & ~(CPMU_CFG_ENABLE | CPMU_CFG_INT_ON_OVERFLOW | CPMU_CFG_FREEZE_ON_OVERFLOW);
	return (c->cfg & CPMU_CFG_TYPE_MASK) | threshold(EVENTS_ONE_PER_CYCLE);
}

/* The filters of an event; NULL: all off, as an earlier user may have left some on. */
static void write_filters(const struct pv_cpmu *pmu, unsigned i, const struct pv_cpmu_event *ev)
{
	if (pmu->filter_hdm)
		pmu->io.write32(pmu->io.ctx, CPMU_FILTER_CFG(i, CPMU_FILTER_HDM),
				ev && ev->hdm_filter ? ev->hdm : CPMU_FILTER_NONE);
	if (pmu->filter_crb)
		pmu->io.write32(pmu->io.ctx, CPMU_FILTER_CFG(i, CPMU_FILTER_CRB),
				ev && ev->crb_filter ? ev->crb : CPMU_FILTER_NONE);
}

void pv_cpmu_idle(struct pv_cpmu *pmu)
{
	unsigned i;

	for (i = 0; i < pmu->counters; i++) {
		struct pv_cpmu_counter *c = &pmu->counter[i];

		if (c->event)
			c->event->counter = PV_CPMU_NO_COUNTER;
		c->event = NULL;
		if (is_free_running(c))
			continue;
		write_cfg(pmu, i, idle_cfg(c));
		write_filters(pmu, i, NULL);
	}
	wr(pmu, CPMU_OVERFLOW, pmu->counters_mask);
	wr(pmu, CPMU_FREEZE, 0);
	pmu->used = 0;
	pmu->held = 0;
}

/* Returns the threshold to program. A vendor's events may happen more than once in a cycle: their 0 stays 0. */
static unsigned threshold_of(const struct pv_cpmu_event *ev)
{
	return ev->threshold || ev->vid != CXL_DVSEC_VENDOR_ID ? ev->threshold : EVENTS_ONE_PER_CYCLE;
}

/*
 * A fixed-function counter counts a fixed sum of events, never a part of it. Its threshold, edge and invert are
 * read-only, so it serves only events that use none of them.
 */
static bool fixed_counts(const struct pv_cpmu *pmu, unsigned i, const struct pv_cpmu_event *ev)
{
	const struct pv_cpmu_counter *c = &pmu->counter[i];

	if (!c->usable || c->type != CPMU_CFG_TYPE_FIXED || c->events != ev->mask)
		return false;
	if (pmu->cap[c->cap].vid != ev->vid || pmu->cap[c->cap].gid != ev->gid)
		return false;
	return !ev->edge && (!ev->threshold || (ev->threshold == EVENTS_ONE_PER_CYCLE && !ev->invert));
}

/* Index of the EVENT_CAP from which a configurable counter can count all of `mask`, or -ENOENT. */
static int configurable_cap(const struct pv_cpmu *pmu, uint16_t vid, uint16_t gid, uint32_t mask)
{
	unsigned i;

	for (i = 0; i < pmu->event_caps; i++) {
		const struct pv_cpmu_event_cap *cap = &pmu->cap[i];

		if (!cap->taken && cap->vid == vid && cap->gid == gid && !(mask & ~cap->events))
			return (int)i;
	}
	return -PV_ENOENT;
}

/*
 * Finds a counter for the event that is not among `taken`; -ENOSPC: none. Fixed-function counters come first, since no
 * other event can use them.
 */
static int choose_counter(const struct pv_cpmu *pmu, const struct pv_cpmu_event *ev, uint64_t taken)
{
	unsigned i;

	for (i = 0; i < pmu->counters; i++)
		if (!(taken >> i & 1) && fixed_counts(pmu, i, ev))
			return (int)i;

	if (configurable_cap(pmu, ev->vid, ev->gid, ev->mask) < 0)
		return -PV_ENOSPC;
	for (i = 0; i < pmu->counters; i++)
		if (!(taken >> i & 1) && pmu->counter[i].type == CPMU_CFG_TYPE_CONFIGURABLE)
			return (int)i;
	return -PV_ENOSPC;
}

bool pv_cpmu_supports(const struct pv_cpmu *pmu, uint16_t vid, uint16_t gid, uint32_t mask)
{
	const struct pv_cpmu_event ev = {.vid = vid, .gid = gid, .mask = mask};

	return mask && choose_counter(pmu, &ev, 0) >= 0;
}

enum { SERVED_HDM = 1, SERVED_CRB = 2 };

/* The filters that serve an event of the specification (CXL 4.0 table 13-5). */
static unsigned served_filters(const struct pv_cpmu_event *ev)
{
	static const struct {
		uint16_t first, last;
		uint8_t filters;
	} groups[] = {{0x0020, 0x0025, SERVED_HDM}, {0x8000, 0x8003, SERVED_CRB}};
	unsigned i;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (ev->gid >= groups[i].first && ev->gid <= groups[i].last)
			return groups[i].filters;
	return 0;
}

/* Returns true if the specification defines the count with the filters that the event asks for. */
static bool filters_defined(const struct pv_cpmu_event *ev)
{
	unsigned wanted = (ev->hdm_filter ? SERVED_HDM : 0) | (ev->crb_filter ? SERVED_CRB : 0);

	if (wanted && ev->mask & (ev->mask - 1))
		return false;
	return ev->vid != CXL_DVSEC_VENDOR_ID || !(wanted & ~served_filters(ev));
}

/* Returns true if the event uses no filter that the device lacks. */
static bool filters_there(const struct pv_cpmu *pmu, uint64_t config1, uint64_t config2)
{
	if (!pmu->filter_hdm && (config1 & PV_CPMU_CONFIG1_HDM_FILTER_EN || config2 & PV_CPMU_CONFIG2_HDM))
		return false;
	return pmu->filter_crb || !(config1 & PV_CPMU_CONFIG1_CRB_FILTER_EN || config2 & PV_CPMU_CONFIG2_CRB);
}

int pv_cpmu_event_init(const struct pv_cpmu *pmu, uint64_t config, uint64_t config1, uint64_t config2,
		       struct pv_cpmu_event *ev)
{
	/* Fields that no format file names, and thresholds that do not fit into the 8-bit field. */
	if (config1 & ~PV_CPMU_CONFIG1_KNOWN || config2 & ~(PV_CPMU_CONFIG2_HDM | PV_CPMU_CONFIG2_CRB))
		return -PV_EINVAL;
	if ((config1 & PV_CPMU_CONFIG1_THRESHOLD) > CPMU_CFG_THRESHOLD_MASK >> CPMU_CFG_THRESHOLD_SHIFT)
		return -PV_EINVAL;
	if (!filters_there(pmu, config1, config2))
		return -PV_EINVAL;

	*ev = (struct pv_cpmu_event){
		.vid = PV_CPMU_CONFIG_VID(config),
		.gid = PV_CPMU_CONFIG_GID(config),
		.mask = PV_CPMU_CONFIG_MASK(config),
		.threshold = (uint8_t)(config1 & PV_CPMU_CONFIG1_THRESHOLD),
		.invert = config1 & PV_CPMU_CONFIG1_INVERT,
		.edge = config1 & PV_CPMU_CONFIG1_EDGE,
		.hdm_filter = config1 & PV_CPMU_CONFIG1_HDM_FILTER_EN,
		.hdm = (uint16_t)config2,
		.crb_filter = config1 & PV_CPMU_CONFIG1_CRB_FILTER_EN,
		.crb = (uint32_t)(config2 >> PV_CPMU_CONFIG2_CRB_SHIFT),
		.counter = PV_CPMU_NO_COUNTER,
	};
	if (!ev->mask || !filters_defined(ev))
		return -PV_EINVAL;
	return choose_counter(pmu, ev, 0) >= 0 ? 0 : -PV_EINVAL;
}

int pv_cpmu_group_fits(const struct pv_cpmu *pmu, struct pv_cpmu_event *const *events, unsigned n)
{
	uint64_t taken = 0;
	unsigned i;

	for (i = 0; i < n; i++) {
		int counter = choose_counter(pmu, events[i], taken);

		if (counter < 0)
			return counter;
		taken |= 1ull << counter;
	}
	return 0;
}

int pv_cpmu_has_room(const struct pv_cpmu *pmu, const struct pv_cpmu_event *ev)
{
	int counter = choose_counter(pmu, ev, pmu->used);

	return counter < 0 ? counter : 0;
}

uint64_t pv_cpmu_bit(const struct pv_cpmu_event *ev)
{
	return ev->counter == PV_CPMU_NO_COUNTER ? 0 : 1ull << ev->counter;
}

/* COUNTER_CFG for the event, not yet enabled. */
static uint64_t event_cfg(const struct pv_cpmu *pmu, unsigned i, const struct pv_cpmu_event *ev)
{
	const struct pv_cpmu_counter *c = &pmu->counter[i];
	uint64_t cfg = idle_cfg(c);

	if (pmu->interrupt)
		cfg |= CPMU_CFG_INT_ON_OVERFLOW;
	if (c->type != CPMU_CFG_TYPE_CONFIGURABLE)
		return cfg;

	cfg &= ~CPMU_CFG_THRESHOLD_MASK;
	cfg |= threshold(threshold_of(ev)) | (uint64_t)ev->mask << CPMU_CFG_EVENTS_SHIFT |
	       (uint64_t)configurable_cap(pmu, ev->vid, ev->gid, ev->mask) << CPMU_CFG_GROUP_SHIFT;
	if (ev->edge)
		cfg |= CPMU_CFG_EDGE;
	if (ev->invert && ev->threshold)
		cfg |= CPMU_CFG_INVERT;
	return cfg;
}

void pv_cpmu_hold(struct pv_cpmu *pmu, uint64_t counters)
{
	if (!(counters & ~pmu->held))
		return;
	pmu->held |= counters;
	wr(pmu, CPMU_FREEZE, pmu->held);
}

void pv_cpmu_release(struct pv_cpmu *pmu)
{
	if (pmu->held)
		wr(pmu, CPMU_FREEZE, 0);
	pmu->held = 0;
}

int pv_cpmu_start(struct pv_cpmu *pmu, struct pv_cpmu_event *ev)
{
	int i = choose_counter(pmu, ev, pmu->used);
	uint64_t cfg;

	if (i < 0)
		return i;
	ev->counter = i;
	ev->base = ev->total;
	pmu->counter[i].event = ev;
	pmu->used |= pv_cpmu_bit(ev);

	pv_cpmu_hold(pmu, pv_cpmu_bit(ev));
	cfg = event_cfg(pmu, (unsigned)i, ev);
	write_cfg(pmu, (unsigned)i, cfg);
	write_filters(pmu, (unsigned)i, ev);
	wr(pmu, CPMU_COUNTER(i), 0);
	wr(pmu, CPMU_OVERFLOW, pv_cpmu_bit(ev));
	ev->wraps = 0; /* cleared here: overflows served before belong to the previous count */
	write_cfg(pmu, (unsigned)i, cfg | CPMU_CFG_ENABLE);
	return 0;
}

/* Reads OVERFLOW; 0 if the block is gone and reads all ones. */
static uint64_t overflowed(const struct pv_cpmu *pmu)
{
	uint64_t bits = rd(pmu, CPMU_OVERFLOW);

	if (bits == ~0ull && rd(pmu, CPMU_CAP) == ~0ull)
		return 0;
	return bits & pmu->counters_mask;
}

uint64_t pv_cpmu_service(struct pv_cpmu *pmu)
{
	uint64_t all = 0;
	unsigned round, i;

	/* Repeats until OVERFLOW is zero: only then does the next overflow send a message. */
	for (round = 0; round < SERVICE_ROUNDS; round++) {
		uint64_t bits = overflowed(pmu);

		if (!bits)
			break;
		wr(pmu, CPMU_OVERFLOW, bits);
		all |= bits;
		for (i = 0; i < pmu->counters; i++)
			if (bits >> i & 1 && pmu->counter[i].event)
				pmu->counter[i].event->wraps++;
	}
	return all;
}

/* The block no longer answers: its counters read all ones, too. */
static bool is_gone(const struct pv_cpmu *pmu, uint64_t counter)
{
	return counter == ~0ull && rd(pmu, CPMU_CAP) == ~0ull;
}

/*
 * Reads a counter and the wraps that belong to it: if no overflow is pending before and after the read, none came
 * between. The last reading stands if the counter is too fast for that.
 */
static void account(struct pv_cpmu *pmu, struct pv_cpmu_event *ev)
{
	uint64_t value = 0, total;
	unsigned tries;

	for (tries = 0; tries < READ_TRIES; tries++) {
		pv_cpmu_service(pmu);
		value = rd(pmu, CPMU_COUNTER(ev->counter));
		if (is_gone(pmu, value))
			return;
		if (!(overflowed(pmu) & pv_cpmu_bit(ev)))
			break;
	}
	total = ev->base + (value & pmu->width_mask);
	if (pmu->width < 64)
		total += ev->wraps << pmu->width;
	/* Only a suspend that takes the registers makes a count fall; a sum of laps of 63 bits and more wraps, too. */
	if (pmu->width > 62 || total > ev->total)
		ev->total = total;
}

uint64_t pv_cpmu_read(struct pv_cpmu *pmu, struct pv_cpmu_event *ev)
{
	if (ev->counter != PV_CPMU_NO_COUNTER)
		account(pmu, ev);
	return ev->total;
}

void pv_cpmu_stop(struct pv_cpmu *pmu, struct pv_cpmu_event *ev)
{
	unsigned i = (unsigned)ev->counter;

	if (ev->counter == PV_CPMU_NO_COUNTER)
		return;
	pv_cpmu_hold(pmu, pv_cpmu_bit(ev));
	account(pmu, ev);

	write_cfg(pmu, i, idle_cfg(&pmu->counter[i]));
	write_filters(pmu, i, NULL);
	pmu->used &= ~pv_cpmu_bit(ev);
	pmu->counter[i].event = NULL;
	ev->counter = PV_CPMU_NO_COUNTER;
}
