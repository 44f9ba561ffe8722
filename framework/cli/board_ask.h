/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a real machine says of itself, for the reports of a run (framework/target/environment.h). */
#ifndef PV_CLI_BOARD_ASK_H
#define PV_CLI_BOARD_ASK_H

#include <json-c/json.h>

#include "framework/board/ssh.h"

/* Asks this machine by a pcieval-far; `root` NULL: the root. NULL: *e says why. */
json_object *pv_cli_ask_local(const char *program, const char *root, struct pv_error *e);
/* Asks a board; `options` are those of the program there. NULL: *e says why. */
json_object *pv_cli_ask_ssh(struct pv_ssh *ssh, const char *options, struct pv_error *e);

#endif
