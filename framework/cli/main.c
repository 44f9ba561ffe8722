/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pcieval command: finds the subcommand and hands over. */
#include <stdio.h>
#include <string.h>

#include "framework/cli/commands.h"
#include "framework/plan/problem.h"

static int print_usage(void)
{
	puts("usage: pcieval COMMAND [OPTION]... [FILE]...\n\n"
	     "Proves that PCIe and CXL performance hardware, and the drivers that expose it,\n"
	     "tell the truth.\n\n"
	     "Commands:");
	for (const struct pv_command *const *c = pv_commands; *c; c++)
		printf("  %-10s %s\n", (*c)->name, (*c)->help);
	puts("\n'pcieval COMMAND --help' says more. Exit status: 0 passed, 1 failed, 2 usage or\n"
	     "plan error, 3 some case could not be judged.");
	return PV_EXIT_PASSED;
}

static const struct pv_command *find(const char *name)
{
	const struct pv_command *const *c = pv_commands;
	while (*c && strcmp((*c)->name, name))
		c++;
	return *c;
}

static const char *candidate_command(const void *ctx, size_t i)
{
	return pv_commands[i] ? pv_commands[i]->name : NULL;
}

static bool is(const char *arg, const char *a, const char *b)
{
	return !strcmp(arg, a) || !strcmp(arg, b);
}

/* What was printed may still be in a buffer that cannot be written: a full disk is not success. */
static int finish(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		perror("pcieval: standard output");
		return status ? status : PV_EXIT_UNJUDGED;
	}
	return status;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return pv_cli_error("expected a command; see 'pcieval --help'");
	const char *name = argv[1];
	if (is(name, "--version", "-V"))
		return finish(puts("pcieval " PCIEVAL_VERSION) < 0);
	if (is(name, "--help", "-h") || (is(name, "help", "help") && argc == 2))
		return finish(print_usage());
	bool help = !strcmp(name, "help");
	const struct pv_command *c = find(help ? argv[2] : name);
	if (!c) {
		const char *word = help ? argv[2] : name;
		struct pv_hint hint = pv_did_you_mean(word, candidate_command, NULL);
		return pv_cli_error("there is no command '%s'%s", PV_SHOW(word),
				    hint.s[0] ? hint.s : "; see 'pcieval --help'");
	}
	char option[] = "--help", *help_argv[] = {argv[0], option, NULL};
	return finish(help ? c->run(c, 2, help_argv) : c->run(c, argc - 1, argv + 1));
}
