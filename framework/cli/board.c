/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval board`: dispatches to its subcommands. */
#include "framework/cli/board.h"

#include "framework/cli/commands.h"
#include "framework/cli/subcommands.h"

static const struct pv_command *const board_commands[] = {
	&pv_board_check_command,
	&pv_board_new_command,
	NULL,
};

const struct pv_command pv_command_board = {
	.name = "board",
	.args = "COMMAND TARGET [FILE]...",
	.help = "describe a real machine, and find out which cases it can run",
	.text = "TARGET is local or ssh:HOST. See docs/lab.md.",
	.commands = board_commands,
	.run = pv_cli_subcommand,
};
