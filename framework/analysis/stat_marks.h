/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters for the marks of memory requests (stat_device.h), filled by the loop over addresses. */
#ifndef PV_ANALYSIS_STAT_MARKS_H
#define PV_ANALYSIS_STAT_MARKS_H

#include "framework/analysis/stat_device.h"

/* Writes, reads, and all other requests, which have no marks. */
enum { PV_MARKED_FLOWS = 3 };

struct pv_stat_marks {
	uint32_t places[PV_MARKED_FLOWS][256]; /* by address [5:2], and Length [3:0] above it */
	uint32_t rare[PV_MARKED_FLOWS][PV_MARKS];
};

/* Adds the counters to the marks of a device. */
void pv_stat_marks_add(struct pv_stat_device *d, const struct pv_stat_marks *m);

#endif
