/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts by address range in bounded memory: exact, and where more ranges are touched than fit, they are
 * made twice as large until they do. The result does not depend on the order.
 */
#ifndef PV_TRACE_REGIONS_H
#define PV_TRACE_REGIONS_H

#include <stddef.h>
#include <stdint.h>

#define PV_REGIONS_MAX	 16384
#define PV_REGIONS_TABLE 32768 /* power of two */

struct pv_region {
	uint64_t number; /* address >> shift */
	uint64_t tlps, dw;
};

struct pv_regions {
	unsigned shift;
	unsigned n;
	struct pv_region *last;			  /* most TLPs go where the one before went */
	struct pv_region table[PV_REGIONS_TABLE]; /* tlps 0: free */
	struct pv_region sorted[PV_REGIONS_MAX];  /* while ranges are made larger */
};

void pv_regions_init(struct pv_regions *r, unsigned shift);
void pv_regions_add_slow(struct pv_regions *r, uint64_t address, uint64_t tlps, uint64_t dw);

static inline void pv_regions_add(struct pv_regions *r, uint64_t address, uint64_t dw)
{
	struct pv_region *l = r->last;

	if (l->number != address >> r->shift || !l->tlps) {
		pv_regions_add_slow(r, address, 1, dw);
		return;
	}
	l->tlps++;
	l->dw += dw;
}

void pv_regions_merge(struct pv_regions *r, const struct pv_regions *from);
/* Puts the ranges first in the table, most bytes first (then most TLPs, then lowest address). The end of adding. */
void pv_regions_sort(struct pv_regions *r);

#endif
