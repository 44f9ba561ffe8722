/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pv_compare() on small runs: the kind of change for each pair of verdicts, and regressions. */
#include <criterion/criterion.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "reports/compare.h"
#include "reports/renamed.h"
#include "reports/tests/result_fixture.h"

static struct pv_case_result one(const char *name, enum pv_verdict verdict)
{
	return (struct pv_case_result){.plan = (char *)"plan", .name = (char *)name, .verdict = verdict, .seconds = 1};
}

static struct pv_comparison c;

static void compare(struct pv_case_result *before, size_t n_before, struct pv_case_result *after, size_t n_after)
{
	static struct pv_run_result b, a;

	b = (struct pv_run_result){.cases = before, .n_cases = n_before};
	a = (struct pv_run_result){.cases = after, .n_cases = n_after};
	pv_comparison_free(&c);
	cr_assert_eq(pv_compare(&b, &a, 2, &c), 0);
}

static void finish(void)
{
	pv_comparison_free(&c);
}

TestSuite(compare, .fini = finish);

Test(compare, each_pair_of_verdicts_is_one_change_or_none)
{
	enum { NONE = PV_CHANGE_KINDS, ABSENT = PV_VERDICTS };
	static const struct {
		int before, after, kind;
		bool regression;
	} pairs[] = {
		{PV_PASS, PV_PASS, NONE, false},
		{PV_PASS, PV_FAIL, PV_CHANGE_new_failures, true},
		{PV_PASS, PV_ERROR, PV_CHANGE_new_failures, true},
		{PV_PASS, PV_SKIP, PV_CHANGE_not_run, true},
		{PV_PASS, ABSENT, PV_CHANGE_gone, true},
		{PV_FAIL, PV_PASS, PV_CHANGE_fixed, false},
		{PV_FAIL, PV_FAIL, PV_CHANGE_still_bad, false},
		{PV_FAIL, PV_ERROR, PV_CHANGE_still_bad, false},
		{PV_FAIL, PV_SKIP, NONE, false},
		{PV_FAIL, ABSENT, PV_CHANGE_removed, false},
		{PV_ERROR, PV_PASS, PV_CHANGE_fixed, false},
		{PV_ERROR, PV_FAIL, PV_CHANGE_new_failures, true},
		{PV_ERROR, PV_ERROR, PV_CHANGE_still_bad, false},
		{PV_SKIP, PV_PASS, NONE, false},
		{PV_SKIP, PV_FAIL, PV_CHANGE_new_failures, true},
		{PV_SKIP, ABSENT, PV_CHANGE_removed, false},
		{ABSENT, PV_PASS, PV_CHANGE_added, false},
		{ABSENT, PV_SKIP, PV_CHANGE_added, false},
		{ABSENT, PV_FAIL, PV_CHANGE_new_failures, true},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct pv_case_result before = one("a", pairs[i].before), after = one("a", pairs[i].after);

		compare(&before, pairs[i].before != ABSENT, &after, pairs[i].after != ABSENT);
		cr_expect_eq(c.n, pairs[i].kind != NONE, "pair %zu: changes", i);
		if (c.n)
			cr_expect_eq(c.changes[0].kind, pairs[i].kind, "pair %zu: kind: expected %u, got %u", i,
				     pairs[i].kind, c.changes[0].kind);
		cr_expect_eq(pv_comparison_regressed(&c), pairs[i].regression, "pair %zu: regression", i);
	}
}

