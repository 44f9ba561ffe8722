/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a topology must satisfy as a whole. */
#ifndef PV_PLAN_TOPOLOGY_CHECK_H
#define PV_PLAN_TOPOLOGY_CHECK_H

#include "framework/plan/topology.h"

/* Also fills what depends on other nodes: the range of a PTT. False: reported. */
bool pv_topology_check(struct pv_plan_topology *t, struct pv_problems *p, const char *where);

#endif
