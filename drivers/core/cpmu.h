/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CXL Performance Monitoring Unit (CXL 3.0 sections 8.2.7 and 13.2): finding, describing and
 * programming one. This header documents decisions that the specification leaves open.
 *
 * Totals. Counters may be as narrow as one bit and are never stopped to be accounted for: a counter
 * starts at 0, its OVERFLOW bit counts the wraps, and a total is wraps * 2^width + counter. Freeze on
 * overflow is not used: it freezes the whole block until software unfreezes it, and every counter misses the events
 * until then. A wrap loses nothing as long as OVERFLOW is served once per wrap: by the interrupt, or by calling
 * pv_cpmu_service() in time if the device has no interrupt. Two wraps of one counter between two services look like
 * one.
 *
 * Wraps are counted from the OVERFLOW bits alone and never from a counter that went backwards: otherwise a read between
 * a wrap and its interrupt would count the wrap twice.
 *
 * Free-running counters are not used: the device chooses their event, and they neither freeze with a group nor start at
 * 0.
 *
 * Threshold. No event of the specification happens twice in a cycle, and software must set a threshold of 1 for them
 * (13.2): the driver does so if an event asks for 0. Vendor events may happen more often: 0 stays 0, the raw count.
 * Invert has no effect with a threshold of 0.
 *
 * Filters. A filter for an event that it does not serve (table 13-5) and a filter with more than one event are
 * undefined, and refused. The vendor defines the filters of a vendor event.
 *
 * Not reentrant: the caller must not let its interrupt handler (pv_cpmu_service) interrupt the other calls.
 */
#ifndef PV_CORE_CPMU_H
#define PV_CORE_CPMU_H

#include "drivers/core/hw.h"
#include "drivers/regs/cpmu.h"

/* The ABI: fields of perf_event_attr's config, config1 and config2. */
#define PV_CPMU_CONFIG_MASK(c)	       ((uint32_t)((c)&0xffffffff))
#define PV_CPMU_CONFIG_GID(c)	       ((uint16_t)((c) >> 32 & 0xffff))
#define PV_CPMU_CONFIG_VID(c)	       ((uint16_t)((c) >> 48 & 0xffff))
#define PV_CPMU_CONFIG(vid, gid, mask) ((uint64_t)(vid) << 48 | (uint64_t)(gid) << 32 | (uint32_t)(mask))
#define PV_CPMU_CONFIG1_THRESHOLD      0xffffull
#define PV_CPMU_CONFIG1_INVERT	       (1ull << 16)
#define PV_CPMU_CONFIG1_EDGE	       (1ull << 17)
#define PV_CPMU_CONFIG1_HDM_FILTER_EN  (1ull << 18)
#define PV_CPMU_CONFIG1_CRB_FILTER_EN  (1ull << 19)
#define PV_CPMU_CONFIG1_KNOWN	       0xfffffull
#define PV_CPMU_CONFIG2_HDM	       0xffffull
#define PV_CPMU_CONFIG2_CRB_SHIFT      32
#define PV_CPMU_CONFIG2_CRB	       0xffffffff00000000ull

#define PV_CPMU_NO_COUNTER (-1)

/* One register block as the Register Locator tells it. */
struct pv_cpmu_block {
	uint8_t bar;
	uint32_t offset; /* in the BAR */
};

/* One EVENT_CAP register: events that counters of its kind can count. */
struct pv_cpmu_event_cap {
	uint16_t vid, gid;
	uint32_t events;
	bool taken; /* used by a fixed-function or free-running counter: not for configurable ones */
};

/* One event: its configuration, and the count. */
struct pv_cpmu_event {
	uint16_t vid, gid;
	uint32_t mask;
	uint16_t hdm;	   /* HDM decoders, one bit each; if hdm_filter */
	uint32_t crb;	   /* channel, rank, bank group and bank; if crb_filter */
	uint8_t threshold; /* as in COUNTER_CFG */
	bool invert, edge, hdm_filter, crb_filter;

	int counter;	/* PV_CPMU_NO_COUNTER: not running */
	uint64_t total; /* over all its runs; as of the last read or stop */
	uint64_t base;	/* total at the last start */
	uint64_t wraps; /* since the last start */
};

