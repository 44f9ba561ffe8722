/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running a case in this process, on the models. */
#ifndef PV_EXPLORE_MACHINE_H
#define PV_EXPLORE_MACHINE_H

#include "framework/agent/session.h"
#include "framework/explore/explore.h"

/*
 * Runs a case with a rehearsal, whose problem() is not used, or with r NULL; its steps afterwards are those of the
 * rehearsal. 0, or -errno with *e: its topology is none.
 */
int pv_explore_rehearse(json_object *c, const char *const *defects, const struct pv_rehearsal *r,
			struct pv_explore_verdict *v, struct pv_error *e);

#endif
