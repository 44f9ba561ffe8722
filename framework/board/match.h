/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches the topology of a plan with a real machine. Each function of the plan is the machine's function at the same
 * BDF, because PMU names, filters and expected values in a plan depend on BDFs.
 */
#ifndef PV_BOARD_MATCH_H
#define PV_BOARD_MATCH_H

#include <json-c/json.h>

#include "framework/board/description.h"
#include "framework/pci/machine.h"
#include "framework/topology/topology.h"
#include "framework/util/error.h"

/* Finds the function of a machine at this BDF. NULL: none. */
struct pv_pci_func *pv_board_find(struct pv_pci_machine *m, pv_bdf bdf);

/*
 * Checks that the machine has every function of the plan, by configuration space. Refuses properties that only models
 * can be given (a PTT that writes rubbish), unless the description, which may be NULL, vouches for the function. 0;
 * -EOPNOTSUPP: *e names the first function that is missing or differs, and how many do.
 */
int pv_board_match(const struct pv_topology *plan, struct pv_pci_machine *machine,
		   const struct pv_board_description *description, struct pv_error *e);

/*
 * Compares the plan's CPUs and NUMA nodes, if it has more than one CPU or a NUMA node, and the IOMMU domains of its
 * PTTs, if it has an IOMMU, with `environment` (framework/target/environment.h; NULL: empty). 0; -EOPNOTSUPP: *e says
 * what differs.
 */
int pv_board_match_environment(const struct pv_topology *plan, json_object *environment, struct pv_error *e);

#endif
