/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the records of a payload, and finds them again after damage. 8DW records carry a mark; 4DW records do not:
 * likelihood (likelihood.h) tells them from noise and from shifted records. Works on a window of bytes: no input, no
 * allocation.
 */
#ifndef PV_TRACE_RESYNC_H
#define PV_TRACE_RESYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/trace/likelihood.h"
#include "framework/trace/record.h"

/* Minimum size of a window, unless it is the last one. */
#define PV_RESYNC_AHEAD 4096

enum pv_resync_what { PV_RESYNC_RUN, PV_RESYNC_BAD };

/* Stretches that are decided and not yet returned. */
struct pv_resync_plan {
	struct {
		uint16_t bytes;
		uint8_t format; /* UNKNOWN: no records */
	} stretch[64];
	unsigned n, at;
};

struct pv_resync {
	enum pv_record_format format; /* UNKNOWN: none yet */
	struct pv_bit_stats looks;
	struct pv_resync_plan plan;
	uint64_t bad_bytes; /* bytes skipped since the last good record */
	bool bad_zeros;	    /* all of them are 0 */
	const char *why;    /* what was wrong where they begin */
	uint64_t weighed;   /* total number of bytes at which the evidence for a record was computed */
};

struct pv_resync_step {
	enum pv_resync_what what;
	size_t bytes;		      /* RUN: good records; BAD: skipped */
	enum pv_record_format format; /* RUN */
	bool changed;		      /* RUN: in another format than the records before */
	bool reserved;		      /* RUN of 8DW: the reserved word of some of them is not 0 */
};

/* Returns the first step of the window (n > 0). `last`: nothing follows it. The next one begins behind the step. */
struct pv_resync_step pv_resync_next(struct pv_resync *f, const uint8_t *p, size_t n, bool last);
/* Tells that the last `n` bytes of the last run were not used. */
void pv_resync_unread(struct pv_resync *f, size_t bytes);
/* The next window does not continue the data before it. */
void pv_resync_end(struct pv_resync *f);

#endif
