/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events that the CXL specification itself defines for a CPMU (CXL 3.0 table 13-5), by the names of
 * the Linux ABI. One row per event; a device's capabilities say which it supports (cpmu.h).
 */
#ifndef PV_CORE_CPMU_EVENTS_H
#define PV_CORE_CPMU_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#define PV_CPMU_VID_CXL 0x1e98 /* vendor id of the events in this table */

struct pv_cpmu_named_event {
	const char *name;
	uint16_t gid;
	uint8_t bit; /* in the events mask */
};

extern const struct pv_cpmu_named_event pv_cpmu_events[];
extern const size_t pv_cpmu_events_count;

#endif
