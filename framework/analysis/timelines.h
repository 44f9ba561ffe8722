/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timeline for each requester, in bounded memory: of up to PV_TIMELINES requesters. The result does not depend on the
 * order of additions.
 */
#ifndef PV_ANALYSIS_TIMELINES_H
#define PV_ANALYSIS_TIMELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/analysis/timeline.h"
#include "framework/trace/record.h"

#define PV_TIMELINES 64

/* Begins as zeros. */
struct pv_timelines {
	unsigned n;
	bool too_many; /* there are more requesters, or there was no memory: the timelines are not complete */
	struct pv_timeline *of[PV_TIMELINES];
	uint8_t place[1 << 16]; /* by requester: 1 more than its index in of[]; 0: none */
};

/* Adds n records with their times. TLPs of undefined kinds have no requester. */
void pv_timelines_count(struct pv_timelines *t, enum pv_record_format f, const uint8_t *data, size_t n,
			const uint64_t *time);
/* Adds all sums of `from`, whose bins may become longer. */
void pv_timelines_merge(struct pv_timelines *t, struct pv_timelines *from);
/* The timeline of a requester. NULL: it has none. */
const struct pv_timeline *pv_timelines_find(const struct pv_timelines *t, uint16_t requester);
/* Frees all. NULL: nothing. */
void pv_timelines_free(struct pv_timelines *t);

#endif
