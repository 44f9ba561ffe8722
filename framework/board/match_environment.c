/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares CPUs, NUMA nodes and IOMMU domains of a plan's topology with a machine's environment. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/board/match.h"

#define said pv_facts_said

static const char *said_of(json_object *environment, pv_bdf at)
{
	char name[32];

	snprintf(name, sizeof(name), "pci %s", pv_bdf_name(at).s);
	return said(environment, name);
}

/* Formats a list of CPUs like Linux: "0-3". */
static const char *cpu_list(unsigned first, unsigned behind, char *buf, size_t size)
{
	if (behind - first == 1)
		snprintf(buf, size, "%u", first);
	else
		snprintf(buf, size, "%u-%u", first, behind - 1);
	return buf;
}

/* The machine must have exactly the plan's NUMA nodes. */
static int match_nodes(const struct pv_topology *plan, json_object *environment, struct pv_error *e)
{
	char name[32], list[32], expected[48];

	for (unsigned i = 0; i < plan->numa_nodes; i++) {
		cpu_list(pv_numa_first_cpu(i, plan->numa_nodes, plan->cpus),
			 pv_numa_first_cpu(i + 1, plan->numa_nodes, plan->cpus), list, sizeof(list));
		snprintf(name, sizeof(name), "NUMA node%u", i);
		snprintf(expected, sizeof(expected), "CPUs %s", list);
		if (strcmp(said(environment, name), expected) != 0)
			return pv_error(e, -EOPNOTSUPP, "%s: expected %s, got %s", name, expected,
					*said(environment, name) ? said(environment, name) : "no such node");
	}
	unsigned behind = plan->numa_nodes ? plan->numa_nodes : 1;
	snprintf(name, sizeof(name), "NUMA node%u", behind);
	if (*said(environment, name))
		return pv_error(e, -EOPNOTSUPP, "expected %u NUMA node%s, got more", behind, behind == 1 ? "" : "s");
	return 0;
}

static int match_places(const struct pv_topology *plan, json_object *environment, struct pv_error *e)
{
	char expected[32];

	for (size_t i = 0; i < plan->n; i++) {
		const struct pv_topo_node *node = &plan->nodes[i];

		if (node->spare || node->numa_node < 0)
			continue;
		snprintf(expected, sizeof(expected), "NUMA node %d", node->numa_node);
		if (!strstr(said_of(environment, node->bdf), expected))
			return pv_error(e, -EOPNOTSUPP, "%s at %s: expected it on %s", node->name,
					pv_bdf_text(node->bdf).s, expected);
	}
	return 0;
}

/* Compares the IOMMU domain type of each PTT (iommu_group/type). A plan without an IOMMU accepts any. */
static int match_iommu(const struct pv_topology *plan, json_object *environment, struct pv_error *e)
{
	static const char *const words[] = {
		[PV_IOMMU_IDENTITY] = "IOMMU identity", [PV_IOMMU_TRANSLATES] = "IOMMU DMA"};

	for (size_t i = 0; plan->iommu != PV_IOMMU_NONE && i < plan->n; i++) {
		const struct pv_topo_node *node = &plan->nodes[i];

		if (node->role == PV_ROLE_PTT && !strstr(said_of(environment, node->bdf), words[plan->iommu]))
			return pv_error(e, -EOPNOTSUPP, "%s at %s: expected it behind an %s", node->name,
					pv_bdf_text(node->bdf).s, words[plan->iommu]);
	}
	return 0;
}

static int match_cpus(const struct pv_topology *plan, json_object *environment, struct pv_error *e)
{
	char list[32];

	if (plan->cpus == 1 && !plan->numa_nodes)
		return 0;
	cpu_list(0, plan->cpus, list, sizeof(list));
	if (strcmp(said(environment, "CPUs"), list) != 0)
		return pv_error(e, -EOPNOTSUPP, "expected CPUs %s, got %s", list,
				*said(environment, "CPUs") ? said(environment, "CPUs") : "no word of its CPUs");
	int err = match_nodes(plan, environment, e);
	return err ? err : match_places(plan, environment, e);
}

int pv_board_match_environment(const struct pv_topology *plan, json_object *environment, struct pv_error *e)
{
	int err = match_cpus(plan, environment, e);

	return err ? err : match_iommu(plan, environment, e);
}
