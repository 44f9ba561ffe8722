/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcieval agent: the far side of the protocol. Reads a case from standard input and writes events to standard output;
 * the runner starts it, here, in a guest or on a board.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "framework/agent/agent.h"
#include "framework/agent/postmortem.h"
#include "framework/cli/commands.h"

struct options {
	bool steps;
};

static const struct pv_option options[] = {
	{"steps", 0, PV_OPTION_FLAG, offsetof(struct options, steps), NULL, "print the steps that this agent knows"},
	{0},
};

/* The protocol keeps standard output for itself: what libraries print there goes to standard error. */
static FILE *take_stdout(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return NULL;
	return fdopen(fd, "w");
}

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
	FILE *out = take_stdout();
	if (!out)
		return pv_cli_error("agent: standard output: %s", strerror(errno));
	int err = pv_postmortem_start();
	if (err)
		return pv_cli_error("agent: preparing for its end: %s", strerror(-err));
	pv_agent_serve(stdin, out);
	bool lost = ferror(out);
	if (!fclose(out) && !lost)
		return PV_EXIT_PASSED;
	pv_cli_error("agent: standard output: events could not be written");
	return PV_EXIT_UNJUDGED;
}

const struct pv_command pv_command_agent = {
	.name = "agent",
	.args = "",
	.help = "run one case from standard input (started by `pcieval run`)",
	.options = options,
	.run = run,
};
