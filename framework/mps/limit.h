/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reasons why a policy sets an MPS below the MPSS: which function limits which. */
#ifndef PV_MPS_LIMIT_H
#define PV_MPS_LIMIT_H

#include "framework/mps/plan.h"

/* Fills `limit` and `limited_by` of all functions of a plan of this policy. */
void pv_limits_find(struct pv_policy_plan *plan, enum pv_mps_policy policy);
/* "mpss", "hotplug", "firmware", "policy"; NULL: none. */
const char *pv_limit_word(enum pv_limit_kind limit);

#endif
