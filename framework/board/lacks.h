/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Needs of the steps of a case besides functions: a tap, workload commands, permissions. */
#ifndef PV_BOARD_LACKS_H
#define PV_BOARD_LACKS_H

#include "framework/board/connect.h"

/* Returns what is missing for the first step that would be skipped. NULL: nothing is known to be missing. */
const char *pv_board_lacks(const struct pv_board *b, json_object *message);

#endif
