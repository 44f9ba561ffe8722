/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of the statistics: by kind and length, by requester, over time, and by address range. */
#ifndef PV_ANALYSIS_STAT_COUNT_H
#define PV_ANALYSIS_STAT_COUNT_H

#include "framework/analysis/stat_device.h"
#include "framework/analysis/stat_marks.h"
#include "framework/analysis/timeline.h"
#include "framework/trace/record.h"

/* ---- address ranges ---- */

#define PV_REGIONS_MAX	 16384
#define PV_REGIONS_TABLE 32768 /* power of two */

struct pv_addr_range {
	uint64_t number; /* address >> shift */
	uint64_t tlps, dw;
};

/*
 * Counts by address range in bounded memory. Counts are exact; if there are too many ranges, their size doubles until
 * they fit. The result does not depend on the order.
 */
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
static inline __attribute__((always_inline)) void pv_addr_histogram_add(struct pv_addr_histogram *r, uint64_t address,
									uint64_t dw)
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

/* ---- by kind and length, by requester, over time ---- */

#define PV_STAT_LENGTHS 1024 /* index: length in DW modulo 1024, as in the header */

struct pv_stat_requester {
	uint64_t tlps, dw; /* dw: payload */
};

/* Counts of one requester, until they are added up. */
struct pv_stat_slot {
	uint32_t sizes[32 * PV_STAT_LENGTHS]; /* by kind and Length, also of kinds without one */
	struct pv_stat_marks marks;
};

/* The sums of one thread. */
struct pv_stat_counts {
	struct pv_timeline timeline;
	uint64_t records[3];
	/* Not added up yet. The last slot is that of no requester, and of those that have no slot of their own. */
	uint64_t pending; /* records */
	struct pv_stat_slot *slots, *slot_of[(1 << 16) + 1];
	uint64_t packed[1 << 16]; /* of requesters without a slot: TLPs [63:40], payload in DW [39:0] */
	/* Added up. */
	uint64_t sizes[32][PV_STAT_LENGTHS];
	struct pv_stat_devices devices;		      /* the place of a device is that of its slot */
	bool unpacked;				      /* something is in `requesters` */
	struct pv_stat_requester requesters[1 << 16]; /* those without a slot */
};

struct pv_stat_counts *pv_stat_counts_new(void);
void pv_stat_counts_free(struct pv_stat_counts *c);
/* Adds n records with their times. */
void pv_stat_count(struct pv_stat_counts *c, enum pv_record_format f, const uint8_t *data, size_t n,
		   const uint64_t *time);
/* Adds n records, which are counted, to the address ranges, and to the marks of their requesters. */
void pv_stat_count_addresses(struct pv_stat_counts *c, struct pv_addr_histogram *r, enum pv_record_format f,
			     const uint8_t *data, size_t n);
/* Adds the sums to those of a trace. Once: it takes them out of `c`. */
void pv_stat_counts_into(struct pv_stat_counts *c, uint64_t sizes[32][PV_STAT_LENGTHS],
			 struct pv_stat_requester *requesters, struct pv_timeline *timeline,
			 struct pv_stat_devices *devices);

#endif
