/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session of exploring: runs cases on all processors until the time is up, and keeps one finding for each cause. */
#ifndef PV_EXPLORE_SESSION_H
#define PV_EXPLORE_SESSION_H

#include "framework/explore/corpus.h"
#include "framework/explore/isolate.h"
#include "framework/explore/states.h"

/* Cases that failed with one signature. */
struct pv_explore_finding {
	json_object *c; /* the first case, made small */
	uint64_t index; /* number of the first case in the session */
	uint64_t times;
	size_t steps; /* number of its steps before it was made small */
	struct pv_explore_verdict v;
	char signature[PV_SIGNATURE_SIZE];
};

struct pv_explore_session {
	/* Options. With feedback, wish.corpus is &corpus, whose cases are run first and are no part of `cases`. */
	struct pv_corpus corpus;
	struct pv_explore_wish wish;
	struct pv_explore_tried tried;
	uint64_t cases;		 /* at most; 0: no limit */
	double seconds;		 /* at most; 0: no limit */
	size_t findings_max;	 /* stops after so many; 0: never */
	unsigned workers, batch; /* batch: cases at a time for tried.run */
	bool shrink;
	volatile const int *stop; /* not 0: ends as soon as possible */
	/* Called now and then, and for each new finding; either may be NULL. */
	void (*progress)(void *ctx, const struct pv_explore_session *s);
	void (*found)(void *ctx, const struct pv_explore_session *s, const struct pv_explore_finding *f);
	/* With feedback: called at the end for each case to keep, see keep.h. */
	int (*keep)(void *ctx, json_object *c, json_object *states, struct pv_error *e);
	void *ctx;

	/* Results. */
	uint64_t done, steps;	 /* cases, and their steps */
	uint64_t skipped, known; /* cases of another target that were skipped, or ended with a known failure */
	char skip[1024];	 /* why the first one was skipped */
	bool interrupted;	 /* tried.run was, which took the signal */
	struct pv_states states; /* reached, with feedback */
	double elapsed;
	struct pv_explore_finding *findings;
	size_t n_findings;
};

/* 0, or -errno with *e: the session could not go on. The results stand either way, until pv_explore_free(). */
int pv_explore_run(struct pv_explore_session *s, struct pv_error *e);
void pv_explore_free(struct pv_explore_session *s);

#endif
