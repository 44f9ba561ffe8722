/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judging one case in a child process: a crash or a hang is a verdict, too. */
#ifndef PV_EXPLORE_ISOLATE_H
#define PV_EXPLORE_ISOLATE_H

#include "framework/explore/explore.h"

struct pv_explore_tried {
	const char *const *defects; /* of the models under test; NULL: none */
	bool reference;		    /* the reference driver on models without a defect is itself under test */
	bool learn;		    /* see pv_explore_try(); else the case must pass on models without a defect */
	/* Instead of all this: a case is "bad" that passes and reaches these states. It gets "reached", all it reaches.
	 */
	const struct pv_states *wanted;
	/*
	 * Runs cases elsewhere; NULL: on the models, in the child. 0, or -errno with *e. -EINTR: a signal ended it, and
	 * the cases that have no verdict are of type "not-run".
	 */
	int (*run)(void *ctx, json_object *const *cases, size_t n, struct pv_explore_verdict *v, struct pv_error *e);
	void *ctx;
};

/*
 * Judges *c, and replaces it by the case with what was learned. Not bad: it passes, or is no case for what is under
 * test. 0, or -errno with *e.
 */
int pv_explore_judge(json_object **c, const struct pv_explore_tried *t, struct pv_explore_verdict *v,
		     struct pv_error *e);

#endif
