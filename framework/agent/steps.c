/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one table of steps, in groups. */
#include "framework/agent/step.h"

#include <string.h>

const struct pv_step_def *const pv_step_groups[] = {
	pv_steps_machine,
	pv_steps_pmu,
	pv_steps_trace,
	pv_checks_trace,
	pv_steps_counter,
	pv_checks_counter,
	pv_steps_mps,
	pv_steps_traffic,
	pv_steps_fault,
	pv_steps_register,
	pv_steps_measure,
	pv_steps_perf,
	pv_checks_perf,
	pv_steps_workload,
	pv_steps_rules,
	pv_checks_registers,
	pv_checks_link,
	pv_checks_attributes,
	NULL,
};

const struct pv_step_def *pv_step_find(const char *kind)
{
	for (size_t g = 0; pv_step_groups[g]; g++)
		for (const struct pv_step_def *d = pv_step_groups[g]; d->kind; d++)
			if (!strcmp(d->kind, kind))
				return d;
	return NULL;
}

bool pv_step_is_for(const char *only, const char *driver)
{
	return !only || !strcmp(only, strcmp(driver, "system") ? driver : "kernel");
}
