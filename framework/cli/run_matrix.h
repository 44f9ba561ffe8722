/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A matrix of runs: several values of --kernel, --driver and --target. Each combination is a run with a folder and
 * reports of its own; a table of all shows what differs.
 */
#ifndef PV_CLI_RUN_MATRIX_H
#define PV_CLI_RUN_MATRIX_H

#include "framework/cli/run_options.h"

/* Sets target, kernel and driver of the run from the first value of each option. */
void pv_cli_run_take_first(struct pv_cli_run *o);
/* Returns true if an option was given several different values. */
bool pv_cli_run_is_matrix(const struct pv_cli_run *o);
/* Checks the options of one run, and runs the plans. Returns the exit status. */
typedef int pv_cli_run_fn(const struct pv_command *self, struct pv_cli_run *o, const char *const *paths,
			  size_t n_paths);
/*
 * Runs each combination by `run`. Returns the exit status: the worst of
 * the runs.
 */
int pv_cli_run_matrix(const struct pv_command *self, struct pv_cli_run *o, const char *const *paths, size_t n_paths,
		      pv_cli_run_fn *run);

#endif
