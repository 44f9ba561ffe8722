/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of CXL PMUs. Linux probes memory devices in parallel and numbers them (`memN`) in the order in which probes
 * finish, so the numbers of a machine vary from boot to boot. Plans number memory devices by BDF. The parent function
 * of a PMU tells which device it is.
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
	char name[256]; /* result of the last call */
};

/* Maps the numbers of the driver's PMUs. Devices of the plan without a PMU keep their number. */
void pv_memdevs_read(struct pv_memdevs *m, struct pv_driver *driver, const struct pv_topology *plan);
/*
 * Translates a PMU name from the plan to this machine, and back. Other names are returned as they are. The result is
 * valid until the next call.
 */
const char *pv_memdevs_is(struct pv_memdevs *m, const char *plan);
const char *pv_memdevs_plan(struct pv_memdevs *m, const char *is);

#endif
