/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The targets that there are. */
#ifndef PV_AGENT_TARGETS_H
#define PV_AGENT_TARGETS_H

#include "framework/target/target.h"

/* All of them (targets.c), ended by NULL. */
extern const struct pv_target_ops *const pv_targets[];
/* What comes after a colon ("ssh:HOST") is the target's own. NULL: none is called so. */
const struct pv_target_ops *pv_target_find(const char *name);

#endif
