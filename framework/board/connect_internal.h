/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that connect to a board. */
#ifndef PV_BOARD_CONNECT_INTERNAL_H
#define PV_BOARD_CONNECT_INTERNAL_H

#include "framework/board/connect.h"

/*
 * Connects to the board of ssh, installs the program, and reserves the board, which restores earlier changes. Sets
 * b->options. 0 or -errno.
 */
int pv_board_reach(struct pv_board *b, struct pv_error *e);
/* Reads the facts of the board of ssh; the fact PV_FACTS_UNKNOWN says why they are unknown. */
json_object *pv_board_ask(struct pv_board *b);
/*
 * Compares the board with facts `is` with the start of the run. Returns true with the difference in `out`. *boots:
 * something is missing that a board still has to find or load.
 */
bool pv_board_compare(const struct pv_board *b, json_object *is, bool *boots, char *out, size_t size);
/* Saves the crash records from before the run, and starts the console: both are compared after a crash. */
void pv_board_prepare(struct pv_board *b);
/*
 * Lists the crash records of the board, to tell later which are new. The caller frees it. NULL with *e: they are
 * unknown.
 */
char *pv_board_list_crashes(struct pv_board *b, struct pv_error *e);
/* Prints the records that b->crashes lacks, and lists them there. Prints what is unknown or left out, too. */
void pv_board_print_crashes(struct pv_board *b, FILE *out);
/* Boots a board that does not answer at the start of a run, by the strategy of its place, and connects. 0 or *e. */
int pv_board_boot(struct pv_board *b, struct pv_error *e);

#endif
