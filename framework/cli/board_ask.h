/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a real machine says of itself, for the reports of a run (framework/target/environment.h). */
#ifndef PV_CLI_BOARD_ASK_H
#define PV_CLI_BOARD_ASK_H

#include <json-c/json.h>

/*
 * Runs the command, `pcieval-far --environment` here or at the other end of an ssh, for 10 s at most. No run fails by what it
 * does not say: then the fact "not readable" says why. NULL: no memory.
 */
json_object *pv_cli_ask(const char *const *command);

#endif
