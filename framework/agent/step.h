/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that run the steps of a case, grouped in files by theme. A new step is one declaration in
 * framework/schema (steps.c or checks.c) and one entry here.
 */
#ifndef PV_AGENT_STEP_H
#define PV_AGENT_STEP_H

#include "framework/agent/args.h"

struct pv_session;

#define PV_STEP_DRIVER 0x1u /* needs a booted driver; boots one with policy default if there is none */
#define PV_STEP_CHECK  0x2u /* a check; never ends the case */
#define PV_STEP_LEDGER 0x4u /* needs the ledger */

struct pv_step_def {
	const char *kind;
	/* 0: continue; else a problem was reported and the case ends. */
	int (*run)(struct pv_session *s, const struct pv_args *a);
	unsigned flags;
};

/* All groups, ended by NULL; each group ends with kind NULL. */
extern const struct pv_step_def *const pv_step_groups[];
const struct pv_step_def *pv_step_find(const char *kind);

extern const struct pv_step_def pv_steps_machine[], pv_steps_pmu[], pv_steps_trace[], pv_checks_trace[],
	pv_steps_counter[], pv_checks_counter[], pv_steps_mps[], pv_steps_traffic[], pv_steps_fault[],
	pv_steps_register[], pv_steps_measure[], pv_steps_perf[], pv_checks_perf[], pv_steps_workload[],
	pv_steps_rules[], pv_checks_registers[], pv_checks_link[], pv_checks_attributes[];

/*
 * Whether a step for the driver `only`, NULL for all, is run under `driver`: a board's ("system") is the kernel's, too.
 */
bool pv_step_is_for(const char *only, const char *driver);

#endif
