/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks of memory requests (stat_device.h), as the loop over addresses counts them. */
#ifndef PV_ANALYSIS_STAT_MARKS_H
#define PV_ANALYSIS_STAT_MARKS_H

#include "framework/analysis/stat_device.h"

/* Of writes, of reads, and of what has no marks. */
enum { PV_MARKED_FLOWS = 3 };

struct pv_stat_marks {
	uint32_t places[PV_MARKED_FLOWS][256]; /* by address [5:2], and above it Length [3:0] */
	uint32_t rare[PV_MARKED_FLOWS][PV_MARKS];
};

/* Adds them to those of a device. */
void pv_stat_marks_add(struct pv_stat_device *d, const struct pv_stat_marks *m);

#endif
