/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A case whose roles have been found on a machine (bind.h): its topology and steps as that machine has them. */
#ifndef PV_BOARD_BOUND_H
#define PV_BOARD_BOUND_H

#include "framework/board/bind.h"
#include "framework/board/translate.h"

/*
 * Copies a case message, with the needed functions alone, at their places, with their links and PMUs, and steps that
 * name these. "roles" of the copy is an object of names and BDFs. 0 or -ENOMEM; the caller puts *out.
 */
int pv_bound_case(const struct pv_bind *in, const struct pv_pci_func *const *func, json_object *message,
		  json_object **out, struct pv_error *e);

/* Copies a case message with all functions of its topology, which are at `places` or where the plan has them. */
int pv_bound_moved(const struct pv_board_places *places, const struct pv_topology *moved, json_object *message,
		   json_object **out, struct pv_error *e);

#endif
