/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the cases that a session adds to its corpus: few, made small, that reach what the corpus did not. */
#ifndef PV_EXPLORE_KEEP_H
#define PV_EXPLORE_KEEP_H

#include "framework/explore/corpus.h"
#include "framework/explore/explore.h"

struct pv_keeping {
	unsigned tries;		  /* to make one case smaller; 0: cases stay as they were drawn */
	volatile const int *stop; /* not 0: cases are not made smaller any more; NULL: never */
	/* Called for each case to keep, with the names of states for which it is kept. 0, or -errno with *e. */
	int (*keep)(void *ctx, json_object *c, json_object *states, struct pv_error *e);
	void *ctx;
};

/* Keeps cases of `k` that were drawn, or are of a folder that is only read. 0, or -errno with *e. */
int pv_explore_keep(const struct pv_corpus *k, const struct pv_keeping *keeping, struct pv_error *e);

#endif