/* The first run is in a folder that the second one names, as `run --rerun` does, also by another path. */
Test(compare, cases_that_a_rerun_leaves_out_are_not_gone)
{
	static const struct {
		const char *of, *folder;
		size_t not_again;
	} rows[] = {{"/tmp", "/tmp", 3},   {"/tmp", "/tmp/../tmp/.", 3},
		    {"moved", "moved", 3}, {"moved", "other", 0},
		    {"/tmp", "/", 0},	   {NULL, "/tmp", 0}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pv_case_result before[] = {one("a", PV_PASS), one("b", PV_FAIL), one("c", PV_SKIP),
						  one("d", PV_FAIL)},
				      after = one("d", PV_PASS);
		char *properties[] = {(char *)"rerun_of", (char *)rows[i].of, NULL};
		struct pv_run_result b = {.cases = before, .n_cases = 4, .folder = (char *)rows[i].folder},
				     a = {.cases = &after, .n_cases = 1, .properties = rows[i].of ? properties : NULL};

		cr_assert_eq(pv_compare(&b, &a, 2, &c), 0);
		cr_expect_eq(c.count[PV_CHANGE_not_again], rows[i].not_again, "row %zu", i);
		cr_expect_eq(c.count[PV_CHANGE_fixed], 1);
		cr_expect_eq(pv_comparison_regressed(&c), !rows[i].not_again, "row %zu", i);
		pv_comparison_free(&c);
	}
}

/* A case that the run did not reach was not judged, and has nothing to repeat or to fix. */
Test(compare, a_case_that_never_ran_did_not_fail_before)
{
	enum { NONE = PV_CHANGE_KINDS, NOT_RUN = PV_VERDICTS };
	static const struct {
		int after, kind;
	} pairs[] = {{PV_PASS, NONE},
		     {PV_SKIP, NONE},
		     {PV_FAIL, PV_CHANGE_new_failures},
		     {PV_ERROR, PV_CHANGE_new_failures},
		     {NOT_RUN, PV_CHANGE_still_bad}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		bool ran = pairs[i].after != NOT_RUN;
		struct pv_case_result before = one("a", PV_ERROR), after = one("a", ran ? pairs[i].after : PV_ERROR);

		before.type = (char *)"not-run";
		after.type = (char *)(ran ? "crash" : "not-run");
		compare(&before, 1, &after, 1);
		cr_expect_eq(c.n, pairs[i].kind != NONE, "pair %zu: changes", i);
		if (c.n)
			cr_expect_eq(c.changes[0].kind, pairs[i].kind, "pair %zu: got %u", i, c.changes[0].kind);
	}
}

Test(compare, cases_are_the_same_by_plan_name_and_round)
{
	struct pv_case_result before[] = {one("a", PV_PASS), one("a", PV_PASS), one("b", PV_PASS)};
	struct pv_case_result after[] = {one("b", PV_PASS), one("a", PV_FAIL), one("a", PV_PASS)};

	before[0].round = after[2].round = 1;
	before[1].round = after[1].round = 2;
	compare(before, 3, after, 3);
	cr_assert_eq(c.n, 1);
	cr_expect(c.changes[0].before == &before[1] && c.changes[0].after == &after[1]);

	after[0].plan = (char *)"other";
	compare(before, 3, after, 3);
	cr_assert_eq(c.n, 3);
	cr_expect_eq(c.count[PV_CHANGE_new_failures], 1);
	cr_expect_eq(c.count[PV_CHANGE_gone], 1);
	cr_expect_eq(c.count[PV_CHANGE_added], 1);
}

Test(compare, a_case_that_is_not_repeated_is_the_first_round)
{
	struct pv_case_result plain[] = {one("a", PV_PASS), one("b", PV_FAIL)};
	struct pv_case_result rounds[] = {one("a", PV_PASS), one("a", PV_PASS), one("a", PV_FAIL), one("b", PV_PASS)};

	for (unsigned i = 0; i < 3; i++)
		rounds[i].round = i + 1;
	rounds[3].round = 1;
	compare(plain, 2, rounds, 4);
	cr_assert_eq(c.n, 2);
	cr_expect(c.changes[0].kind == PV_CHANGE_new_failures && c.changes[0].after == &rounds[2] &&
		  c.changes[0].before == &plain[0]);
	cr_expect(c.changes[1].kind == PV_CHANGE_fixed && c.changes[1].after == &rounds[3]);

	compare(rounds, 4, plain, 2);
	cr_assert_eq(c.n, 1);
	cr_expect(c.changes[0].kind == PV_CHANGE_new_failures && c.changes[0].before == &rounds[3]);
}

