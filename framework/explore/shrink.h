/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a failing case small: fewer steps, simpler attributes, less traffic, a smaller machine, as long as it fails in
 * the same way.
 */
#ifndef PV_EXPLORE_SHRINK_H
#define PV_EXPLORE_SHRINK_H

#include "framework/explore/isolate.h"

struct pv_explore_shrinking {
	struct pv_explore_tried tried;
	unsigned tries;		 /* at most; 0: 1000 */
	bool (*stop)(void *ctx); /* asked before each try; NULL: never stops early */
	void *stop_ctx;
	unsigned done;			   /* tries so far */
	char signature[PV_SIGNATURE_SIZE]; /* of the failure */
	struct pv_explore_verdict v;	   /* of the case as it is now */
};

/*
 * Replaces *c, which fails with the verdict in s->v, by a smaller case that fails in the same way. 0, or -errno with
 * *e; *c fails either way.
 */
int pv_explore_shrink(json_object **c, struct pv_explore_shrinking *s, struct pv_error *e);

#endif
