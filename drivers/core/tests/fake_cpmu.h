/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPMU register file for the tests of the core, made by hand from the register map: it counts what it
 * is told to count, where COUNTER_CFG and FREEZE let it, and it notes every write. A hook before each read
 * makes events happen between two accesses of the driver.
 */
#ifndef PV_TEST_FAKE_CPMU_H
#define PV_TEST_FAKE_CPMU_H

#include <string.h>

#include "drivers/core/cpmu.h"

#define FAKE_LOG_MAX 512

struct fake_cpmu {
	uint64_t cap, overflow, freeze;
	uint64_t event_cap[CPMU_EVENT_CAPS_MAX];
	uint64_t cfg[CPMU_COUNTERS_MAX], counter[CPMU_COUNTERS_MAX];
	uint32_t filter[CPMU_COUNTERS_MAX][8];
	bool gone;
	struct {
		uint32_t off;
		uint64_t value;
	} log[FAKE_LOG_MAX];
	unsigned writes, bad_accesses;
	void (*before_read)(struct fake_cpmu *f, uint32_t off);
	void (*after_write)(struct fake_cpmu *f, uint32_t off);
};

static inline uint64_t fake_width_mask(const struct fake_cpmu *f)
{
	return ~0ull >> (64 - (f->cap >> CPMU_CAP_WIDTH_SHIFT & 0xff));
}

/* The hardware sees `n` events on counter i. */
static inline void fake_count(struct fake_cpmu *f, unsigned i, uint64_t n)
{
	uint64_t mask = fake_width_mask(f);

	if (!(f->cfg[i] & CPMU_CFG_ENABLE) || f->freeze >> i & 1)
		return;
	if (n > mask - f->counter[i])
		f->overflow |= 1ull << i;
	f->counter[i] = (f->counter[i] + n) & mask;
}

static inline uint64_t fake_read64(void *ctx, uint32_t off)
{
	struct fake_cpmu *f = ctx;

	if (f->before_read)
		f->before_read(f, off);
	if (f->gone)
		return ~0ull;
	if (off == CPMU_CAP)
		return f->cap;
	if (off == CPMU_OVERFLOW)
		return f->overflow;
	if (off == CPMU_FREEZE)
		return f->freeze;
	if (off >= CPMU_EVENT_CAP(0) && off < CPMU_EVENT_CAP(CPMU_EVENT_CAPS_MAX))
		return f->event_cap[(off - CPMU_EVENT_CAP(0)) / 8];
	if (off >= CPMU_COUNTER_CFG(0) && off < CPMU_COUNTER_CFG(CPMU_COUNTERS_MAX))
		return f->cfg[(off - CPMU_COUNTER_CFG(0)) / 8];
	if (off >= CPMU_COUNTER(0) && off < CPMU_COUNTER(CPMU_COUNTERS_MAX))
		return f->counter[(off - CPMU_COUNTER(0)) / 8];
	f->bad_accesses++;
	return 0;
}

/* COUNTER_CFG: the type is read-only, and of a fixed-function counter all that says what counts and how. */
static inline void fake_write_cfg(struct fake_cpmu *f, unsigned i, uint64_t value)
{
	uint64_t fixed = CPMU_CFG_TYPE_MASK;

	if ((f->cfg[i] & CPMU_CFG_TYPE_MASK) == CPMU_CFG_TYPE_FIXED)
		fixed |= CPMU_CFG_GROUP_MASK | CPMU_CFG_EVENTS_MASK | CPMU_CFG_THRESHOLD_MASK | CPMU_CFG_EDGE |
			 CPMU_CFG_INVERT;
	f->cfg[i] = (f->cfg[i] & fixed) | (value & ~fixed);
}

static inline void fake_write64(void *ctx, uint32_t off, uint64_t value)
{
	struct fake_cpmu *f = ctx;

	if (f->writes < FAKE_LOG_MAX) {
		f->log[f->writes].off = off;
		f->log[f->writes].value = value;
	}
	f->writes++;

	if (off == CPMU_OVERFLOW) {
		f->overflow &= ~value;
	} else if (off == CPMU_FREEZE) {
		f->freeze = f->cap & CPMU_CAP_FREEZE ? value : 0;
	} else if (off >= CPMU_COUNTER_CFG(0) && off < CPMU_COUNTER_CFG(CPMU_COUNTERS_MAX)) {
		fake_write_cfg(f, (off - CPMU_COUNTER_CFG(0)) / 8, value);
	} else if (off >= CPMU_COUNTER(0) && off < CPMU_COUNTER(CPMU_COUNTERS_MAX)) {
		f->counter[(off - CPMU_COUNTER(0)) / 8] = value & fake_width_mask(f);
	} else {
		f->bad_accesses++;
	}
	if (f->after_write)
		f->after_write(f, off);
}