/* Fills `cases` with rounds of case a, a letter of `verdicts` each: P pass, F fail, S skip. Returns their number. */
static size_t rounds_of_a(struct pv_case_result *cases, const char *verdicts)
{
	size_t n = strlen(verdicts);

	for (size_t i = 0; i < n; i++) {
		cases[i] = one("a", verdicts[i] == 'P' ? PV_PASS : verdicts[i] == 'F' ? PV_FAIL : PV_SKIP);
		cases[i].round = (unsigned)i + 1;
	}
	return n;
}

Test(compare, a_round_that_one_run_lacks_is_compared_with_the_last_one_there)
{
	static const struct {
		const char *before, *after;
		size_t counts[PV_CHANGE_KINDS];
	} pairs[] = {
		{"PPPP", "PP", {0}},
		{"PP", "PPPP", {0}},
		{"PP", "PPPF", {[PV_CHANGE_new_failures] = 1}},
		{"PF", "PFF", {[PV_CHANGE_still_bad] = 2}},
		{"PPPP", "PF", {[PV_CHANGE_new_failures] = 1}},
		{"FPP", "F", {[PV_CHANGE_still_bad] = 1}},
		{"FP", "S", {[PV_CHANGE_not_run] = 1}},
		{"PPP", "SS", {[PV_CHANGE_not_run] = 2}},
		{"FPP", "S", {[PV_CHANGE_not_run] = 1}},
		{"PPP", "", {[PV_CHANGE_gone] = 3}},
		{"", "PP", {[PV_CHANGE_added] = 2}},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct pv_case_result before[4], after[4];
		size_t n_before = rounds_of_a(before, pairs[i].before), n_after = rounds_of_a(after, pairs[i].after);

		compare(before, n_before, after, n_after);
		for (int k = 0; k < PV_CHANGE_KINDS; k++)
			cr_expect_eq(c.count[k], pairs[i].counts[k], "%s, then %s: %s: expected %zu, got %zu",
				     pairs[i].before, pairs[i].after, pv_change_looks[k].name, pairs[i].counts[k],
				     c.count[k]);
	}
}

/* As in runs of shards that are not merged. */
Test(compare, a_first_round_that_one_run_lacks_is_compared_with_the_next_one)
{
	struct pv_case_result before[3], after[3];

	rounds_of_a(before, "PPP");
	rounds_of_a(after, "PPP");
	compare(before, 1, after + 1, 1);
	cr_expect_eq(c.n, 0);
	compare(before + 1, 1, after, 1);
	cr_expect_eq(c.n, 0);
}

Test(compare, slower_needs_the_factor_and_a_tenth_of_a_second)
{
	struct pv_case_result before = one("a", PV_PASS), after = one("a", PV_PASS);

	after.seconds = 2;
	compare(&before, 1, &after, 1);
	cr_expect_eq(c.count[PV_CHANGE_slower], 0, "twice is not more than twice");
	after.seconds = 2.01;
	compare(&before, 1, &after, 1);
	cr_assert_eq(c.count[PV_CHANGE_slower], 1);
	cr_expect_str_eq(c.changes[0].text, "1.000 s before, 2.010 s now");
	cr_expect_not(pv_comparison_regressed(&c));

	before.seconds = 0.01;
	after.seconds = 0.1;
	compare(&before, 1, &after, 1);
	cr_expect_eq(c.n, 0, "ten times, but only 90 ms");
}

