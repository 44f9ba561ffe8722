/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bandwidth budgets: the devices behind the uplink of a switch against the uplink that they share. */
#ifndef PV_MPS_BUDGET_H
#define PV_MPS_BUDGET_H

#include "framework/mps/predict.h"

struct pv_budget {
	const struct pv_pci_func *uplink; /* the Upstream Port */
	size_t devices;			  /* with a link below it, also behind further switches */
	double link, below;		  /* bytes per second after encoding: its link, and all that reaches it */
	/* Payload bytes per second: of the devices when each is alone, added up, and of all of them at once. */
	struct pv_throughput alone, together;
};

/*
 * Finds the budget of an Upstream Port. A device brings what its own link carries; behind a further switch no more than
 * that switch's uplink. False: no such port, no device below it, or a link of flits, which the arithmetic does not
 * know.
 */
bool pv_budget_find(const struct pv_pci_func *uplink, struct pv_budget *budget);
/* Returns true if the devices together can bring more than the uplink carries. */
bool pv_budget_is_short(const struct pv_budget *budget);

#endif
