/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Order and repetition of the cases of a run. */
#ifndef PV_CLI_ORDER_H
#define PV_CLI_ORDER_H

#include "framework/run/run.h"

/* Checks the options. Chooses a seed for --shuffle without a value ("" in opt->shuffle), stored in `text`. */
enum { PV_SEED_TEXT = 24 };
int pv_cli_order_check(struct pv_run_options *opt, char text[PV_SEED_TEXT], struct pv_error *e);

/* Checks that n cases times --repeat are not too many. */
int pv_cli_order_fits(const struct pv_run_options *opt, size_t n, struct pv_error *e);

/*
 * Orders and repeats the jobs as opt->shuffle, repeat and until_failure say, each round in a different order. Updates
 * *n. The caller frees the returned list, and still owns `jobs`. NULL: no memory.
 */
struct pv_job *pv_cli_order_jobs(const struct pv_run_options *opt, const struct pv_job *jobs, size_t *n);

#endif
