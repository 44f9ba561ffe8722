/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of the DesignWare PCIe PMU: one row for each with a name in the Linux ABI, and the numbers of those that only
 * eventid reaches.
 */
#ifndef PV_CORE_DWC_EVENTS_H
#define PV_CORE_DWC_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The values of the ABI's `type` field. */
enum pv_dwc_type { PV_DWC_TIME_BASED, PV_DWC_LANE, PV_DWC_TYPES };

struct pv_dwc_named_event {
	const char *name;
	uint8_t type;	  /* enum pv_dwc_type */
	uint16_t eventid; /* time based: the report select; lane: group << 8 | event */
	uint8_t scale;	  /* units per count: 16 (bytes) or 1 */
};

extern const struct pv_dwc_named_event pv_dwc_events[];
extern const size_t pv_dwc_events_count;

/* Returns true if the number means an event, with or without a name. */
bool pv_dwc_event_exists(unsigned type, unsigned eventid);

/* Returns the units per count of an event. */
uint8_t pv_dwc_event_scale(unsigned type, unsigned eventid);

#endif
