/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the jobs of a run from plans, orders and repeats them, and finds what they need. */
#ifndef PV_RUN_JOBS_H
#define PV_RUN_JOBS_H

#include "framework/board/connect.h"
#include "framework/plan/plan.h"
#include "framework/run/run.h"

/*
 * Returns the selected cases of `plans` that `wanted` (NULL: any) accepts, in order. The caller frees the list; the
 * plans own what it points to. NULL: no memory.
 */
struct pv_job *pv_jobs_of_cases(const struct pv_plans *plans, const struct pv_selection *s,
				bool (*wanted)(const struct pv_case *c), size_t *n);
/* Gives the cases of an earlier run the names that they have now (pv_run_rename()). 0 or -ENOMEM with *e. */
int pv_jobs_rename(struct pv_run_result *r, const struct pv_job *jobs, size_t n, struct pv_error *e);
/* For struct pv_run_options: the JSON of a case whose job is from pv_jobs_of_cases(). */
json_object *pv_job_case_json(const struct pv_job *job);

/* Returns true if a step of some job runs perf on the system under test. */
bool pv_jobs_run_perf(const struct pv_job *jobs, size_t n);
/* Returns true if the guest of some job needs framework/far/module (pv_guest_needs_module()). */
bool pv_jobs_need_module(const struct pv_job *jobs, size_t n);
/*
 * Connects to the board, and skips the jobs that it cannot run. *left: how many it can. If b->every, a job becomes one
 * for each function that its case can be about, in a new list of *n jobs; the old one is freed. 0, or -errno with *e.
 */
int pv_jobs_place(struct pv_job **jobs, size_t *n, const char *target, struct pv_board *b, size_t *left,
		  struct pv_error *e);
/* As pv_jobs_place(), and starts the far side if any job is left. Close the board after errors, too. */
int pv_jobs_find_board(struct pv_job **jobs, size_t *n, const char *target, struct pv_board *b, struct pv_error *e);
/* Default number of parallel cases: the processors that this process may use. */
unsigned pv_run_processors(void);

/* Checks the options. Chooses a seed for --shuffle without a value ("" in opt->shuffle), stored in `text`. */
enum { PV_SEED_TEXT = 24 };
int pv_order_check(struct pv_run_options *opt, char text[PV_SEED_TEXT], struct pv_error *e);
/* Checks that n cases times --repeat are not too many. */
int pv_order_fits(const struct pv_run_options *opt, size_t n, struct pv_error *e);
/*
 * Orders and repeats the jobs as opt->shuffle, repeat and until_failure say, each round in a different order. Updates
 * *n. The caller frees the returned list, and still owns `jobs`. NULL: no memory.
 */
struct pv_job *pv_jobs_order(const struct pv_run_options *opt, const struct pv_job *jobs, size_t *n);

#endif
