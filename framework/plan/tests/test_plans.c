/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Good plans: the resulting cases with their names, settings and steps, and selections of them. */
#include <criterion/criterion.h>
#include <errno.h>

#include "framework/plan/tests/loaded.h"
#include "framework/util/cleanup.h"

#define MATRIX "framework/plan/tests/good/matrix.xml"

static struct loaded *load_good(const char *file)
{
	struct loaded *l = load_file(file);

	cr_assert_eq(l->err, 0, "%s: %s", file, l->n ? l->problems[0] : "?");
	return l;
}

static const char *step_attr(const struct pv_case *c, size_t step, const char *attr)
{
	json_object *steps = json_object_object_get(pv_case_json(c), "steps");
	json_object *attrs = json_object_object_get(json_object_array_get_idx(steps, step), "attrs");
	json_object *v = json_object_object_get(attrs, attr);

	return v ? json_object_get_string(v) : "(none)";
}

Test(plans, cases_come_in_the_order_of_the_file_the_last_parameter_fastest)
{
	static const char *const names[] = {
		"plain",
		"product[size=128,from=cpu]",
		"product[size=128,from=nic0]",
		"product[size=256,from=cpu]",
		"product[size=256,from=nic0]",
		"product[size=512,from=cpu]",
		"rows[filter=0x40001,errno=EINVAL,mix=mwr64:3 mrd64]",
		"rows[filter=0x40001,errno=EINVAL,mix=msg]",
		"rows[filter=0xa0001,errno=EINVAL,mix=mwr64:3 mrd64]",
		"rows[filter=0xa0001,errno=EINVAL,mix=msg]",
	};
	struct loaded *l = load_good(MATRIX);

	cr_assert_eq(l->plans->n_cases, 10);
	for (size_t i = 0; i < 10; i++)
		cr_expect_str_eq(l->plans->cases[i]->name, names[i]);
	loaded_free(l);
}

Test(plans, references_in_attributes_are_the_characters_they_stand_for)
{
	struct loaded *l = load_good("framework/plan/tests/good/references.xml");

	cr_expect_str_eq(l->plans->cases[0]->skip, "a & b & c <d> \"e\" &#38; &");
	loaded_free(l);
}

Test(plans, a_case_knows_its_settings)
{
	struct loaded *l = load_good(MATRIX);
	const struct pv_case *c = case_named(l, "plain");

	cr_expect_str_eq(c->plan_name, "matrix");
	cr_expect_str_eq(c->file, MATRIX);
	cr_expect_str_eq(c->base, "plain");
	cr_expect_eq(c->seed, 16);
	cr_expect_eq(c->timeout_s, 30, "default: %u", c->timeout_s);
	cr_expect_eq(c->steps, 4);
	cr_expect_null(c->skip);
	cr_expect_str_eq(c->verifies[1], "MP-EF-02");
	cr_expect_null(c->verifies[2]);
	cr_expect_str_eq(c->tags[0], "smoke");
	cr_expect_str_eq(c->targets[1], "qemu");
	cr_expect_str_eq(case_named(l, "rows[filter=0x40001,errno=EINVAL,mix=msg]")->skip, "not now");
	cr_expect_eq(case_named(l, "product[size=256,from=cpu]")->timeout_s, 5);
	loaded_free(l);
}

Test(plans, parameters_are_substituted_the_innermost_wins)
{
	struct loaded *l = load_good(MATRIX);
	const struct pv_case *plain = case_named(l, "plain");
	const struct pv_case *product = case_named(l, "product[size=256,from=nic0]");

	cr_expect_str_eq(step_attr(plain, 0, "seed"), "16");
	cr_expect_str_eq(step_attr(plain, 1, "bytes"), "128");
	cr_expect_str_eq(step_attr(plain, 3, "matches"), "^plain of 128$");
	cr_expect_str_eq(step_attr(product, 0, "from"), "nic0");
	cr_expect_str_eq(step_attr(product, 1, "bytes"), "256");
	cr_expect_str_eq(step_attr(product, 2, "equals"), "256");
	loaded_free(l);
}

Test(plans, a_seed_from_outside_replaces_all_seeds)
{
	const char *file = MATRIX;
	const struct pv_plan_options opt = {.seed = "0xabc"};
	struct loaded *l = load_files(&file, 1, &opt);

	cr_assert_eq(l->err, 0);
	for (size_t i = 0; i < l->plans->n_cases; i++)
		cr_expect_eq(l->plans->cases[i]->seed, 0xabc);
	cr_expect_str_eq(step_attr(case_named(l, "plain"), 0, "seed"), "2748");
	loaded_free(l);
}

