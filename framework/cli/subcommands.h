/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Subcommands of a command: `pcieval trace decode`, `pcieval mps show`. */
#ifndef PV_CLI_SUBCOMMANDS_H
#define PV_CLI_SUBCOMMANDS_H

#include "framework/cli/cli.h"

/*
 * Runs the one of self->commands that argv[1] names, or prints the usage of `self`, whose args begin with COMMAND. The
 * name of a subcommand is the name of `self`, a blank, and its own name. Returns the exit status.
 */
int pv_cli_subcommand(const struct pv_command *self, int argc, char **argv);
/* Returns the last word of a command's name: "show" of "mps show", "run" of "run". */
const char *pv_cli_last_word(const struct pv_command *c);

#endif
