/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of CXL PMUs. Linux probes memory devices side by side and numbers them (`memN`) in the order in which they are
 * done, so that the same machine has other numbers after each boot. Plans number them by their places. The function
 * that a PMU belongs to tells which is which.
 */
#ifndef PV_BOARD_MEMDEVS_H
#define PV_BOARD_MEMDEVS_H

#include <stddef.h>

#include "framework/target/driver.h"
#include "framework/topology/topology.h"

#define PV_MEMDEVS_MAX 64

struct pv_memdevs {
	struct {
		unsigned plan, is;
	} number[PV_MEMDEVS_MAX];
	size_t n;
	char name[256]; /* the last one that was asked for */
};

/* Looks at the PMUs that are there. Devices of the plan that have none keep their number. */
void pv_memdevs_read(struct pv_memdevs *m, struct pv_driver *driver, const struct pv_topology *plan);
/*
 * The name on this machine of a PMU of the plan, and the name in the plan of one of this machine. Valid until the next
 * call; others' names stay.
 */
const char *pv_memdevs_is(struct pv_memdevs *m, const char *plan);
const char *pv_memdevs_plan(struct pv_memdevs *m, const char *is);

#endif
