/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places a case on a machine: at the places of the plan (or those of the board's description) if the machine has the
 * whole topology there, else with its roles on functions that can play them (bind.h).
 */
#ifndef PV_BOARD_PLACE_H
#define PV_BOARD_PLACE_H

#include "framework/board/connect.h"

/*
 * Finds the functions for a case, after pv_board_connect(). `plan` NULL: no functions. *bound is its message for this
 * machine; NULL: as in the plan. *reason says why the machine cannot run it; NULL: it can. Both belong to the board. 0
 * or -errno.
 */
int pv_board_place(struct pv_board *b, const struct pv_topology *plan, json_object *message, json_object **bound,
		   const char **reason, struct pv_error *e);

/* Fills b->wish from "ROLE=BDF,ROLE=BDF"; NULL: none. 0, -EINVAL, -ENOMEM. */
int pv_board_set_wishes(struct pv_board *b, const char *text, struct pv_error *e);

#endif
