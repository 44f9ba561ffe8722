/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval coverage: requirement by requirement, the cases that verify it. */
#include <stdio.h>
#include <string.h>

#include "framework/cli/commands.h"

struct options {
	const char *target, *results;
};

static const struct pv_option options[] = {
	{"target", 't', PV_OPTION_TEXT, offsetof(struct options, target), "TARGET", "the target to look at (model)"},
	{0},
};

static size_t count_cases(const struct pv_plans *plans, const char *id, const char *target)
{
	const char *const ids[] = {id, NULL};
	const struct pv_selection s = {.requirements = ids, .target = target};
	size_t n = 0;
	for (size_t i = 0; i < plans->n_cases; i++)
		n += !plans->cases[i]->skip && pv_case_selected(plans->cases[i], &s);
	return n;
}

static int coverage(const struct pv_plans *plans, const struct options *o)
{
	size_t gaps = 0;
	for (const struct pv_requirement *r = pv_requirements; r->id; r++) {
		size_t n = count_cases(plans, r->id, o->target ? o->target : "model");
		bool gap = !n && r->needs == PV_NEEDS_MODEL;
		gaps += gap;
		printf("%-10s %5zu  %s\n", r->id, n, gap ? "GAP" : n ? "" : r->reason);
	}
	printf("\n%zu requirement%s without a case\n", gaps, gaps == 1 ? "" : "s");
	return gaps ? PV_EXIT_FAILED : PV_EXIT_PASSED;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;
	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	struct pv_plans *plans = pv_cli_load((const char *const *)argv + first, (size_t)(argc - first), NULL);
	status = plans ? coverage(plans, &o) : PV_EXIT_USAGE;
	pv_plans_free(plans);
	return status;
}

const struct pv_command pv_command_coverage = {
	.name = "coverage",
	.args = "FILE...",
	.help = "show which requirements are verified, and which are not",
	.options = options,
	.run = run,
};
