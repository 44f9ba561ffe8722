/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Needs of a case's steps in a guest beside kernel and far side, by the case message (docs/protocol.md). */
#ifndef PV_TARGET_NEEDS_H
#define PV_TARGET_NEEDS_H

#include <json-c/json.h>
#include <stdbool.h>

/* Returns true if a step runs perf. */
bool pv_case_runs_perf(json_object *case_msg);
/* Returns true if a step does what only framework/far/module can do: sets MPS or MRRS, suspends the system. */
bool pv_case_uses_module(json_object *case_msg);

#endif
