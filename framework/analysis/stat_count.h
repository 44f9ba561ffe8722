/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of the statistics: by kind and length, by requester, over time, and by address range. */
#ifndef PV_ANALYSIS_STAT_COUNT_H
#define PV_ANALYSIS_STAT_COUNT_H

#include "framework/analysis/stat_device.h"
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
 * Counters by address range, in bounded memory. Counts are exact. If there are too many ranges, their size doubles
 * until they fit. The result does not depend on the order of addresses.
 */
struct pv_addr_histogram {
	unsigned shift;
	unsigned n;
	struct pv_addr_range table[PV_REGIONS_TABLE]; /* tlps 0: free place */
	struct pv_addr_range sorted[PV_REGIONS_MAX];  /* scratch space for doubling */
};

/* Initialises zeroed memory. */
void pv_addr_histogram_init(struct pv_addr_histogram *r, unsigned shift);
void pv_addr_histogram_add_slow(struct pv_addr_histogram *r, uint64_t address, uint64_t tlps, uint64_t dw);
/* Returns the first place of a range. Neighbours are neighbours in the table, too: that saves cache misses. */
static inline size_t pv_addr_histogram_place(uint64_t number)
{
	return (number / 64 * 0x9e3779b97f4a7c15u >> 55) * 64 + number % 64; /* the upper 9 bits: one of 512 groups */
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
/*
 * Sorts the ranges to the front of the table: most bytes, then most TLPs, then lowest address. Nothing may be added
 * afterwards.
 */
void pv_addr_histogram_sort(struct pv_addr_histogram *r);

/* ---- by kind and length, by requester, over time ---- */

#define PV_STAT_LENGTHS 1024 /* index: Length modulo 1024, as in the header */

struct pv_stat_requester {
	uint64_t tlps, dw; /* dw: payload in DW */
};

/* Writes, reads, and all other requests, which have no marks. */
enum { PV_MARKED_FLOWS = 3 };

/* Counters for the marks of memory requests (stat_device.h), filled by the loop over addresses. */
struct pv_stat_marks {
	uint32_t places[PV_MARKED_FLOWS][256]; /* by address [5:2], and Length [3:0] above it */
	uint32_t rare[PV_MARKED_FLOWS][PV_MARKS];
};

/* Counters of one requester since the last addition to the sums. */
struct pv_stat_slot {
	uint32_t sizes[32 * PV_STAT_LENGTHS]; /* TLPs by kind and Length field, even for kinds without Length */
	struct pv_stat_marks marks;
};

/* The sums of one thread. */
struct pv_stat_counts {
	struct pv_timeline timeline;
	uint64_t records[3];
	/*
	 * Counters since the last addition. The last slot is for TLPs without a requester, and for requesters without a
	 * slot.
	 */
	uint64_t pending; /* number of records */
	struct pv_stat_slot *slots, *slot_of[(1 << 16) + 1];
	bool has_packed;	  /* `packed` contains something */
	uint64_t packed[1 << 16]; /* of requesters without a slot: TLPs in [63:40], payload DW in [39:0] */
	/* The sums. */
	bool has_kind[32]; /* the kind's row of `sizes` contains something */
	uint64_t sizes[32][PV_STAT_LENGTHS];
	struct pv_stat_devices devices;		      /* a device has the same index as its slot */
	bool unpacked;				      /* `requesters` contains something */
	struct pv_stat_requester requesters[1 << 16]; /* requesters without a slot */
};

struct pv_stat_counts *pv_stat_counts_new(void);
void pv_stat_counts_free(struct pv_stat_counts *c);
/* Adds n records with their times. */
void pv_stat_count(struct pv_stat_counts *c, enum pv_record_format f, const uint8_t *data, size_t n,
		   const uint64_t *time);
/* Adds n records, already counted, to the address ranges, and to the marks of their requesters. */
void pv_stat_count_addresses(struct pv_stat_counts *c, struct pv_addr_histogram *r, enum pv_record_format f,
			     const uint8_t *data, size_t n);
/* Moves the sums to those of a trace; `c` must not be used afterwards. */
void pv_stat_counts_into(struct pv_stat_counts *c, uint64_t sizes[32][PV_STAT_LENGTHS],
			 struct pv_stat_requester *requesters, struct pv_timeline *timeline,
			 struct pv_stat_devices *devices);

#endif
