/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Brings two sequences of records back into step after a difference, so that one lost record is one lost
 * record and not everything after it. Shared by the oracle (trace and truth) and `trace diff` (two traces).
 */
#ifndef PV_UTIL_ALIGN_H
#define PV_UTIL_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

#define PV_ALIGN_LOOK 64 /* records that pv_align_near() looks ahead in both */
#define PV_ALIGN_RUN  3	 /* records that must agree in a row to be in step again, as a rule */

enum pv_align_result {
	PV_ALIGN_DIFFERENT,
	PV_ALIGN_SAME,
	PV_ALIGN_END,	    /* one ends here: in step if there was a record before that agreed */
	PV_ALIGN_ENDS_WELL, /* the end of one is right here: in step */
};

struct pv_align {
	/* Compares the x-th record from here of the first with the y-th of the second; x, y < LOOK + RUN in near(). */
	enum pv_align_result (*compare)(void *ctx, uint64_t x, uint64_t y);
	void *ctx;
	unsigned run; /* PV_ALIGN_RUN, or fewer */
};

/* In step again: so many records further on in the first and in the second. */
struct pv_align_step {
	uint64_t x, y;
};

/* Do they agree from x and y on, for so many records or to the end? */
bool pv_align_in_step(const struct pv_align *a, uint64_t x, uint64_t y);
/* The nearest place where they do; pure losses and pure insertions before mixtures. */
bool pv_align_near(const struct pv_align *a, struct pv_align_step *step);

#endif
