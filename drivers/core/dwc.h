/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DesignWare PCIe PMU in a Root Port's RAS D.E.S. capability: one counter of 64 bits, on some cores of 32, for
 * time-based analysis, and one of 4, 8 or 32 bits for each lane event. Decisions that the hardware's description
 * leaves open:
 *
 * - Link width, which bounds `lane`, is the port's maximum (Link Capabilities), as in the Linux ABI:
 *   an event can be set up before the link trains, and does not become invalid when it retrains narrower.
 *   The lane field has 4 bits, so that lanes above 15 cannot be asked for on a wider port.
 * - There is no overflow interrupt. Totals are sums of differences: they are exact if pv_dwc_update() is called at
 *   least once per wrap of a counter. User space calls it in pv_sys_poll(), a kernel driver in a timer, so that totals
 *   stay right without reads. It is undocumented whether counters of 4 and 8 bits wrap. If they saturate, events at
 *   the maximum are not counted, so that a total is never too high.
 * - Any number of lane events run at once, since each has its own enable bit; one time-based event.
 * - Groups 0 and 4 have a counter with an enable bit for each lane, the other groups one for the whole port (F-D2).
 *   A counter stays on, and is not cleared, until the last of the events that share it stops.
 * - Somebody else may select another counter: a lane event is read until it is still selected afterwards. A clear by
 *   somebody else cannot be seen.
 * - Some cores lose a count when its event is disabled: it is read before.
 *
 * Not reentrant: the caller serialises the calls for one port.
 */
#ifndef PV_CORE_DWC_H
#define PV_CORE_DWC_H

#include "drivers/core/dwc_events.h"
#include "drivers/core/hw.h"

/* The ABI: fields of perf_event_attr's config. */
#define PV_DWC_CONFIG_EVENTID(c)	   ((unsigned)((c)&0xffff))
#define PV_DWC_CONFIG_TYPE(c)		   ((unsigned)((c) >> 16 & 0xf))
#define PV_DWC_CONFIG_LANE(c)		   ((unsigned)((c) >> 20 & 0xff))
#define PV_DWC_CONFIG_KNOWN		   0x0fffffffull
#define PV_DWC_CONFIG(type, eventid, lane) ((uint64_t)(lane) << 20 | (uint64_t)(type) << 16 | (eventid))

struct pv_dwc_event {
	uint8_t type; /* enum pv_dwc_type */
	uint8_t lane;
	uint8_t scale;
	uint16_t eventid;
	struct pv_dwc_event *next; /* of the lane events that run */
	bool running;
	uint64_t raw;	/* last raw value of the hardware counter */
	uint64_t total; /* over all its runs, in the ABI's units; as of the last update */
};

struct pv_dwc {
	struct pv_cfg cfg;
	uint32_t cap;			  /* offset of the capability */
	unsigned lanes;			  /* lanes that can be asked for */
	struct pv_dwc_event *time;	  /* the time-based event that runs */
	struct pv_dwc_event *lane_events; /* those that run */
};

/*
 * Finds the PMU of a Root Port: 0; -ENOENT: not a Root Port, or no RAS D.E.S. capability of revision 4 of a known
 * vendor. Writes nothing.
 */
int pv_dwc_init(struct pv_dwc *dwc, const struct pv_cfg *cfg);

/* Turns off and clears everything; running events stop. */
void pv_dwc_idle(struct pv_dwc *dwc);

/* Fills *ev from the ABI's word and checks it: 0 or -EINVAL. */
int pv_dwc_event_init(const struct pv_dwc *dwc, uint64_t config, struct pv_dwc_event *ev);

/*
 * Finds out whether the core has the event, by enabling it for a moment: 0 or -EOPNOTSUPP. A core that lacks an event
 * leaves its status at 0. A running event exists.
 */
int pv_dwc_event_probe(const struct pv_dwc *dwc, const struct pv_dwc_event *ev);

/*
 * Starts to count; ev->total continues. -ENOSPC: another time-based event is running; -EINVAL: this event is running;
 * -EIO: as pv_dwc_update().
 */
int pv_dwc_start(struct pv_dwc *dwc, struct pv_dwc_event *ev);

/* Brings ev->total up to date: 0, -ENODEV (the port is gone), -EIO (the counter never held still, or stayed
 * selected). */
int pv_dwc_update(struct pv_dwc *dwc, struct pv_dwc_event *ev);

/* Takes the last count, stops and clears the counter. */
void pv_dwc_stop(struct pv_dwc *dwc, struct pv_dwc_event *ev);

#endif