Test(compare, the_first_figure_that_differs_is_named)
{
	const char *was[] = {"count 1", "count 2", NULL}, *is[] = {"count 1", "count 3", NULL};
	struct pv_case_result before = one("a", PV_PASS), after = one("a", PV_PASS);

	before.figures = (char **)was;
	after.figures = (char **)is;
	compare(&before, 1, &after, 1);
	cr_assert_eq(c.count[PV_CHANGE_different], 1);
	cr_expect_str_eq(c.changes[0].text, "count 3; before: count 2");

	after.figures = (char **)was;
	before.checks = 3;
	compare(&before, 1, &after, 1);
	cr_expect_eq(c.n, 0, "the number of checks is known of one run only");
	after.checks = 4;
	compare(&before, 1, &after, 1);
	cr_assert_eq(c.n, 1);
	cr_expect_str_eq(c.changes[0].text, "checks: 3 before, 4 now");
}

/* ---- nothing to compare ---- */

static void expect_word(const char *word)
{
	char path[] = "/tmp/pcieval-compare-XXXXXX";
	struct pv_error e;

	cr_expect_str_eq(pv_comparison_word(&c), word);
	close(mkstemp(path));
	cr_assert_eq(pv_comparison_write_json(&c, path, &e), 0, "%s", e.text);
	json_object *o = json_object_from_file(path);
	cr_expect_str_eq(json_object_get_string(json_object_object_get(o, "verdict")), word);
	json_object_put(o);
	unlink(path);
}

/* Each run has judged a case, but no case was judged in both. */
Test(compare, without_a_case_that_both_runs_judged_there_is_nothing_to_compare)
{
	struct pv_run_result *before = result_new(), *after = result_new();

	result_add(before, "p", "a", PV_FAIL);
	result_add(before, "p", "b", PV_SKIP);
	result_add(after, "p", "a", PV_SKIP);
	result_add(after, "p", "b", PV_PASS);
	cr_assert_eq(pv_compare(before, after, 2, &c), 0);
	cr_expect(pv_comparison_blind(&c));
	expect_word("NOTHING TO COMPARE");

	result_add(before, "p", "c", PV_FAIL);
	result_add(after, "p", "c", PV_PASS);
	pv_comparison_free(&c);
	cr_assert_eq(pv_compare(before, after, 2, &c), 0);
	cr_expect_not(pv_comparison_blind(&c));
	expect_word("NO REGRESSION");

	result_add(after, "p", "d", PV_FAIL);
	pv_comparison_free(&c);
	cr_assert_eq(pv_compare(before, after, 2, &c), 0);
	expect_word("REGRESSION");
	pv_run_result_free(before);
	pv_run_result_free(after);
}

/* ---- the machines ---- */

static char told[256];

static void tell(void *ctx, const char *name, const char *before, const char *after)
{
	size_t n = strlen(told);

	snprintf(told + n, sizeof(told) - n, "%s:%s>%s ", name, before ? before : "-", after ? after : "-");
}

static const char *facts(const char *const *before, const char *const *after)
{
	struct pv_run_result b = *c.before, a = *c.after;
	struct pv_comparison with = c;

	b.environment = (char **)before;
	a.environment = (char **)after;
	with.before = &b;
	with.after = &a;
	told[0] = 0;
	pv_comparison_facts(&with, tell, NULL);
	return told;
}

Test(compare, facts_of_the_machines_that_differ)
{
	static const char *const was[] = {"kernel", "6.11", "taint", "0", "BIOS", "1", NULL}, *const is[] = {
												      "taint",	"0",
												      "kernel", "6.12",
												      "CPUs",	"4",
												      NULL};
	struct pv_case_result before = one("a", PV_PASS), after = one("a", PV_FAIL);

	compare(&before, 1, &after, 1);
	cr_expect_str_eq(facts(was, is), "kernel:6.11>6.12 BIOS:1>- CPUs:->4 ");
	cr_expect_str_eq(facts(was, was), "");
	cr_expect_str_eq(facts(NULL, is), "", "nobody asked");
	cr_expect_str_eq(facts(was, NULL), "", "nobody asked");
}

Test(compare, facts_explain_nothing_where_nothing_changed)
{
	static const char *const was[] = {"kernel", "6.11", NULL}, *const is[] = {"kernel", "6.12", NULL};
	struct pv_case_result before = one("a", PV_PASS), after = one("a", PV_PASS);

	compare(&before, 1, &after, 1);
	cr_expect_str_eq(facts(was, is), "");
}

