/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding the command of a command and handing over to it. */
#include "framework/cli/subcommands.h"

#include <stdio.h>
#include <string.h>

#include "framework/util/hint.h"

struct group {
	const struct pv_command *self, *const *commands;
};

static const char *short_name(const struct group *g, size_t i)
{
	return g->commands[i] ? g->commands[i]->name + strlen(g->self->name) + 1 : NULL;
}

static const char *candidate(const void *ctx, size_t i)
{
	return short_name(ctx, i);
}

static int print_usage(const struct group *g)
{
	printf("usage: pcieval %s COMMAND [OPTION]...%s\n\n%s\n\nCommands:\n", g->self->name,
	       g->self->args + strlen("COMMAND"), g->self->help);
	for (size_t i = 0; g->commands[i]; i++)
		printf("  %-10s %s\n", short_name(g, i), g->commands[i]->help);
	printf("\n%s\n", g->self->text);
	return PV_EXIT_PASSED;
}

int pv_cli_subcommand(const struct pv_command *self, const struct pv_command *const *commands, int argc, char **argv)
{
	const struct group g = {self, commands};
	size_t i = 0;

	if (argc < 2)
		return pv_cli_error("%s: expected a command; see 'pcieval %s --help'", self->name, self->name);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_usage(&g);
	while (commands[i] && strcmp(short_name(&g, i), argv[1]))
		i++;
	if (!commands[i]) {
		struct pv_hint hint = pv_did_you_mean(argv[1], candidate, &g);

		return pv_cli_error("%s: there is no command '%s'%s%s see 'pcieval %s --help'", self->name,
				    PV_SHOW(argv[1]), hint.s, *hint.s ? " Or" : ";", self->name);
	}
	return commands[i]->run(commands[i], argc - 1, argv + 1);
}