Test(plans, a_seed_that_is_no_number_is_refused)
{
	const char *file = MATRIX;
	const struct pv_plan_options opt = {.seed = "lucky"};
	struct loaded *l = load_files(&file, 1, &opt);

	cr_expect_eq(l->err, -EINVAL);
	cr_expect_not_null(strstr(l->problems[0], "expected a number"), "%s", l->problems[0]);
	loaded_free(l);
}

Test(plans, the_limit_of_cases_holds_for_the_whole_plan)
{
	const char *file = MATRIX;
	const struct pv_plan_options fits = {.max_cases = 11}, short_by_one = {.max_cases = 10};
	struct loaded *l = load_files(&file, 1, &fits); /* 11 combinations, one of them excluded */

	cr_expect_eq(l->err, 0, "%s", l->problems[0]);
	loaded_free(l);
	l = load_files(&file, 1, &short_by_one);
	cr_expect_eq(l->err, -EINVAL);
	loaded_free(l);
}

Test(plans, the_agent_is_told_a_case_as_the_protocol_says)
{
	struct loaded *l = load_good(MATRIX);
	json_object *want = json_object_from_file("framework/plan/tests/good/rows.json");
	json_object *got = pv_case_json(case_named(l, "rows[filter=0xa0001,errno=EINVAL,mix=msg]"));

	cr_assert_not_null(want);
	cr_expect(json_object_equal(got, want), "got %s", json_object_to_json_string_ext(got, JSON_C_TO_STRING_PRETTY));
	json_object_put(want);
	loaded_free(l);
}

Test(plans, steps_for_one_driver_say_so)
{
	static const char *const expected[][2] = {{"mps-get", NULL},
						  {"check-log", "reference"},
						  {"check-log", "reference"},
						  {"check-log", "kernel"},
						  {"mrrs-get", NULL}};
	struct loaded *l = load_good("framework/plan/tests/good/only.xml");
	json_object *steps = json_object_object_get(pv_case_json(l->plans->cases[0]), "steps");

	cr_assert_eq(json_object_array_length(steps), ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		json_object *step = json_object_array_get_idx(steps, i);
		const char *driver = json_object_get_string(json_object_object_get(step, "driver"));

		cr_expect_str_eq(json_object_get_string(json_object_object_get(step, "kind")), expected[i][0]);
		cr_expect_str_eq(driver ? driver : "all", expected[i][1] ? expected[i][1] : "all");
	}
	loaded_free(l);
}

Test(plans, the_json_of_a_case_is_made_once)
{
	struct loaded *l = load_good(MATRIX);

	cr_expect_eq(pv_case_json(l->plans->cases[0]), pv_case_json(l->plans->cases[0]));
	loaded_free(l);
}

Test(plans, topologies_are_shared_by_cases_with_the_same_values)
{
	static const struct {
		const char *name;
		unsigned mpss;
		size_t first; /* the first case with the same topology */
	} rows[] = {
		{"matrix[mpss=128,size=128]", 128, 0},
		{"matrix[mpss=128,size=512]", 128, 0},
		{"matrix[mpss=256,size=128]", 256, 2},
		{"matrix[mpss=256,size=512]", 256, 2},
		{"own", 256, 2},
		{"another", 512, 5},
		{"last", 512, 6},
	};
	struct loaded *l = load_good("framework/plan/tests/good/shared.xml");
	struct pv_case *const *c = l->plans->cases;

	cr_assert_eq(l->plans->n_cases, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cr_expect_str_eq(c[i]->name, rows[i].name);
		cr_expect_eq(128u << pv_case_topology(c[i])->nodes[0].conf.mpss, rows[i].mpss, "%s", c[i]->name);
		for (size_t k = 0; k < i; k++)
			cr_expect_eq(pv_case_topology(c[i]) == pv_case_topology(c[k]), rows[i].first == rows[k].first,
				     "%s and %s", c[i]->name, c[k]->name);
	}
	loaded_free(l);
}

/* ---- several files ---- */

static void expect_problem(const char *const *files, size_t n, const char *text)
{
	struct loaded *l = load_files(files, n, NULL);
	bool found = false;

	for (size_t i = 0; i < l->n; i++)
		found |= strstr(l->problems[i], text) != NULL;
	cr_expect_eq(l->err, -EINVAL);
	cr_expect_null(l->plans);
	cr_expect(found, "expected '%s', got '%s'", text, l->n ? l->problems[0] : "nothing");
	loaded_free(l);
}

Test(plans, no_files_is_a_mistake)
{
	expect_problem(NULL, 0, "there are no plans");
}

