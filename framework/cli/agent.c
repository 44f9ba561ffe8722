/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval agent: the agent's side of the protocol, for use by hand. Reads a case from standard input and writes events
 * to standard output. The runner starts pcieval-agent, which does the same.
 */
#include "framework/agent/agent.h"
#include "framework/cli/commands.h"

static int run(const struct pv_command *self, int argc, char **argv)
{
	int first, status;

	if (!pv_cli_parse(self, argc, argv, NULL, &first, &status))
		return status;
	if (first < argc)
		return pv_cli_error("agent: expected no arguments, got \"%s\"", argv[first]);
	return pv_agent_program();
}

const struct pv_command pv_command_agent = {
	.name = "agent",
	.args = "",
	.help = "run one case from standard input (started by `pcieval run`)",
	.run = run,
};
