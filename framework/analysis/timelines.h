/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timelines of up to PV_TIMELINES requesters, in bounded memory. The result does not depend on the order of additions.
 */
#ifndef PV_ANALYSIS_TIMELINES_H
#define PV_ANALYSIS_TIMELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/analysis/timeline.h"
#include "framework/trace/record.h"

#define PV_TIMELINES 64

/* Initialise it with zeros. */
struct pv_timelines {
	unsigned n;
	bool too_many; /* there are more requesters, or memory ran out: the timelines are incomplete */
	struct pv_timeline *of[PV_TIMELINES];
	uint8_t place[1 << 16]; /* by requester: its index in of[] plus 1; 0: none */
};

/* Adds n records with their times. TLPs of undefined kinds have no requester. */
void pv_timelines_count(struct pv_timelines *t, enum pv_record_format f, const uint8_t *data, size_t n,
			const uint64_t *time);
/* Adds all sums of `from`; the bins of either may become longer. */
void pv_timelines_merge(struct pv_timelines *t, struct pv_timelines *from);
/* Returns the timeline of a requester. NULL: it has none. */
const struct pv_timeline *pv_timelines_find(const struct pv_timelines *t, uint16_t requester);
/* Frees all timelines. NULL is allowed. */
void pv_timelines_free(struct pv_timelines *t);

#endif
