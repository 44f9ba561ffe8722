/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of CXL memory devices: the plan's, and those of a running kernel. */
#include "framework/board/memdevs.h"

#include <stdio.h>
#include <string.h>

/* The length of what comes before ".N" in the name of a CXL PMU, or 0. */
static int parse(const char *pmu, unsigned *number)
{
	int end = 0;

	return sscanf(pmu, "cxl_pmu_mem%u%n", number, &end) == 1 && pmu[end] == '.' ? end : 0;
}

/* Numbers the memory devices of the plan from 0 by BDF. False: the plan has no memory device at `bdf`. */
static bool number_in_plan(const struct pv_topology *plan, pv_bdf bdf, unsigned *number)
{
	bool found = false;

	*number = 0;
	for (size_t i = 0; i < plan->n; i++) {
		const struct pv_topo_node *node = &plan->nodes[i];

		if (node->role != PV_ROLE_CXL_MEM || node->spare)
			continue;
		found |= node->bdf == bdf;
		*number += node->bdf < bdf;
	}
	return found;
}

void pv_memdevs_read(struct pv_memdevs *m, struct pv_driver *driver, const struct pv_topology *plan)
{
	const struct pv_driver_ops *ops = driver->ops;
	const char *name;

	m->n = 0;
	for (size_t i = 0; ops->pmu_parent && m->n < PV_MEMDEVS_MAX && (name = ops->pmu_name(driver, i)); i++) {
		unsigned is, number;
		pv_bdf bdf;

		if (!parse(name, &is) || ops->pmu_parent(driver, name, &bdf) || !number_in_plan(plan, bdf, &number))
			continue;
		m->number[m->n].plan = number;
		m->number[m->n++].is = is;
	}
}

static const char *renumber(struct pv_memdevs *m, const char *name, bool to_plan)
{
	unsigned number;
	int end = parse(name, &number);

	for (size_t i = 0; end && i < m->n; i++) {
		unsigned plan = m->number[i].plan, is = m->number[i].is;

		if (number != (to_plan ? is : plan))
			continue;
		snprintf(m->name, sizeof(m->name), "cxl_pmu_mem%u%s", to_plan ? plan : is, name + end);
		return m->name;
	}
	return name;
}

const char *pv_memdevs_is(struct pv_memdevs *m, const char *plan)
{
	return renumber(m, plan, false);
}

const char *pv_memdevs_plan(struct pv_memdevs *m, const char *is)
{
	return renumber(m, is, true);
}
