/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The draft of a board's description, made from the machine's functions. */
#ifndef PV_BOARD_DRAFT_H
#define PV_BOARD_DRAFT_H

#include <stdio.h>

#include "framework/board/connect.h"

/*
 * Writes a valid description. Its comments list the functions that plans can use, with their links, PMUs and events.
 * They also propose entries for the lab to decide on: workload commands of drives and network cards, <writes/>, a tap.
 * `name`: of the board.
 */
void pv_board_draft(struct pv_board *b, const char *name, FILE *f);

#endif