/* ---- order ---- */

Test(compare, changes_come_by_kind_then_in_the_order_of_the_run)
{
	struct pv_case_result before[] = {one("z", PV_PASS), one("y", PV_PASS), one("x", PV_FAIL)};
	struct pv_case_result after[] = {one("x", PV_PASS), one("z", PV_ERROR), one("y", PV_FAIL)};

	compare(before, 3, after, 3);
	cr_assert_eq(c.n, 3);
	cr_expect_str_eq(c.changes[0].after->name, "z");
	cr_expect_str_eq(c.changes[1].after->name, "y");
	cr_expect_str_eq(c.changes[2].after->name, "x");
}

/* ---- counts ---- */

/* No two kinds of changes, and no two verdicts of a run, have the same count. */
static const struct {
	int before, after;
	size_t n;
	const char *title, *name; /* NULL: no change */
} kinds[] = {
	{PV_PASS, PV_FAIL, 1, "New failures and errors", "new_failures"},
	{PV_PASS, PV_VERDICTS, 2, "Passed before, and gone", "gone"},
	{PV_PASS, PV_SKIP, 3, "Passed before, and not run", "not_run"},
	{PV_FAIL, PV_ERROR, 4, "Failures and errors as before", "still_bad"},
	{PV_FAIL, PV_PASS, 5, "Fixed", "fixed"},
	{PV_FAIL, PV_VERDICTS, 6, "Gone, and did not pass before", "removed"},
	{PV_VERDICTS, PV_PASS, 7, "New cases", "added"},
	{PV_ERROR, PV_SKIP, 10, NULL, NULL},
	{PV_SKIP, PV_SKIP, 12, NULL, NULL},
};

static void compare_counted(struct pv_run_result **before, struct pv_run_result **after)
{
	char name[32];

	*before = result_new();
	*after = result_new();
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		for (size_t i = 0; i < kinds[k].n; i++) {
			snprintf(name, sizeof(name), "%zu-%zu", k, i);
			if (kinds[k].before != PV_VERDICTS)
				result_add(*before, "p", name, (enum pv_verdict)kinds[k].before);
			if (kinds[k].after != PV_VERDICTS)
				result_add(*after, "p", name, (enum pv_verdict)kinds[k].after);
		}
	pv_run_count(*before);
	pv_run_count(*after);
	pv_comparison_free(&c);
	cr_assert_eq(pv_compare(*before, *after, 2, &c), 0);
}

static void expect_in(const char *text, const char *part)
{
	cr_expect_not_null(strstr(text, part), "expected '%s' in:\n%s", part, text);
}

/* The caller frees it. */
static char *printed(void)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	pv_comparison_print(&c, false, f);
	fclose(f);
	return text;
}

