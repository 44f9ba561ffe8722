/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of subcommands, in the order of the help. */
#include "framework/cli/commands.h"

const struct pv_command *const pv_commands[] = {
	&pv_command_run,      &pv_command_explore, &pv_command_shrink,	 &pv_command_report, &pv_command_merge,
	&pv_command_submit,   &pv_command_compare, &pv_command_history,	 &pv_command_list,   &pv_command_validate,
	&pv_command_coverage, &pv_command_golden,  &pv_command_trace,	 &pv_command_mps,    &pv_command_board,
	&pv_command_watch,    &pv_command_bench,   &pv_command_complete, &pv_command_agent,  NULL,
};
