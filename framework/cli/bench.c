/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `pcieval bench`: checks its arguments and executes the program pcieval-bench. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cli/commands.h"
#include "framework/util/cleanup.h"
#include "framework/util/share.h"

struct options {
	unsigned count;
};

static const struct pv_option options[] = {
	{"count", 'c', PV_OPTION_NUMBER, offsetof(struct options, count), "N", "TLPs of each row (default 10000000)"},
	{0},
};

/* Checks that the plans load, before the models are measured, which takes long. */
static bool can_load(char **plans, size_t n)
{
	struct pv_plans *p = pv_cli_load((const char *const *)plans, n, NULL);
	bool good = p;

	pv_plans_free(p);
	return good;
}

/* Executes pcieval-bench, with the arguments `rest`, terminated by NULL. */
static int become_bench(unsigned count, size_t n, char **rest)
{
	_autofree_ char *program = pv_share_program("pcieval-bench"), *self = realpath("/proc/self/exe", NULL);
	_autofree_ char **argv = calloc(n + 4, sizeof(*argv));
	struct pv_error e = {0};
	char tlps[16];

	if (!program) {
		pv_share_no_program("pcieval-bench", &e);
		pv_cli_error("bench: %s", e.text);
		return PV_EXIT_UNJUDGED;
	}
	if (!self || !argv)
		goto failed;
	snprintf(tlps, sizeof(tlps), "%u", count);
	argv[0] = program;
	argv[1] = self;
	argv[2] = tlps;
	memcpy(argv + 3, rest, n * sizeof(*rest));
	execv(program, argv);
failed:
	fprintf(stderr, "pcieval bench: starting %s: %s\n", program, strerror(errno));
	return PV_EXIT_UNJUDGED;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {.count = 10000000};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (!o.count)
		return pv_cli_error("--count: expected at least 1 TLP, got 0");
	size_t n = (size_t)(argc - first);
	bool part = n && (!strcmp(argv[first], "trace") || !strcmp(argv[first], "mps"));
	if (part && n > 1)
		return pv_cli_error("bench: expected nothing behind %s, got '%s'", argv[first], argv[first + 1]);
	if (n && !part && !can_load(argv + first, n))
		return PV_EXIT_USAGE;
	return become_bench(o.count, n, argv + first);
}

const struct pv_command pv_command_bench = {
	.name = "bench",
	.args = "[trace | mps | FILE...]",
	.help = "measure the models, the command, trace tools or mps",
	.text = "Build with --buildtype=release. The figures depend on this machine and its\n"
		"load: compare only rows of the same run.",
	.options = options,
	.run = run,
};
