/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bandwidth budgets: the sum of the devices behind the uplink of a switch, compared with the uplink. */
#ifndef PV_MPS_BUDGET_H
#define PV_MPS_BUDGET_H

#include "framework/mps/predict.h"

struct pv_budget {
	const struct pv_pci_func *uplink; /* the Upstream Port */
	size_t devices;			  /* number of devices with a link below it, also behind further switches */
	double link, below;		  /* bytes per second after encoding: its own link, and the sum of all below */
	/* Payload bytes per second: sum over the devices, each running alone; and all of them running together. */
	struct pv_throughput alone, together;
};

/*
 * Finds the budget of an Upstream Port. A device counts with the bandwidth of its own link, but devices behind a
 * further switch with no more than its uplink. False: no such port, no device below it, or a link in Flit Mode, which
 * the arithmetic does not support.
 */
bool pv_budget_find(const struct pv_pci_func *uplink, struct pv_budget *budget);
/* Returns true if the sum of the devices exceeds the uplink. */
bool pv_budget_is_short(const struct pv_budget *budget);

#endif