static inline uint32_t fake_read32(void *ctx, uint32_t off)
{
	struct fake_cpmu *f = ctx;

	if (off >= CPMU_FILTER_CFG(0, 0) && off < CPMU_FILTER_CFG(CPMU_COUNTERS_MAX, 0))
		return f->filter[(off - 0x400) / 32][off % 32 / 4];
	f->bad_accesses++;
	return 0;
}

static inline void fake_write32(void *ctx, uint32_t off, uint32_t value)
{
	struct fake_cpmu *f = ctx;

	f->writes++;
	if (off >= CPMU_FILTER_CFG(0, 0) && off < CPMU_FILTER_CFG(CPMU_COUNTERS_MAX, 0))
		f->filter[(off - 0x400) / 32][off % 32 / 4] = value;
	else
		f->bad_accesses++;
}

static inline struct pv_mmio fake_mmio(struct fake_cpmu *f)
{
	return (struct pv_mmio){f, fake_read32, fake_write32, fake_read64, fake_write64};
}

/* CAP of `counters` counters, `width` bits wide, and `caps` EVENT_CAP registers, with these flags. */
static inline uint64_t fake_cap(unsigned counters, unsigned width, unsigned caps, uint64_t flags)
{
	return (uint64_t)(counters - 1) | (uint64_t)width << CPMU_CAP_WIDTH_SHIFT |
	       (uint64_t)(caps - 1) << CPMU_CAP_EVENT_CAPS_SHIFT | flags;
}

static inline uint64_t fake_event_cap(unsigned vid, unsigned gid, uint32_t events)
{
	return (uint64_t)vid << CPMU_EVENT_CAP_VID_SHIFT | (uint64_t)gid << CPMU_EVENT_CAP_GID_SHIFT | events;
}

static inline uint64_t fake_fixed(unsigned group, uint32_t events)
{
	return CPMU_CFG_TYPE_FIXED | (uint64_t)group << CPMU_CFG_GROUP_SHIFT |
	       (uint64_t)events << CPMU_CFG_EVENTS_SHIFT;
}

#define FAKE_THRESHOLD_1 (1ull << CPMU_CFG_THRESHOLD_SHIFT)

#define FAKE_USUAL (CPMU_CAP_WRITABLE_WHEN_FROZEN | CPMU_CAP_FREEZE | CPMU_CAP_INTERRUPT)

/*
 * The machine of most tests. Counters: 0 fixed clock_ticks, 1 free running, 2 to 4 configurable.
 * EVENT_CAPs: 0 clock_ticks (fixed), 1 D2H requests, 2 DDR, 3 a vendor's, 4 M2S requests.
 */
static inline void fake_usual(struct fake_cpmu *f, unsigned width, uint64_t flags)
{
	unsigned i;

	memset(f, 0, sizeof(*f));
	f->cap = fake_cap(5, width, 5, flags);
	f->event_cap[0] = fake_event_cap(0x1e98, 0x0000, 0x1);
	f->event_cap[1] = fake_event_cap(0x1e98, 0x0010, 0x1fffe);
	f->event_cap[2] = fake_event_cap(0x1e98, 0x8000, 0x7f);
	f->event_cap[3] = fake_event_cap(0x19e5, 0x0042, 0x80000001);
	f->event_cap[4] = fake_event_cap(0x1e98, 0x0020, 0x71f);
	f->cfg[0] = fake_fixed(0, 0x1);
	f->cfg[1] = CPMU_CFG_TYPE_FREE_RUNNING;
	for (i = 2; i < 5; i++)
		f->cfg[i] = CPMU_CFG_TYPE_CONFIGURABLE;
	memset(f->filter, 0xff, sizeof(f->filter));
}

#endif
