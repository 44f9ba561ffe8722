/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares what an earlier run tested, and with which program, with what is there now (--rerun, --resume). */
#ifndef PV_CLI_RUN_EARLIER_H
#define PV_CLI_RUN_EARLIER_H

#include "framework/cli/run_options.h"

/* Sets a->run.digests, for this run's settings. Guest and board must be found. The caller puts them. */
void pv_cli_note_digests(struct pv_cli_run *a);
/*
 * Sets a->run.differs after that: what is not as in a->earlier. Settings that a machine may have at one time and not at
 * another, such as MPS, do not count (docs/lab.md). NULL: nothing, or there was no earlier run.
 */
void pv_cli_find_differences(struct pv_cli_run *a);

#endif