Test(plans, the_same_file_twice_is_a_mistake_also_under_another_name)
{
	const char *const files[] = {MATRIX, "framework/plan/tests/../tests/good/matrix.xml"};

	expect_problem(files, 2, "is given twice");
}

Test(plans, what_is_no_file_is_told_by_its_name)
{
	static const char *const rows[][2] = {
		{"scenarios/absent.xml", "scenarios/absent.xml: cannot be read: No such file or directory"},
		{"scenarios", "scenarios: is a directory, expected an XML file"},
		{"/dev/zero", "/dev/zero: is not a regular file, expected an XML file"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_problem(&rows[i][0], 1, rows[i][1]);
}

Test(plans, one_bad_file_does_not_hide_the_problems_of_another)
{
	const char *const files[] = {"absent-1.xml", "absent-2.xml"};
	struct loaded *l = load_files(files, 2, NULL);

	cr_assert_eq(l->n, 2, "got %zu", (size_t)l->n);
	cr_expect(strstr(l->problems[0], files[0]) && strstr(l->problems[1], files[1]));
	loaded_free(l);
}

/* ---- selection ---- */

static size_t selected(const struct loaded *l, const struct pv_selection *s)
{
	size_t n = 0;

	for (size_t i = 0; i < l->plans->n_cases; i++)
		n += pv_case_selected(l->plans->cases[i], s);
	return n;
}

static size_t by_name(const struct loaded *l, const char *glob)
{
	const char *const names[] = {glob, NULL};
	const struct pv_selection s = {.names = names};

	return selected(l, &s);
}

static size_t by_tags(const struct loaded *l, const char *a, const char *b)
{
	const char *const tags[] = {a, b, NULL};
	const struct pv_selection s = {.tags = tags};

	return selected(l, &s);
}

static size_t by_requirement(const struct loaded *l, const char *glob)
{
	const char *const globs[] = {glob, NULL};
	const struct pv_selection s = {.requirements = globs};

	return selected(l, &s);
}

static size_t by_target(const struct loaded *l, const char *target)
{
	const struct pv_selection s = {.target = target};

	return selected(l, &s);
}

Test(selection, nothing_asked_for_is_everything)
{
	struct loaded *l = load_good(MATRIX);
	const struct pv_selection all = {0};

	cr_expect_eq(selected(l, &all), 10);
	cr_expect_eq(selected(l, NULL), 10);
	loaded_free(l);
}

Test(selection, names_are_globs_over_plan_and_case_the_case_or_its_base)
{
	struct loaded *l = load_good(MATRIX);

	cr_expect_eq(by_name(l, "product"), 5);
	cr_expect_eq(by_name(l, "matrix/product"), 5);
	cr_expect_eq(by_name(l, "matrix/pl*"), 1);
	cr_expect_eq(by_name(l, "*size=128*"), 2);
	cr_expect_eq(by_name(l, "other/*"), 0);
	loaded_free(l);
}

Test(selection, a_name_as_it_is_printed_selects_its_case_alone)
{
	struct loaded *l = load_good(MATRIX);

	cr_expect_eq(by_name(l, "product[size=256,from=cpu]"), 1);
	cr_expect_eq(by_name(l, "matrix/product[size=256,from=cpu]"), 1);
	loaded_free(l);
}

Test(selection, of_tags_one_must_be_there_and_no_excluded_one)
{
	struct loaded *l = load_good(MATRIX);

	cr_expect_eq(by_tags(l, "smoke", NULL), 1);
	cr_expect_eq(by_tags(l, "smoke", "slow"), 6);
	cr_expect_eq(by_tags(l, "!slow", NULL), 5);
	cr_expect_eq(by_tags(l, "smoke", "!mps"), 0);
	cr_expect_eq(by_tags(l, "smo", NULL), 0);
	loaded_free(l);
}

Test(selection, requirements_are_globs)
{
	struct loaded *l = load_good(MATRIX);

	cr_expect_eq(by_requirement(l, "MP-*"), 6);
	cr_expect_eq(by_requirement(l, "PTT-TR-04"), 4);
	cr_expect_eq(by_requirement(l, "PTT-TR-0"), 0);
	loaded_free(l);
}

Test(selection, a_host_is_of_its_kind_of_target)
{
	struct loaded *l = load_good(MATRIX);

	cr_expect_eq(by_target(l, "model"), 10);
	cr_expect_eq(by_target(l, "qemu"), 5);
	cr_expect_eq(by_target(l, "ssh:board.lab"), 10);
	cr_expect_eq(by_target(l, "local"), 5, "those without targets= are for all");
	loaded_free(l);
}
