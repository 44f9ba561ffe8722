/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds what the cases of a run need in their guests, so that it is built before the first case. */
#ifndef PV_CLI_NEEDS_H
#define PV_CLI_NEEDS_H

#include "framework/cli/cli.h"
#include "framework/run/run.h"

/* Returns true if a step of some job runs perf on the system under test. */
bool pv_cli_runs_perf(const struct pv_job *jobs, size_t n);
/*
 * Returns true if a job needs framework/far/module: for a step, several root buses in a PCI domain, or virtual
 * functions.
 */
bool pv_cli_needs_module(const struct pv_job *jobs, size_t n);

#endif
