/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the environment of a real machine for the reports of a run (framework/target/environment.h). */
#ifndef PV_CLI_BOARD_ASK_H
#define PV_CLI_BOARD_ASK_H

#include <json-c/json.h>

/*
 * Runs the command, `pcieval-far --environment` here or over ssh, for 10 s at most. A failure does not fail the run:
 * the fact "not readable" gives the reason. NULL: no memory.
 */
json_object *pv_cli_ask(const char *const *command);

#endif
