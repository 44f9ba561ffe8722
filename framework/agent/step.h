/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a case: one table entry each, used to run the step and to check its attributes. Grouped in files by theme; a
 * new step is one entry there, and one element in framework/plan/plan.xsd, which is also its help.
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
	const struct pv_arg_def *args; /* ends with name NULL */
};

#define PV_ARGS(...) ((const struct pv_arg_def[]){__VA_ARGS__, {NULL}})
#define PV_NO_ARGS   ((const struct pv_arg_def[]){{NULL}})
#define PV_ARG_EXPECT                              \
	{                                          \
		"expect", PV_ARG_ERRNO, .def = "0" \
	}

/* All groups, ended by NULL; each group ends with kind NULL. */
extern const struct pv_step_def *const pv_step_groups[];
const struct pv_step_def *pv_step_find(const char *kind);

extern const struct pv_step_def pv_steps_machine[], pv_steps_attr[], pv_steps_trace[], pv_steps_counter[],
	pv_steps_mps[], pv_steps_traffic[], pv_steps_fault[], pv_steps_register[], pv_steps_measure[], pv_steps_perf[],
	pv_steps_workload[], pv_steps_rules[];

/* Whether a step for the driver `only`, NULL for all, is run under `driver`: a board's ("system") is the kernel's, too. */
bool pv_step_is_for(const char *only, const char *driver);

#endif
