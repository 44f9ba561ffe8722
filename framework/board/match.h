/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The topology of a plan against a real machine. A function of the machine stands for the plan's function at the same
 * place: names of PMUs, filters and expected values of a plan depend on places, so that no other function can.
 */
#ifndef PV_BOARD_MATCH_H
#define PV_BOARD_MATCH_H

#include <json-c/json.h>

#include "framework/board/description.h"
#include "framework/pci/machine.h"
#include "framework/topology/topology.h"
#include "framework/util/error.h"

/* The function of a machine at this place. NULL: none. */
struct pv_pci_func *pv_board_find(struct pv_pci_machine *m, pv_bdf bdf);

/*
 * Has the machine all that the plan's topology has? What can be read in configuration space is compared; what nobody can
 * ask of a real machine (a PTT with a bug of its own) is refused, unless the description, which may
 * be NULL, vouches for it. 0; -EOPNOTSUPP: *e names the first
 * function that is missing or differs, and how many more do.
 */
int pv_board_match(const struct pv_topology *plan, struct pv_pci_machine *machine,
		   const struct pv_board_description *description, struct pv_error *e);

/*
 * The same for what a plan with more than one CPU, or with an IOMMU, names: are CPUs, NUMA nodes and the domains of PTTs what the machine says of
 * itself in `environment` (framework/target/environment.h; NULL: nothing)? 0; -EOPNOTSUPP: *e says what differs.
 */
int pv_board_match_environment(const struct pv_topology *plan, json_object *environment, struct pv_error *e);

#endif
