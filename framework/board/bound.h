/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A case with its roles assigned to functions of a machine (bind.h): its topology and steps, rewritten for that
 * machine.
 */
#ifndef PV_BOARD_BOUND_H
#define PV_BOARD_BOUND_H

#include "framework/board/bind.h"
#include "framework/board/translate.h"

/*
 * Copies a case message for the assigned functions: the topology has only these, with their BDFs, links and PMUs, and
 * the steps name them. Member "roles" of the copy is an object of names and BDFs. 0 or -ENOMEM; the caller puts *out.
 */
int pv_bound_case(const struct pv_bind *in, const struct pv_pci_func *const *func, json_object *message,
		  json_object **out, struct pv_error *e);

/* Copies a case message with the complete topology `moved`, and with steps moved to `places`. */
int pv_bound_moved(const struct pv_board_places *places, const struct pv_topology *moved, json_object *message,
		   json_object **out, struct pv_error *e);

#endif
