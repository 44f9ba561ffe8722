/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of targets. */
#ifndef PV_AGENT_TARGETS_H
#define PV_AGENT_TARGETS_H

#include "framework/target/target.h"

/* NULL-terminated (targets.c). */
extern const struct pv_target_ops *const pv_targets[];
/* The part after a colon ("ssh:HOST") is passed to the target. NULL: no such target. */
const struct pv_target_ops *pv_target_find(const char *name);

#endif
