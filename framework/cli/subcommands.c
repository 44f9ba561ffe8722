/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dispatches to subcommands. */
#include "framework/cli/subcommands.h"

#include <stdio.h>
#include <string.h>

#include "framework/util/hint.h"

const char *pv_cli_last_word(const struct pv_command *c)
{
	const char *blank = strrchr(c->name, ' ');

	return blank ? blank + 1 : c->name;
}

static const char *candidate(const void *group, size_t i)
{
	const struct pv_command *c = ((const struct pv_command *)group)->commands[i];

	return c ? pv_cli_last_word(c) : NULL;
}

static int print_usage(const struct pv_command *self)
{
	printf("usage: pcieval %s COMMAND [OPTION]...%s\n\n%s\n\nCommands:\n", self->name,
	       self->args + strlen("COMMAND"), self->help);
	for (const struct pv_command *const *c = self->commands; *c; c++)
		printf("  %-10s %s\n", pv_cli_last_word(*c), (*c)->help);
	printf("\n%s\n", self->text);
	return PV_EXIT_PASSED;
}

int pv_cli_subcommand(const struct pv_command *self, int argc, char **argv)
{
	const struct pv_command *const *c = self->commands;

	if (argc < 2)
		return pv_cli_error("%s: expected a command; see 'pcieval %s --help'", self->name, self->name);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_usage(self);
	while (*c && strcmp(pv_cli_last_word(*c), argv[1]))
		c++;
	if (!*c) {
		struct pv_hint hint = pv_did_you_mean(argv[1], candidate, self);

		return pv_cli_error("%s: there is no command '%s'%s%s see 'pcieval %s --help'", self->name,
				    PV_SHOW(argv[1]), hint.s, *hint.s ? " Or" : ";", self->name);
	}
	return (*c)->run(*c, argc - 1, argv + 1);
}
