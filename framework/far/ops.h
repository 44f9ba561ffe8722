/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which member of which table each op stands for. The server tells with it what there is, the client takes out of its
 * tables what there is not.
 */
#ifndef PV_FAR_OPS_H
#define PV_FAR_OPS_H

#include <stdbool.h>
#include <stddef.h>

#include "framework/far/protocol.h"

enum pv_far_table { PV_FAR_DRIVER = 1, PV_FAR_MACHINE, PV_FAR_SHELL };

struct pv_far_member {
	enum pv_far_table table; /* 0: none */
	size_t offset;		 /* of the function pointer in the table of ops */
	bool needed;
};
extern const struct pv_far_member pv_far_members[PV_FAR_OPS];

#endif
