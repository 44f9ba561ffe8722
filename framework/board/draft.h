/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The draft of a board's description, from what the machine shows. */
#ifndef PV_BOARD_DRAFT_H
#define PV_BOARD_DRAFT_H

#include <stdio.h>

#include "framework/board/connect.h"

/*
 * Writes a description that loads: comments name the functions that plans are about, with their links, PMUs and events,
 * and propose what only the lab can decide: workload commands of drives and network cards, <writes/>, a tap. `name`: of
 * the board.
 */
void pv_board_draft(struct pv_board *b, const char *name, FILE *f);

#endif
