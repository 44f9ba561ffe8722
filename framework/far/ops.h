/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The member of a table that each op stands for. The server uses it to tell what it supports, the client to remove what
 * the server lacks from its tables.
 */
#ifndef PV_FAR_OPS_H
#define PV_FAR_OPS_H

#include <stdbool.h>
#include <stddef.h>

#include "framework/far/protocol.h"

enum pv_far_table { PV_FAR_DRIVER = 1, PV_FAR_MACHINE, PV_FAR_SHELL };

#define PV_FAR_NEEDED	0x1u /* without it nothing can be tested */
#define PV_FAR_CHANGES	0x2u /* changes the machine beyond the session: not supported by a read-only server ... */
#define PV_FAR_EXECUTES 0x8u /* runs a program: supported by a read-only server that may */
#define PV_FAR_UNDOES	0x4u /* ... unless it is undone with the session */

struct pv_far_member {
	enum pv_far_table table; /* 0: none */
	size_t offset;		 /* of the function pointer in the table of ops */
	unsigned flags;		 /* PV_FAR_NEEDED and so on */
};
extern const struct pv_far_member pv_far_members[PV_FAR_OPS];

#endif
