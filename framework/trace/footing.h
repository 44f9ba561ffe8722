/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding the records of a payload, and finding them again after damage. 8DW records carry a mark; 4DW records
 * do not, and are told from noise and from shifted records by what a TLP header may hold (PCIe 5.0 2.2).
 * Works on a window of bytes: no input, no allocation.
 */
#ifndef PV_TRACE_FOOTING_H
#define PV_TRACE_FOOTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/trace/record.h"

/* So many bytes past what is decided must be in the window, unless it is the last. */
#define PV_FOOTING_AHEAD 4096

/* 4DW records of one kind so far: a word's bits that were 1 in any, and in all. */
struct pv_footing_kind {
	uint32_t seen, any[3], all[3];
};

struct pv_footing {
	enum pv_record_format format;	   /* UNKNOWN: none yet */
	struct pv_footing_kind kinds[128]; /* by Fmt[1:0] and Type */
	uint64_t bad_bytes;		   /* passed over since the last good record */
	bool bad_zeros;			   /* all of them are 0 */
	const char *why;		   /* what was wrong where they begin */
	size_t trusted;			   /* 4DW: bytes ahead that were looked at, and found in step although odd */
	size_t trust;			   /* the next such stretch, in records */
};

enum pv_footing_what { PV_FOOTING_MORE, PV_FOOTING_RUN, PV_FOOTING_BAD };

struct pv_footing_step {
	enum pv_footing_what what;
	size_t bytes;		      /* RUN: good records; BAD: passed over; MORE: 0, a longer window is needed */
	enum pv_record_format format; /* RUN */
	bool changed;		      /* RUN: in another format than the records before */
};

/* What the window begins with. `last`: nothing follows it. Ends: n == 0. */
struct pv_footing_step pv_footing_next(struct pv_footing *f, const uint8_t *p, size_t n, bool last);

#endif
