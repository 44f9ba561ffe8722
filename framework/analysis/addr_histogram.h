/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts by address range in bounded memory. Counts are exact; if there are too many ranges, their size doubles until
 * they fit. The result does not depend on the order.
 */
#ifndef PV_ANALYSIS_ADDR_HISTOGRAM_H
#define PV_ANALYSIS_ADDR_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define PV_REGIONS_MAX	 16384
#define PV_REGIONS_TABLE 32768 /* power of two */

struct pv_addr_range {
	uint64_t number; /* address >> shift */
	uint64_t tlps, dw;
};

struct pv_addr_histogram {
	unsigned shift;
	unsigned n;
	struct pv_addr_range table[PV_REGIONS_TABLE]; /* tlps 0: free */
	struct pv_addr_range sorted[PV_REGIONS_MAX];  /* scratch space to enlarge ranges */
};

/* Initialises zeroed memory. */
void pv_addr_histogram_init(struct pv_addr_histogram *r, unsigned shift);
void pv_addr_histogram_add_slow(struct pv_addr_histogram *r, uint64_t address, uint64_t tlps, uint64_t dw);

static inline size_t pv_addr_histogram_place(uint64_t number)
{
	return number * 0x9e3779b97f4a7c15u >> 49; /* of PV_REGIONS_TABLE */
}

static inline void pv_addr_histogram_add(struct pv_addr_histogram *r, uint64_t address, uint64_t dw)
{
	uint64_t number = address >> r->shift;
	struct pv_addr_range *p = &r->table[pv_addr_histogram_place(number)];

	if (p->number != number || !p->tlps) {
		pv_addr_histogram_add_slow(r, address, 1, dw);
		return;
	}
	p->tlps++;
	p->dw += dw;
}

void pv_addr_histogram_merge(struct pv_addr_histogram *r, const struct pv_addr_histogram *from);
/* Sorts the ranges to the front of the table: most bytes, most TLPs, lowest address first. No additions after this. */
void pv_addr_histogram_sort(struct pv_addr_histogram *r);

#endif
