/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases of plans as elements, and back. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>

#include "framework/explore/element.h"
#include "framework/explore/import.h"

static void complain(void *ctx, const struct pv_error *e)
{
	(void)ctx;
	cr_log_error("%s", e->text);
}

static struct pv_plans *load(const char *path)
{
	struct pv_plans *plans;
	int err = pv_plans_load(&path, 1, &(struct pv_plan_options){0}, complain, NULL, &plans);

	return err ? NULL : plans;
}

/* The case as a plan of its own, loaded again. */
static struct pv_plans *written_and_read(const struct pv_case *c)
{
	struct pv_error e = {0};
	json_object *x = pv_explore_import(c, &e);
	FILE *f = fopen("imported.xml", "w");

	cr_assert(x && f, "%s", e.text);
	pv_explore_plan_print(f, &(struct pv_explore_plan){c->plan_name, "An import.", &x, 1});
	fclose(f);
	json_object_put(x);
	return load("imported.xml");
}

static void expect_same_items(const struct pv_case *c, json_object *x, json_object *y)
{
	cr_expect(json_object_array_length(x) == json_object_array_length(y), "%s/%s", c->plan_name, c->name);
	for (size_t i = 0; i < json_object_array_length(x); i++) {
		json_object *a = json_object_array_get_idx(x, i), *b = json_object_array_get_idx(y, i);

		json_object_object_del(a, "line");
		json_object_object_del(b, "line");
		cr_expect(json_object_equal(a, b), "%s/%s: expected %s, got %s", c->plan_name, c->name,
			  json_object_to_json_string(a), json_object_to_json_string(b));
	}
}

static void expect_same(const struct pv_case *a, const struct pv_case *b)
{
	json_object *x = pv_case_json(a), *y = pv_case_json(b);

	expect_same_items(a, json_object_object_get(json_object_object_get(x, "topology"), "nodes"),
			  json_object_object_get(json_object_object_get(y, "topology"), "nodes"));
	expect_same_items(a, json_object_object_get(x, "steps"), json_object_object_get(y, "steps"));
}

/* The first case of each plan, each with another machine. */
static void try_plan(const char *path)
{
	struct pv_plans *plans = load(path);

	cr_assert(plans, "%s", path);
	for (size_t i = 0; i < plans->n_cases; i += 1 + plans->n_cases / 8) {
		struct pv_plans *again = written_and_read(plans->cases[i]);

		cr_expect(again, "%s/%s is no plan when it is written again", plans->cases[i]->plan_name,
			  plans->cases[i]->name);
		if (again)
			expect_same(plans->cases[i], again->cases[0]);
		pv_plans_free(again);
	}
	pv_plans_free(plans);
}

Test(import, a_case_that_is_written_again_is_the_same_case)
{
	glob_t found;

	cr_assert(!glob(PV_SCENARIOS "/*.xml", 0, NULL, &found));
	for (size_t i = 0; i < found.gl_pathc; i++)
		try_plan(found.gl_pathv[i]);
	globfree(&found);
	remove("imported.xml");
}
