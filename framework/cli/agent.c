/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval agent: the far side of the protocol, for people. Reads a case from standard input and writes events to
 * standard output. The runner starts pcieval-agent, which does the same.
 */
#include "framework/agent/agent.h"
#include "framework/cli/commands.h"

struct options {
	bool steps;
};

static const struct pv_option options[] = {
	{"steps", 0, PV_OPTION_FLAG, offsetof(struct options, steps), NULL, "print the steps that this agent knows"},
	{0},
};

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (first < argc)
		return pv_cli_error("agent: expected no arguments, got \"%s\"", argv[first]);
	if (o.steps) {
		pv_agent_print_steps(stdout);
		return PV_EXIT_PASSED;
	}
	return pv_agent_program();
}

const struct pv_command pv_command_agent = {
	.name = "agent",
	.args = "",
	.help = "run one case from standard input (started by `pcieval run`)",
	.options = options,
	.run = run,
};
