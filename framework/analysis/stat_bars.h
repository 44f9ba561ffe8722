/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory requests to the BARs of functions, by address: what processors and other devices write to and read from them.
 */
#ifndef PV_ANALYSIS_STAT_BARS_H
#define PV_ANALYSIS_STAT_BARS_H

#include <stddef.h>
#include <stdint.h>

#include "framework/trace/record.h"

struct pv_stat_bar {
	uint16_t function; /* bus << 8 | device << 3 | function */
	uint8_t number;	   /* 0 to 5 */
	uint64_t address, size;
};

/* Requests to one BAR. */
struct pv_stat_bar_use {
	struct pv_stat_bar bar;
	uint64_t writes, write_bytes; /* payload, by Length */
	uint64_t reads, asked_bytes;  /* what reads ask for, by Length */
	uint64_t others;	      /* atomics and DMWr */
	unsigned largest_write, largest_read;
};

/* Zeroed memory has no BARs. */
struct pv_stat_bars {
	size_t n, last;		/* last: index of the BAR that was found last */
	uint64_t begin, length; /* range that contains all BARs */
	struct pv_stat_bar_use *of;
};

/*
 * Sorts n BARs by address. Removes those that overlap, as an address does not tell them apart, and those without a
 * size. Returns the remaining number.
 */
size_t pv_stat_bars_sort(struct pv_stat_bar *bars, size_t n);
/* Makes counters of n sorted BARs. 0 or -ENOMEM. Free with pv_stat_bars_free(). */
int pv_stat_bars_init(struct pv_stat_bars *b, const struct pv_stat_bar *bars, size_t n);
void pv_stat_bars_free(struct pv_stat_bars *b);
/* Counts n records. A request belongs to the BAR in which it begins. */
void pv_stat_bars_count(struct pv_stat_bars *b, enum pv_record_format f, const uint8_t *data, size_t n);
/* Adds the counters of the same BARs. */
void pv_stat_bars_merge(struct pv_stat_bars *b, const struct pv_stat_bars *from);
/* Removes BARs without requests, and sorts the others: most bytes written first, then most requests. */
void pv_stat_bars_rank(struct pv_stat_bars *b);

#endif
