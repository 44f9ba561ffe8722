/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval validate: checks plans and board descriptions, and prints schema and reference. */
#include <stdio.h>
#include <stdlib.h>

#include "framework/board/description.h"
#include "framework/cli/commands.h"
#include "framework/schema/schema.h"

struct options {
	bool reference, steps, schema, quiet;
};

static const struct pv_option options[] = {
	{"quiet", 'q', PV_OPTION_FLAG, offsetof(struct options, quiet), NULL, "print nothing if there are no problems"},
	{"reference", 0, PV_OPTION_FLAG, offsetof(struct options, reference), NULL,
	 "print the reference of plans, in Markdown"},
	{"steps", 0, PV_OPTION_FLAG, offsetof(struct options, steps), NULL, "print only the steps of plans, as text"},
	{"schema", 0, PV_OPTION_FLAG, offsetof(struct options, schema), NULL,
	 "print the XML Schema of plans, for editors"},
	{0},
};

static int print(void (*part)(const struct pv_schema *s, FILE *out))
{
	part(&pv_plan_schema, stdout);
	return PV_EXIT_PASSED;
}

struct count {
	size_t plans, cases, boards;
};

static void print_count(const struct count *c)
{
	if (c->plans || !c->boards)
		printf("%zu plan%s, %zu case%s%s", c->plans, c->plans == 1 ? "" : "s", c->cases,
		       c->cases == 1 ? "" : "s", c->boards ? ", " : "");
	if (c->boards)
		printf("%zu board%s", c->boards, c->boards == 1 ? "" : "s");
	printf(": no problems\n");
}

/* Checks plans. False: they have problems, which were reported. */
static bool validate_plans(const char *const *files, size_t n, struct count *c)
{
	struct pv_plans *plans = pv_cli_load(files, n, NULL);

	if (!plans)
		return false;
	c->plans = plans->n_plans;
	c->cases = plans->n_cases;
	pv_plans_free(plans);
	return true;
}

/* Validates files as plans unless they describe a board. */
static int validate(const char *const *files, size_t n, const struct options *o)
{
	const char **others = calloc(n + 1, sizeof(*others));
	struct count c = {0};
	size_t n_others = 0;
	bool good = others;

	for (size_t i = 0; others && i < n; i++) {
		if (!pv_board_is_description(files[i])) {
			others[n_others++] = files[i];
			continue;
		}
		good &= !pv_board_validate(files[i], pv_cli_problem, NULL);
		c.boards++;
	}
	if (others && (n_others || !n))
		good &= validate_plans(others, n_others, &c);
	free(others);
	if (good && !o->quiet)
		print_count(&c);
	return good ? PV_EXIT_PASSED : PV_EXIT_USAGE;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (!pv_cli_parse(self, argc, argv, &o, &first, &status))
		return status;
	if (o.reference)
		return print(pv_schema_reference);
	if (o.steps)
		return print(pv_schema_steps);
	if (o.schema)
		return print(pv_schema_xsd);
	return validate((const char *const *)argv + first, (size_t)(argc - first), &o);
}

const struct pv_command pv_command_validate = {
	.name = "validate",
	.args = "FILE...",
	.help = "check plans and descriptions of boards, and report all mistakes",
	.options = options,
	.run = run,
};
