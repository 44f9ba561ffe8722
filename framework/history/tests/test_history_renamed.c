/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases that have other names than in earlier runs. */
#include "framework/history/tests/runs.h"
#include "framework/util/cleanup.h"

TestSuite(history, .init = begin, .fini = end);

static void add_renamed(int day, const char *name, const char *former, enum pv_verdict v)
{
	struct pv_run_result *r = run_of(day);
	struct pv_case_result *c = result_add(r, "p", name, v);

	c->formerly = result_strings(former, NULL);
	add(r);
}

static void add_one(int day, const char *name, enum pv_verdict v)
{
	struct pv_run_result *r = run_of(day);

	result_add(r, "p", name, v);
	add(r);
}

Test(history, a_renamed_case_keeps_its_results)
{
	add_one(0, "a[n=1,m=2]", PV_FAIL);
	add_renamed(2, "a[n=1]", "a[n=1,m=2]", PV_PASS);
	add_one(1, "a[n=1,m=2]", PV_FAIL); /* an old run that is added late */
	struct seen s = cases_of((struct pv_history_filter){0});
	cr_assert_eq(s.n, 1);
	cr_expect_str_eq(s.names[0], "p/a[n=1]");
	cr_expect_eq(s.cases[0].results, 3);
	cr_expect_str_eq(s.strip, "FFP");
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "p/a[n=1,m=2]"}).n, 1);
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "*m=3*"}).n, 0);
}

Test(history, a_former_name_is_that_of_one_case)
{
	static const char *const names[][2] = {{"a", "former a"}, {"b", "former b"}, {"c", "former c"}};

	for (int i = 0; i < 3; i++)
		add_renamed(i, names[i][0], names[i][1], PV_PASS);
	for (int i = 0; i < 3; i++) {
		struct seen s = cases_of((struct pv_history_filter){.glob = names[i][1]});

		cr_assert_eq(s.n, 1, "%s: %zu", names[i][1], s.n);
		cr_expect(s.names[0][2] == *names[i][0], "%s: %s", names[i][1], s.names[0]);
	}
}

Test(history, a_case_that_is_renamed_twice_keeps_its_results)
{
	add_one(0, "a", PV_PASS);
	add_renamed(1, "b", "a", PV_PASS);
	add_renamed(2, "c", "b", PV_PASS);
	add_renamed(3, "b", "a", PV_PASS); /* the plan of day 1 again */
	add_one(4, "a", PV_PASS);
	cr_expect_eq(only_case().results, 5);
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "c"}).n, 1);
}

Test(history, names_that_are_each_others_former_ones_lose_nothing)
{
	add_renamed(0, "a", "a", PV_PASS);
	add_renamed(1, "a", "b", PV_PASS);
	add_renamed(2, "b", "a", PV_PASS);
	add_renamed(3, "a", "a", PV_PASS);
	cr_expect_eq(only_case().results, 4);
}

static const struct pv_history_case *find(const struct seen *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->names[i], name))
			return &s->cases[i];
	cr_assert_fail("%s is not there", name);
	return NULL;
}

/* A run of two cases, the first of which fails. */
static void add_two(int day, const char *bad, const char *good)
{
	struct pv_run_result *r = run_of(day);

	result_add(r, "p", bad, PV_FAIL);
	result_add(r, "p", good, PV_PASS);
	add(r);
}

Test(history, a_former_name_that_is_used_again_is_another_case)
{
	add_one(0, "a", PV_PASS);
	add_renamed(1, "b", "a", PV_PASS);
	add_two(2, "a", "b");
	add_one(3, "a", PV_FAIL);
	struct seen s = cases_of((struct pv_history_filter){0});
	cr_assert_eq(s.n, 2);
	cr_expect_eq(find(&s, "p/a")->count[PV_FAIL], 2);
	cr_expect_eq(find(&s, "p/a")->results, 2);
	cr_expect_eq(find(&s, "p/b")->count[PV_PASS], 3);
	cr_expect_eq(find(&s, "p/b")->results, 3);
}

Test(history, two_former_names_of_a_case_in_one_run_are_two_cases)
{
	add_renamed(0, "b", "a", PV_PASS);
	add_renamed(1, "c", "b", PV_PASS);
	add_two(2, "a", "b");
	struct seen s = cases_of((struct pv_history_filter){0});
	cr_assert_eq(s.n, 2);
	cr_expect_eq(find(&s, "p/a")->count[PV_FAIL], 1);
	cr_expect_eq(find(&s, "p/c")->count[PV_PASS], 3);
}

Test(history, a_run_with_both_names_keeps_both_results)
{
	add_two(0, "a", "b");
	add_one(1, "a", PV_PASS);
	add_renamed(2, "b", "a", PV_PASS);
	struct seen s = cases_of((struct pv_history_filter){0});
	cr_assert_eq(s.n, 2);
	cr_expect_eq(find(&s, "p/a")->results, 1);
	cr_expect_eq(find(&s, "p/a")->count[PV_FAIL], 1);
	cr_expect_eq(find(&s, "p/b")->count[PV_PASS], 3);
}

Test(history, a_file_of_before_gets_the_table_of_former_names)
{
	cr_assert_eq(sqlite3_exec(h.db, "DROP TABLE former", NULL, NULL, NULL), SQLITE_OK);
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "a"}).n, 0);
	pv_history_close(&h);
	cr_assert_eq(pv_history_open(&h, path, true, &e), 0, "%s", e.text);
	add_one(0, "a", PV_PASS);
	cr_expect_eq(cases_of((struct pv_history_filter){.glob = "a"}).n, 1);
}

static int no_case(void *ctx, const struct pv_history_case *c)
{
	return 0;
}

/* A table that cannot be read is none that is missing: a case might be found by a name in it. */
Test(history, former_names_that_cannot_be_read_are_an_error)
{
	const struct pv_history_filter filter = {.glob = "a"};

	add_one(0, "a", PV_PASS);
	cr_assert_eq(sqlite3_exec(h.db, "DROP TABLE former; CREATE TABLE former(plan TEXT)", NULL, NULL, NULL),
		     SQLITE_OK);
	cr_expect_lt(pv_history_cases(&h, &filter, no_case, NULL, &e), 0);
	cr_expect(strstr(e.text, "no such column: test"), "%s", e.text);
	cr_expect_eq(pv_history_cases(&h, &(struct pv_history_filter){0}, no_case, NULL, &e), 0, "it is not needed");
}
