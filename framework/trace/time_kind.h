/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds what Time counts, if the data show it. A free-running clock hardly ever falls from one record to the next;
 * distances do in about half of all records. The clock of 4DW records wraps every 2,048 ticks, so it falls often if
 * records are sparse. Then the values decide: those of a clock are spread over the whole range, distances are not.
 */
#ifndef PV_TRACE_TIME_KIND_H
#define PV_TRACE_TIME_KIND_H

#include "framework/trace/trace.h"

struct pv_time_evidence {
	uint64_t records, up, down; /* pairs in which Time rises, falls */
	uint64_t low, high, full; /* 4DW: records in the first and in the last eighth of the range, and at full scale */
};

/* Adds the records of one block; pairs are within it. */
void pv_time_learn(struct pv_time_evidence *e, enum pv_record_format f, const uint8_t *data, size_t records);
/* Finds what Time counts in a trace of both formats; e[] is by enum pv_record_format. UNKNOWN: the data do not tell, or
 * not yet. */
enum pv_trace_time pv_time_of_both(const struct pv_time_evidence e[3]);

#endif