Test(compare, each_count_is_its_own)
{
	struct pv_run_result *before, *after;
	char *text = NULL, part[128], path[] = "/tmp/pcieval-compare-XXXXXX";
	struct pv_error e;
	size_t n;

	compare_counted(&before, &after);
	text = printed();
	expect_in(text, "; 6 passed, 15 failed, 10 errors, 12 skipped\n");
	expect_in(text, "; 12 passed, 1 failed, 4 errors, 25 skipped\n");
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds) && kinds[k].title; k++) {
		snprintf(part, sizeof(part), "\n%s (%zu)\n", kinds[k].title, kinds[k].n);
		expect_in(text, part);
		snprintf(part, sizeof(part), "%zu %s", kinds[k].n, kinds[k].title);
		expect_in(text, part);
	}
	free(text);

	close(mkstemp(path));
	cr_assert_eq(pv_comparison_write_json(&c, path, &e), 0, "%s", e.text);
	json_object *o = json_object_from_file(path), *b = json_object_object_get(o, "before");
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds) && kinds[k].name; k++)
		cr_expect_eq(json_object_array_length(json_object_object_get(o, kinds[k].name)), kinds[k].n);
	cr_expect_eq(json_object_get_int(json_object_object_get(b, "fail")), 15);
	cr_expect_eq(json_object_get_int(json_object_object_get(b, "error")), 10);
	json_object_put(o);

	cr_assert_eq(pv_comparison_write_html(&c, path, &e), 0, "%s", e.text);
	cr_assert_eq(pv_file_read(path, 1 << 20, &text, &n, &e), 0, "%s", e.text);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds) && kinds[k].title; k++) {
		snprintf(part, sizeof(part), "<b>%zu</b> <a href=\"#%s\">%s</a>", kinds[k].n, kinds[k].name,
			 kinds[k].title);
		expect_in(text, part);
		snprintf(part, sizeof(part), "%s (%zu)</h2>", kinds[k].title, kinds[k].n);
		expect_in(text, part);
	}
	expect_in(text,
		  "<td class=\"n pass\" data-head=\"pass\">6</td><td class=\"n fail\" data-head=\"fail\">15</td>"
		  "<td class=\"n error\" data-head=\"error\">10</td><td class=\"n skip\" data-head=\"skip\">12</td>");
	expect_in(text,
		  "<td class=\"n pass\" data-head=\"pass\">12</td><td class=\"n fail\" data-head=\"fail\">1</td>"
		  "<td class=\"n error\" data-head=\"error\">4</td><td class=\"n skip\" data-head=\"skip\">25</td>");
	free(text);
	unlink(path);
	pv_comparison_free(&c);
	pv_run_result_free(before);
	pv_run_result_free(after);
}

/* ---- names ---- */

Test(compare, names_do_not_steer_the_terminal)
{
	struct pv_run_result *before = result_new(), *after = result_new();
	char **const names[] = {&after->folder, &after->target, &after->board, &after->driver, &after->version};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char name[] = "A\nb\x1b[31m";

		*name += (char)i;
		free(*names[i]);
		*names[i] = strdup(name);
	}
	result_property(after, "revision", "r\x1b[31mev");
	cr_assert_eq(pv_compare(before, after, 2, &c), 0);
	_autofree_ char *text = printed();
	expect_in(text, "after   A b: B b, C b, driver D b, version E b (rev); 0 passed");
	cr_expect_null(strchr(text, '\x1b'));
	pv_run_result_free(before);
	pv_run_result_free(after);
}

/* ---- planted defects ---- */

Test(compare, planted_defects_are_named)
{
	struct pv_run_result *before = result_new(), *after = result_new();
	char *text = NULL, tested[PV_TESTED_MAX], path[] = "/tmp/pcieval-compare-XXXXXX";
	struct pv_error e;
	size_t n;

	result_property(after, "defects", "ptt-drop-record dwc-wrong-lane");
	cr_expect_str_eq(pv_run_tested(before, tested, sizeof(tested)), "target model, driver reference");
	cr_expect_str_eq(pv_run_tested(after, tested, sizeof(tested)),
			 "target model, driver reference, planted defects: ptt-drop-record dwc-wrong-lane");
	cr_assert_eq(pv_compare(before, after, 2, &c), 0);
	text = printed();
	expect_in(text, "driver reference, version 0.1.0; 0 passed");
	expect_in(text, "driver reference, version 0.1.0, planted defects: ptt-drop-record dwc-wrong-lane; 0 passed");
	free(text);
	close(mkstemp(path));
	cr_assert_eq(pv_comparison_write_html(&c, path, &e), 0, "%s", e.text);
	cr_assert_eq(pv_file_read(path, 1 << 20, &text, &n, &e), 0, "%s", e.text);
	expect_in(text, ">reference, planted defects: ptt-drop-record dwc-wrong-lane</td>");
	free(text);
	cr_assert_eq(pv_comparison_write_json(&c, path, &e), 0, "%s", e.text);
	cr_assert_eq(pv_file_read(path, 1 << 20, &text, &n, &e), 0, "%s", e.text);
	expect_in(text, "\"defects\":\"ptt-drop-record dwc-wrong-lane\"");
	free(text);
	unlink(path);
	pv_run_result_free(before);
	pv_run_result_free(after);
}

