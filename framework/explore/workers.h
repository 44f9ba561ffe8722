/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that draw cases, and on the models judge them. */
#ifndef PV_EXPLORE_WORKERS_H
#define PV_EXPLORE_WORKERS_H

#include "framework/explore/isolate.h"
#include "framework/explore/relay.h"

/* A case that was drawn. */
struct pv_explore_drawn {
	uint64_t index;
	size_t steps;
	json_object *c; /* with "reached" as in explore.h; the receiver puts it; NULL: it passed, and is not needed */
	struct pv_explore_verdict v;
};

struct pv_explore_workers;
/*
 * `relay`: with feedback, where the session puts cases to vary, beside those of w->corpus; else NULL. All pointers stay
 * valid until the end.
 */
struct pv_explore_workers *pv_explore_workers_start(const struct pv_explore_wish *w, const struct pv_explore_tried *t,
						    struct pv_relay *relay, unsigned n);
/* Ends all of them. */
void pv_explore_workers_end(struct pv_explore_workers *w);

/* Waits for the next case in the order of numbers. 1; 0: there is none within `ms`; -errno with *e. */
int pv_explore_workers_next(struct pv_explore_workers *w, int ms, struct pv_explore_drawn *d, struct pv_error *e);

#endif
