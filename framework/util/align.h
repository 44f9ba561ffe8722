/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Brings two sequences of records back into step after a difference, so that one lost record is one lost
 * record and not everything after it. Shared by the oracle (trace and truth) and `trace diff` (two traces).
 */
#ifndef PV_UTIL_ALIGN_H
#define PV_UTIL_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

#define PV_ALIGN_LOOK 64 /* look-ahead of pv_align_near() in both, in records */
#define PV_ALIGN_RUN  3	 /* default number of consecutive records that must agree to be back in step */

enum pv_align_result {
	PV_ALIGN_DIFFERENT,
	PV_ALIGN_SAME,
	PV_ALIGN_END,	    /* one sequence ends here: in step if a record before it agreed */
	PV_ALIGN_ENDS_WELL, /* one sequence is expected to end here: in step */
};

struct pv_align {
	/* Compares the x-th record from here of the first with the y-th of the second; x, y < LOOK + RUN in near(). */
	enum pv_align_result (*compare)(void *ctx, uint64_t x, uint64_t y);
	void *ctx;
	unsigned run; /* PV_ALIGN_RUN, or fewer */
};

/* Records to skip in the first and in the second sequence to be back in step. */
struct pv_align_step {
	uint64_t x, y;
};

/* Returns true if `run` records agree from x and y on, or all up to the end. */
bool pv_align_in_step(const struct pv_align *a, uint64_t x, uint64_t y);
/* Finds the nearest place where they do. Pure losses and pure insertions are preferred to mixtures. */
bool pv_align_near(const struct pv_align *a, struct pv_align_step *step);

#endif