struct pv_cpmu_counter {
	uint64_t cfg;		     /* COUNTER_CFG as last written */
	uint32_t events;	     /* fixed function: the events it counts */
	uint8_t type;		     /* CPMU_CFG_TYPE_* */
	uint8_t cap;		     /* fixed function: index of its EVENT_CAP */
	bool usable;		     /* fixed function or configurable, with a valid description */
	struct pv_cpmu_event *event; /* NULL: free */
};

struct pv_cpmu {
	struct pv_mmio io;
	unsigned counters, width, event_caps;
	unsigned msi; /* message number; valid if `interrupt` */
	bool interrupt, filter_hdm, filter_crb;
	uint64_t width_mask, counters_mask;
	uint64_t used; /* counters that have an event */
	uint64_t held; /* counters between pv_cpmu_hold() and pv_cpmu_release() */
	struct pv_cpmu_event_cap cap[CPMU_EVENT_CAPS_MAX];
	struct pv_cpmu_counter counter[CPMU_COUNTERS_MAX];
};

/*
 * Returns the number of CPMUs in the function's Register Locator. Y of pmu_mem<X>.<Y> counts all of them, including
 * broken ones, so that a broken one does not rename the others.
 */
unsigned pv_cpmu_count(const struct pv_cfg *cfg);

/* Finds CPMU number `n`: 0; -ENOENT: no such entry; -ENODEV and the reason: the entry is invalid. */
int pv_cpmu_find(const struct pv_cfg *cfg, unsigned n, struct pv_cpmu_block *block, const char **why);

/*
 * Reads the capabilities and puts the CPMU into its idle state: everything disabled, masked and unfrozen.
 * 0, or -ENODEV and the reason; a device that is refused is not written to.
 */
int pv_cpmu_init(struct pv_cpmu *pmu, const struct pv_mmio *io, const char **why);

/* Returns to the idle state; running events lose their counters. */
void pv_cpmu_idle(struct pv_cpmu *pmu);

/* Returns true if some counter can count this event. */
bool pv_cpmu_supports(const struct pv_cpmu *pmu, uint16_t vid, uint16_t gid, uint32_t mask);

/* Fills *ev from the ABI's words and checks it against the capabilities: 0 or -EINVAL. */
int pv_cpmu_event_init(const struct pv_cpmu *pmu, uint64_t config, uint64_t config1, uint64_t config2,
		       struct pv_cpmu_event *ev);

/* Returns 0 if all the events fit into an idle CPMU at once, else -ENOSPC. */
int pv_cpmu_group_fits(const struct pv_cpmu *pmu, struct pv_cpmu_event *const *events, unsigned n);

/* Returns 0 if a counter for the event is free now, else -ENOSPC. */
int pv_cpmu_has_room(const struct pv_cpmu *pmu, const struct pv_cpmu_event *ev);

/*
 * A group starts, or stops, in one instant:
 *	pv_cpmu_start(each) ... pv_cpmu_release()
 *	pv_cpmu_hold(all) pv_cpmu_stop(each) ... pv_cpmu_release()
 * Other counters keep running. A block that cannot freeze is refused, as by Linux.
 */

/* Takes a counter and programs it; it counts from the next pv_cpmu_release() on. 0 or -ENOSPC. */
int pv_cpmu_start(struct pv_cpmu *pmu, struct pv_cpmu_event *ev);
/* Stops these counters, one bit each (pv_cpmu_bit). */
void pv_cpmu_hold(struct pv_cpmu *pmu, uint64_t counters);
/* Adds the last count to the total and releases the counter. */
void pv_cpmu_stop(struct pv_cpmu *pmu, struct pv_cpmu_event *ev);
/* Restarts all held counters. */
void pv_cpmu_release(struct pv_cpmu *pmu);

/* Returns the event's counter as a bit; 0: it is not running. */
uint64_t pv_cpmu_bit(const struct pv_cpmu_event *ev);

/* Returns the total, even while the event runs. */
uint64_t pv_cpmu_read(struct pv_cpmu *pmu, struct pv_cpmu_event *ev);

/* Serves the interrupt: accounts for the overflows and clears them. Returns the bits found; 0: not our interrupt. */
uint64_t pv_cpmu_service(struct pv_cpmu *pmu);

#endif
