/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places a case on a machine: at the BDFs of the plan (or of the board's description) if the machine has the whole
 * topology there; otherwise on functions that can play its roles (bind.h).
 */
#ifndef PV_BOARD_PLACE_H
#define PV_BOARD_PLACE_H

#include "framework/board/connect.h"

/*
 * Finds the functions for a case, after pv_board_connect(). `plan` NULL: the case needs no functions. *bound: its
 * message for this machine; NULL: unchanged. *reason: why the machine cannot run it; NULL: it can. The board owns both.
 * 0 or -errno.
 */
int pv_board_place(struct pv_board *b, const struct pv_topology *plan, json_object *message, json_object **bound,
		   const char **reason, struct pv_error *e);

/*
 * Finds the functions that a case can be about (pv_bind_subject()), in the order of BDFs. `*role` is its name in
 * `plan`. *n 0: no function can play the role, or the case needs the plan's whole topology. The caller frees *is. 0 or
 * -errno.
 */
int pv_board_subjects(struct pv_board *b, const struct pv_topology *plan, json_object *message, const char **role,
		      pv_bdf **is, size_t *n, struct pv_error *e);
/* As pv_board_place(), with this function in the role. */
int pv_board_place_on(struct pv_board *b, const struct pv_bind_wish *on, const struct pv_topology *plan,
		      json_object *message, json_object **bound, const char **reason, struct pv_error *e);

/* Fills b->wish from "ROLE=BDF,ROLE=BDF"; NULL: none. 0, -EINVAL, -ENOMEM. */
int pv_board_set_wishes(struct pv_board *b, const char *text, struct pv_error *e);

#endif
