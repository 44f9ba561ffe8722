/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPMUs of a memory device that can play those of a case. A case that names CPMU 1 needs one with its events: on
 * another device that can be CPMU 0.
 */
#ifndef PV_BOARD_CPMUS_H
#define PV_BOARD_CPMUS_H

#include "framework/board/needs.h"

/* The CPMUs of a device that a case names, and what plays them. */
struct pv_board_cpmus {
	uint8_t is[PV_NEEDS_CPMUS_MAX]; /* the machine's number, for each of the plan; the same if no step names it */
	unsigned missing;		/* if there is no assignment: the plan's CPMU that none can play */
	/* The event that the CPMU of this number does not have as the case wants it; NULL: there is no such CPMU. */
	const struct pv_event_need *event;
};

/*
 * Assigns CPMUs of the machine's function at `at` to those of memory device `node` of the plan: the one with the same
 * number, if it has the events that steps name, otherwise the first one that has. False: none has.
 */
bool pv_board_cpmus(const struct pv_needs *n, size_t node, json_object *environment, pv_bdf at,
		    struct pv_board_cpmus *out);

#endif
