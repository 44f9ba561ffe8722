/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the statistics: the sums of one thread. */
#ifndef PV_ANALYSIS_STAT_COUNT_H
#define PV_ANALYSIS_STAT_COUNT_H

#include "framework/analysis/kind_lut.h"
#include "framework/analysis/stat.h"

struct pv_stat_counts {
	struct pv_timeline timeline;
	uint64_t records[3];
	uint64_t pending;		     /* records in `packed` at most */
	uint64_t sizes[32][PV_STAT_LENGTHS]; /* as the header has the length, also of kinds without one */
	uint64_t packed[(1 << 16) + 1]; /* by requester: TLPs [63:40], payload in DW [39:0]; the last: no requester */
	bool unpacked;			/* something of it is in `requesters` */
	struct pv_stat_requester requesters[1 << 16];
};

struct pv_stat_counts *pv_stat_counts_new(void);
void pv_stat_counts_free(struct pv_stat_counts *c);
/* Adds n records with their times. */
void pv_stat_count(struct pv_stat_counts *c, enum pv_record_format f, const uint8_t *data, size_t n,
		   const uint64_t *time);
void pv_stat_count_regions(struct pv_addr_histogram *r, enum pv_record_format f, const uint8_t *data, size_t n);
void pv_stat_counts_into(struct pv_stat_counts *c, struct pv_stat *s);

#endif
