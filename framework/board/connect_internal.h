/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that connect to a board. */
#ifndef PV_BOARD_CONNECT_INTERNAL_H
#define PV_BOARD_CONNECT_INTERNAL_H

#include "framework/board/connect.h"

/* Connects to the board of ssh, installs and holds: restores what was left changed. Sets b->options. 0 or -errno. */
int pv_board_reach(struct pv_board *b, struct pv_error *e);
/* Notes what is found after a crash, and is there before: records of crashes, and the console. */
void pv_board_prepare(struct pv_board *b);

#endif
