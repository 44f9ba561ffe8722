/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of the DesignWare PCIe PMU, by the names of the Linux ABI. One row an event.
 */
#ifndef PV_CORE_DWC_EVENTS_H
#define PV_CORE_DWC_EVENTS_H

#include <stddef.h>
#include <stdint.h>

/* The values of the ABI's `type` field. */
enum pv_dwc_type { PV_DWC_TIME_BASED, PV_DWC_LANE, PV_DWC_TYPES };

struct pv_dwc_named_event {
	const char *name;
	uint8_t type;	  /* enum pv_dwc_type */
	uint16_t eventid; /* time based: the report select; lane: group << 8 | event */
	uint8_t scale;	  /* what one count stands for: 16 bytes, or 1 */
};

extern const struct pv_dwc_named_event pv_dwc_events[];
extern const size_t pv_dwc_events_count;

/* NULL: no such event. */
const struct pv_dwc_named_event *pv_dwc_event_by_id(unsigned type, unsigned eventid);

#endif