/* A run with one case, which may have had another name. */
static struct pv_run_result *run_with(const char *name, const char *former)
{
	struct pv_run_result *r = result_new();
	struct pv_case_result *k = result_add(r, "p", name, PV_PASS);

	if (former)
		k->formerly = result_strings(former, NULL);
	return r;
}

/* In either direction: a bisection compares a new run with an old one. */
Test(compare, a_renamed_case_is_the_same_case)
{
	for (int back = 0; back < 2; back++) {
		struct pv_run_result *old = run_with("a[n=1,m=2]@nic0=0000:01:00.0", NULL);
		struct pv_run_result *now = run_with("a[n=1]@nic0=0000:01:00.0", "a[n=1,m=2]");
		char *text = NULL;

		cr_assert_geq(pv_run_rename_as(now, old), 0);
		cr_assert_geq(pv_run_rename_as(old, now), 0);
		pv_comparison_free(&c);
		cr_assert_eq(pv_compare(back ? now : old, back ? old : now, 2, &c), 0);
		cr_expect_eq(c.n, 0);
		text = printed();
		expect_in(text, back ? "\nRenamed, and compared (1)\n  p/a[n=1]@nic0=0000:01:00.0 is now "
				       "a[n=1,m=2]@nic0=0000:01:00.0\n"
				     : "\nRenamed, and compared (1)\n  p/a[n=1,m=2]@nic0=0000:01:00.0 is now "
				       "a[n=1]@nic0=0000:01:00.0\n");
		free(text);
		pv_run_result_free(old);
		pv_run_result_free(now);
	}
}

/* a became b, and then c, whose plan has forgotten a. */
Test(compare, a_case_that_was_renamed_twice_is_the_same_case_in_any_order)
{
	static const char *const names[] = {"a@nic0=0000:01:00.0", "b@nic0=0000:01:00.0", "c@nic0=0000:01:00.0"};
	static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		struct pv_run_result *runs[3];

		for (size_t k = 0; k < 3; k++)
			runs[k] = run_with(names[orders[i][k]], (const char *[]){NULL, "a", "b"}[orders[i][k]]);
		cr_assert_eq(pv_run_rename_all(runs, 3), 0);
		for (size_t k = 0; k < 3; k++) {
			cr_expect_str_eq(runs[k]->cases[0].name, names[2], "order %zu, run %zu", i, k);
			pv_run_result_free(runs[k]);
		}
	}
}

Test(compare, a_case_that_kept_its_name_is_not_renamed)
{
	struct pv_run_result *old = run_with("a", NULL), *now = run_with("a", "b");
	struct pv_run_result *other = result_new();

	result_add(other, "q", "b", PV_PASS);
	cr_assert_geq(pv_run_rename_as(old, now), 0);
	cr_expect_null(old->cases[0].was);
	cr_assert_geq(pv_run_rename_as(other, now), 0);
	cr_expect_str_eq(other->cases[0].name, "b");
	pv_run_result_free(old);
	pv_run_result_free(now);
	pv_run_result_free(other);
}

/* b was once a, and the earlier run has both: the failure of a is not one of b. */
Test(compare, a_case_is_not_renamed_to_another_of_its_run)
{
	static const char *const names[] = {"a@nic0=0000:01:00.0", "b@nic0=0000:02:00.0"};

	for (size_t first = 0; first < 2; first++) {
		struct pv_run_result *old = result_new(), *now = result_new();
		char *text = NULL;

		result_add(old, "p", names[first], first ? PV_PASS : PV_FAIL);
		result_add(old, "p", names[!first], first ? PV_FAIL : PV_PASS);
		result_add(now, "p", names[1], PV_FAIL)->formerly = result_strings("a", NULL);
		cr_assert_eq(pv_run_rename_all((struct pv_run_result *[]){old, now}, 2), 0);
		pv_comparison_free(&c);
		cr_assert_eq(pv_compare(old, now, 2, &c), 0);
		cr_expect_eq(c.n_renamed, 0);
		cr_expect(pv_comparison_regressed(&c));
		text = printed();
		expect_in(text, "p/b@nic0=0000:02:00.0 (before: pass)");
		free(text);
		pv_run_result_free(old);
		pv_run_result_free(now);
	}
}

