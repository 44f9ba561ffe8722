/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of a whole topology, across functions. */
#ifndef PV_PLAN_TOPOLOGY_CHECK_H
#define PV_PLAN_TOPOLOGY_CHECK_H

#include "framework/plan/topology.h"

/* Also sets the port range of each PTT, which depends on other nodes. False: problems were reported. */
bool pv_topology_check(struct pv_plan_topology *t, struct pv_problems *p, const char *where);

#endif
