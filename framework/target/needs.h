/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds what the steps of a case need in a guest beside kernel and far side, from the case message (docs/protocol.md).
 */
#ifndef PV_TARGET_NEEDS_H
#define PV_TARGET_NEEDS_H

#include <json-c/json.h>
#include <stdbool.h>

/* Returns true if a step runs perf. */
bool pv_case_runs_perf(json_object *case_msg);
/* Returns true if a step needs framework/far/module: sets MPS or MRRS, suspends the system. */
bool pv_case_uses_module(json_object *case_msg);

#endif
