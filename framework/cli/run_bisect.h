/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exit status of a run for git-bisect(1): a run that judged nothing must not call a commit good or bad. */
#ifndef PV_CLI_RUN_BISECT_H
#define PV_CLI_RUN_BISECT_H

#include "framework/cli/run_options.h"

/* Returns true if the arguments of the command contain --bisect, even if others are wrong. */
bool pv_cli_bisect_is_asked(int argc, char **argv);
/* Checks that the run tests the present source. 0 or -EINVAL. */
int pv_cli_bisect_check(const struct pv_cli_run *o, struct pv_error *e);
/* Flushes standard output. Returns the exit status for git: 0, 1, 125 or 255. `status`: exit status of the run. */
int pv_cli_bisect_status(const struct pv_cli_run *o, int status);

#endif
