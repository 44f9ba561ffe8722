/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In what order the cases of a run come, and how often. */
#ifndef PV_CLI_ORDER_H
#define PV_CLI_ORDER_H

#include "framework/run/run.h"

/* Chooses the seed of --shuffle where none is given ("" in opt->shuffle; `text` holds it then), and checks the options. */
enum { PV_SEED_TEXT = 24 };
int pv_cli_order_check(struct pv_run_options *opt, char text[PV_SEED_TEXT], struct pv_error *e);

/* May there be as many cases as --repeat makes of n? */
int pv_cli_order_fits(const struct pv_run_options *opt, size_t n, struct pv_error *e);

/*
 * The jobs in the order and as often as opt->shuffle, repeat and until_failure say: round by round, each in an order of its
 * own. *n is how many there are now. The caller frees the list, and keeps `jobs`. NULL: no memory.
 */
struct pv_job *pv_cli_order_jobs(const struct pv_run_options *opt, const struct pv_job *jobs, size_t *n);

#endif
