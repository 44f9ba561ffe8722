/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws test cases at random and judges them. A case is drawn while the reference driver runs it on the models: each
 * step is chosen from what exists by then, and the results of the reference driver are expected of any other driver.
 * The oracle judges counts, traces and sizes, as in every case.
 */
#ifndef PV_EXPLORE_EXPLORE_H
#define PV_EXPLORE_EXPLORE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/util/error.h"

struct pv_corpus;
struct pv_states;

enum pv_explore_subject {
	PV_EXPLORE_PTT,
	PV_EXPLORE_CPMU,
	PV_EXPLORE_DWC,
	PV_EXPLORE_MPS,
	PV_EXPLORE_ABI,	      /* files of PMUs, refusals, several users of one PMU, CPUs */
	PV_EXPLORE_REGISTERS, /* of mailboxes, slots and PMUs, without a driver; target model only */
	PV_EXPLORE_SUBJECTS
};
extern const char *const pv_explore_subjects[]; /* "ptt", ..., and at last "all"; ended by NULL */
/* Returns 1 << enum pv_explore_subject of each subject that the word stands for; 0: there is no such word. */
unsigned pv_explore_subject_by_name(const char *name);

/* The first thing that went wrong in a case. */
struct pv_explore_verdict {
	bool bad;
	bool skipped;		      /* nothing, or nothing behind a known failure, was judged */
	char type[40], message[1024]; /* as struct pv_case_result */
};

/*
 * Draws case number `index` of a session, which `subjects` and `seed` determine. Returns it in the form of element.h;
 * the caller puts it. *v is what the reference driver did with it on the models. NULL: *e.
 */
struct pv_explore_wish {
	unsigned subjects, steps;
	uint64_t seed;
	bool model;		       /* for the target model */
	void (*noted)(json_object *c); /* called before each step, with the case as far as it is drawn; NULL: none */
	/* With feedback, else both are NULL: cases to vary, whose first ones are cases of the session as they are; */
	const struct pv_corpus *corpus;
	struct pv_states *known; /* states that were reached so far, and now */
};
/*
 * With feedback, the case has "reached": an object of new states' names to their hashes; "spoiled": another case, which
 * was given up, reached them.
 */
json_object *pv_explore_draw(const struct pv_explore_wish *w, uint64_t index, struct pv_explore_verdict *v,
			     struct pv_error *e);

/*
 * Runs a case on the models with the reference driver, in this process. `learn`: outcomes become the expectations of
 * its steps, and steps that are mistakes by now are taken out. 0, or -errno with *e: it is no case.
 */
int pv_explore_try(json_object *c, const char *const *defects, bool learn, struct pv_explore_verdict *v,
		   struct pv_error *e);

/*
 * Runs the steps of a case, and adds the states that it reaches to *reached. They are replaced by those that are no
 * mistakes, with what was learned. As pv_explore_try().
 */
int pv_explore_follow(json_object *c, struct pv_states *reached, struct pv_explore_verdict *v, struct pv_error *e);

/*
 * Writes what is the same of two failures with one cause: the step, and the message without numbers and names.
 */
enum { PV_SIGNATURE_SIZE = 256 };
const char *pv_explore_signature(const struct pv_explore_verdict *v, char out[PV_SIGNATURE_SIZE]);

#endif
