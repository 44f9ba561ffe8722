/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcieval shrink: makes a failing case of a plan small. */
#include "framework/explore/shrink.h"

#include <errno.h>
#include <string.h>

#include "framework/cli/commands.h"
#include "framework/cli/explore_target.h"
#include "framework/explore/import.h"
#include "framework/util/json.h"
#include "framework/util/utf8.h"

struct options {
	struct pv_cli_explore o; /* first */
	const char *output;
	unsigned tries;
};

/* clang-format off: a list that expands to entries */
static const struct pv_option options[] = {
	PV_CLI_EXPLORE_TARGET,
	{"output", 'o', PV_OPTION_TEXT, offsetof(struct options, output), "FILE",
	 "the plan to write (default: standard output)"},
	{"tries", 0, PV_OPTION_NUMBER, offsetof(struct options, tries), "N",
	 "run the case at most N times (default: 1000)"},
	{0},
};
/* clang-format on */

static const struct pv_case *find_case(const struct pv_plans *plans, const char *name)
{
	for (size_t i = 0; i < plans->n_cases; i++)
		if (!strcmp(plans->cases[i]->name, name))
			return plans->cases[i];
	return NULL;
}

static int write_case(const struct options *o, const struct pv_case *c, json_object *small, struct pv_error *e)
{
	return pv_cli_explore_write(o->output ? o->output : "-", c->plan_name, small, e);
}

static void tell(const struct options *o, size_t before, json_object *small, const struct pv_explore_shrinking *s)
{
	size_t after = json_object_array_length(json_object_object_get(small, "steps"));

	if (o->output && strcmp(o->output, "-"))
		printf("%zu steps of %zu, after %u tries: %s\n", after, before, s->done, s->v.message);
}

/* Finds out whether the case fails, and whether the reference driver passes it: then it must pass smaller cases, too.
 */
static int judge_first(json_object **small, struct pv_explore_shrinking *s, struct pv_error *e)
{
	int err = pv_explore_judge(small, &s->tried, &s->v, e);

	if (!err && !s->v.bad && !s->tried.reference && !s->tried.run) {
		struct pv_explore_tried alone = s->tried;
		struct pv_explore_verdict v;

		alone.reference = true;
		err = pv_explore_judge(small, &alone, &v, e);
		if (!err && v.bad)
			return pv_error(e, -EINVAL, "the case fails without the defect as well: %s", v.message);
	}
	if (!err && !s->v.bad)
		return pv_error(e, -EINVAL, "expected a case that fails, got one that passes");
	return err;
}

static int shrink(struct options *o, struct pv_explore_shrinking *s, const struct pv_case *c, struct pv_error *e)
{
	json_object *small = pv_explore_import(c, e);

	if (!small)
		return e->code;
	size_t before = json_object_array_length(json_object_object_get(small, "steps"));
	int err = judge_first(&small, s, e);
	if (!err)
		err = pv_explore_shrink(&small, s, e);
	if (!err) {
		char text[1400];

		pv_utf8_print(text, sizeof(text), "Made small from %s/%s: %s", c->plan_name, c->name, s->v.message);
		pv_json_string(small, "description", text);
		err = write_case(o, c, small, e);
	}
	if (!err)
		tell(o, before, small, s);
	json_object_put(small);
	return err;
}

static int shrink_one(const struct pv_command *self, struct options *o, const char *file, const char *name)
{
	struct pv_explore_shrinking s = {.tries = o->tries};
	struct pv_error e = {0};

	if (pv_cli_explore_check(self, &o->o, &s.tried, &e))
		return pv_cli_error("shrink: %s", e.text);
	s.tried.learn = false;
	struct pv_plans *plans = pv_cli_load(&file, 1, NULL);
	if (!plans)
		return PV_EXIT_USAGE;
	const struct pv_case *c = find_case(plans, name);
	int err = c ? shrink(o, &s, c, &e)
		    : pv_error(&e, -ENOENT,
			       "%s: there is no case '%s'; `pcieval list` shows "
			       "them",
			       file, name);
	pv_plans_free(plans);
	if (err)
		pv_cli_error("shrink: %s", e.text);
	return !err ? PV_EXIT_PASSED : err == -ENOENT || err == -EINVAL ? PV_EXIT_USAGE : PV_EXIT_UNJUDGED;
}

static int run(const struct pv_command *self, int argc, char **argv)
{
	struct options o = {0};
	int first, status;

	if (pv_cli_parse(self, argc, argv, &o, &first, &status)) {
		if (first + 2 == argc)
			status = shrink_one(self, &o, argv[first], argv[first + 1]);
		else
			status = pv_cli_error("shrink: expected a plan and the name of a case, got %d argument%s",
					      argc - first, argc - first == 1 ? "" : "s");
	}
	pv_cli_explore_end(&o.o);
	pv_cli_free(self, &o);
	return status;
}

const struct pv_command pv_command_shrink = {
	.name = "shrink",
	.args = "PLAN CASE",
	.help = "make a failing case small",
	.text = "Removes steps, attributes, traffic and functions, as long as the case fails in\n"
		"the same way, and writes what is left as a plan. CASE is its name with its\n"
		"parameters. Exit status: 0 done, 2 usage, or the case passes, 3 it broke off.",
	.options = options,
	.run = run,
};