/* tune became tune-set; then its plan got a new case tune. */
Test(compare, a_new_case_of_a_former_name_is_not_the_renamed_one)
{
	for (size_t first = 0; first < 2; first++) {
		struct pv_run_result *runs[] = {run_with("tune", NULL), run_with("tune-set", "tune"), result_new()};

		result_add(runs[2], "p", first ? "tune" : "tune-set", PV_PASS);
		result_add(runs[2], "p", first ? "tune-set" : "tune", PV_PASS);
		cr_assert_eq(pv_run_rename_all(runs, 3), 0);
		cr_expect_str_eq(runs[0]->cases[0].name, "tune-set");
		cr_expect_null(runs[2]->cases[0].was);
		cr_expect_null(runs[2]->cases[1].was);
		for (size_t i = 0; i < 3; i++)
			pv_run_result_free(runs[i]);
	}
}

/* Two cases became one: the first keeps the new name. All rounds and functions of a case are renamed. */
Test(compare, of_two_cases_that_became_one_one_is_renamed)
{
	struct pv_run_result *old = result_new(), *now = run_with("c", NULL);

	result_add(old, "p", "a@nic0=0000:01:00.0", PV_PASS);
	result_add(old, "p", "b", PV_PASS);
	result_add(old, "p", "a@nic0=0000:02:00.0", PV_PASS);
	now->cases[0].formerly = result_strings("a", "b");
	cr_assert_eq(pv_run_rename_all((struct pv_run_result *[]){old, now}, 2), 0);
	cr_expect_str_eq(old->cases[0].name, "c@nic0=0000:01:00.0");
	cr_expect_str_eq(old->cases[1].name, "b");
	cr_expect_str_eq(old->cases[2].name, "c@nic0=0000:02:00.0");
	pv_run_result_free(old);
	pv_run_result_free(now);
}

Test(compare, of_many_renamed_cases_some_are_shown)
{
	struct pv_run_result *old = result_new(), *now = result_new();
	char *text = NULL, path[] = "/tmp/pcieval-compare-XXXXXX";
	struct pv_error e;
	size_t n;

	for (int i = 0; i < 12; i++) {
		char was[16], is[16];

		snprintf(was, sizeof(was), "old-%d", i);
		snprintf(is, sizeof(is), "new-%d", i);
		result_add(old, "p", was, PV_PASS);
		result_add(now, "p", is, PV_PASS)->formerly = result_strings(was, NULL);
	}
	cr_assert_geq(pv_run_rename_as(old, now), 0);
	cr_assert_eq(pv_compare(old, now, 2, &c), 0);
	text = printed();
	expect_in(text, "\nRenamed, and compared (12)\n  p/old-0 is now new-0\n");
	expect_in(text, "  p/old-9 is now new-9\n  and 2 more\n");
	free(text);

	close(mkstemp(path));
	cr_assert_eq(pv_comparison_write_json(&c, path, &e), 0, "%s", e.text);
	json_object *o = json_object_from_file(path);
	cr_expect_eq(json_object_array_length(json_object_object_get(o, "renamed")), 12);
	json_object_put(o);
	cr_assert_eq(pv_comparison_write_html(&c, path, &e), 0, "%s", e.text);
	cr_assert_eq(pv_file_read(path, 1 << 20, &text, &n, &e), 0, "%s", e.text);
	expect_in(text, "<td>p</td><td data-head=\"before\">old-11</td><td data-head=\"after\">new-11</td>");
	free(text);
	unlink(path);
	pv_run_result_free(old);
	pv_run_result_free(now);
}
