/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches the topology of a plan with a real machine. Each function of the plan is the machine's function at the same
 * BDF, because PMU names, filters and expected values in a plan depend on BDFs.
 */
#ifndef PV_BOARD_MATCH_H
#define PV_BOARD_MATCH_H

#include <json-c/json.h>

#include "framework/board/description.h"
#include "framework/board/facts.h"
#include "framework/board/needs.h"
#include "framework/pci/machine.h"
#include "framework/topology/topology.h"
#include "framework/util/error.h"

/* Finds the function of a machine at this BDF. NULL: none. */
struct pv_pci_func *pv_board_find(struct pv_pci_machine *m, pv_bdf bdf);

/* Returns the BDF of a function, with its domain as Linux numbers it. */
pv_bdf pv_board_place_of(const struct pv_pci_func *f);
/* Returns false for a function whose domain has more than 16 bits, as those of Intel VMD: no BDF of a plan names it. */
bool pv_board_has_place(const struct pv_pci_func *f);
/* Returns the name of a kind for messages: "Root Port". */
const char *pv_board_kind_name(enum pv_node_kind kind);

/* A difference: expected is the plan's value, got the machine's. */
struct pv_board_difference {
	char expected[96], got[96];
};

/* Input of pv_board_role_differs() besides the function. */
struct pv_role_match {
	const struct pv_needs *needs;
	const struct pv_role_needs *role;
	struct pv_pci_machine *machine;
	const struct pv_board_description *description; /* may be NULL */
	json_object *environment;			/* may be NULL */
};

/*
 * Checks that a function of the machine has the properties that a case needs of the role `node` (number of lanes, kind,
 * and so on), at any place. Returns 0 if it fits; otherwise a number that grows with the number of properties that
 * match, with the first difference in *d.
 */
unsigned pv_board_role_differs(const struct pv_role_match *role, const struct pv_topo_node *node,
			       const struct pv_pci_func *func, struct pv_board_difference *d);

/*
 * Checks that the machine has every function of the plan, by configuration space. Refuses properties that only models
 * can have (a PTT that writes rubbish), unless the description, which may be NULL, vouches for the function. 0;
 * -EOPNOTSUPP: *e names the first function that is missing or differs, and the number of such functions.
 */
int pv_board_match(const struct pv_topology *plan, struct pv_pci_machine *machine,
		   const struct pv_board_description *description, struct pv_error *e);

/*
 * Compares with `environment` (framework/target/environment.h; NULL: empty): CPUs and NUMA nodes, if the plan has more
 * than one CPU or a NUMA node, and IOMMU domains of PTTs, if it has an IOMMU. 0; -EOPNOTSUPP: *e has the difference.
 */
int pv_board_match_environment(const struct pv_topology *plan, json_object *environment, struct pv_error *e);

#endif
