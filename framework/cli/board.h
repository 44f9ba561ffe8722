/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Subcommands of `pcieval board`. */
#ifndef PV_CLI_BOARD_H
#define PV_CLI_BOARD_H

#include "framework/cli/cli.h"

extern const struct pv_command pv_board_check_command; /* board_check.c */
extern const struct pv_command pv_board_new_command;   /* board_new.c */

#endif
