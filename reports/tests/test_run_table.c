/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pv_run_table_make() on small runs: rows that differ, their order, and the output of the writers. */
#include <criterion/criterion.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "reports/renamed.h"
#include "reports/run_table.h"
#include "reports/tests/result_fixture.h"

enum { ABSENT = PV_VERDICTS, RUNS_MAX = 8 };

static struct pv_run_result *runs[RUNS_MAX];
static size_t n_runs;
static struct pv_run_table t;

static struct pv_run_result *run_new(const char *folder)
{
	struct pv_run_result *r = result_new();

	free(r->folder);
	r->folder = strdup(folder);
	return runs[n_runs++] = r;
}

static void add(struct pv_run_result *r, const char *name, int verdict)
{
	if (verdict != ABSENT)
		result_add(r, "p", name, (enum pv_verdict)verdict);
}

static void make(void)
{
	for (size_t i = 0; i < n_runs; i++)
		pv_run_count(runs[i]);
	cr_assert_eq(pv_run_table_make((const struct pv_run_result *const *)runs, n_runs, 2, &t), 0);
}

static void finish(void)
{
	pv_run_table_free(&t);
	for (size_t i = 0; i < n_runs; i++)
		pv_run_result_free(runs[i]);
	n_runs = 0;
}

TestSuite(run_table, .fini = finish);

static char *printed(bool all, unsigned columns)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	pv_run_table_print(&t, all, false, columns, f);
	fclose(f);
	return text;
}

static void expect_in(const char *text, const char *part)
{
	cr_expect_not_null(strstr(text, part), "expected '%s' in:\n%s", part, text);
}

static void expect_not_in(const char *text, const char *part)
{
	cr_expect_null(strstr(text, part), "expected no '%s' in:\n%s", part, text);
}

/* ---- rows ---- */

Test(run_table, a_row_differs_by_its_verdicts)
{
	static const struct {
		int verdicts[3];
		enum pv_row_kind kind;
	} rows[] = {
		{{PV_PASS, PV_PASS, PV_PASS}, PV_ROW_alike},  {{PV_FAIL, PV_FAIL, PV_FAIL}, PV_ROW_alike},
		{{PV_SKIP, PV_SKIP, PV_SKIP}, PV_ROW_alike},  {{PV_PASS, PV_PASS, PV_FAIL}, PV_ROW_differ},
		{{PV_PASS, PV_FAIL, PV_PASS}, PV_ROW_differ}, {{PV_FAIL, PV_ERROR, PV_FAIL}, PV_ROW_differ},
		{{PV_PASS, PV_PASS, PV_SKIP}, PV_ROW_differ}, {{PV_PASS, ABSENT, PV_PASS}, PV_ROW_differ},
		{{ABSENT, PV_PASS, PV_PASS}, PV_ROW_differ},  {{ABSENT, ABSENT, PV_PASS}, PV_ROW_differ},
	};
	struct pv_run_result *r[] = {run_new("x"), run_new("y"), run_new("z")};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t k = 0; k < 3; k++)
			add(r[k], (const char[]){(char)('0' + i), 0}, rows[i].verdicts[k]);
	make();
	cr_assert_eq(t.n, sizeof(rows) / sizeof(*rows));
	for (size_t i = 0; i < t.n; i++)
		cr_expect_eq(t.rows[i].kind, rows[i].kind, "row %zu", i);
	cr_expect_eq(t.count[PV_ROW_alike], 3);
	cr_expect_eq(t.count[PV_ROW_differ], 7);
}

/* The first of two rounds is the case of the other runs. The second one has a row of its own. */
Test(run_table, a_run_without_rounds_has_the_first)
{
	struct pv_run_result *x = run_new("x"), *y = run_new("y"), *z = run_new("z");

	add(x, "a", PV_PASS);
	add(x, "b", PV_PASS);
	for (unsigned i = 0; i < 2; i++) {
		result_add(y, "p", "a", PV_PASS)->round = i + 1;
		result_add(y, "p", "b", i ? PV_FAIL : PV_PASS)->round = i + 1;
	}
	add(z, "a", PV_PASS);
	add(z, "b", PV_PASS);
	make();
	cr_assert_eq(t.n, 4);
	for (size_t i = 0; i < 4; i++) {
		_autofree_ char *name = pv_table_row_name(&t, &t.rows[i]);

		cr_expect_str_eq(name, ((const char *const[]){"p/a", "p/b", "p/a #2", "p/b #2"})[i]);
		cr_expect_eq(t.rows[i].kind, i == 3 ? PV_ROW_differ : PV_ROW_alike, "%s", name);
	}
	cr_expect(t.rows[0].cells[0] && t.rows[0].cells[1] && !t.rows[2].cells[0] && t.rows[2].cells[1]);
}

Test(run_table, rows_have_the_order_of_the_first_run_that_has_the_case)
{
	struct pv_run_result *x = run_new("x"), *y = run_new("y"), *z = run_new("z");

	add(x, "m", PV_PASS);
	add(x, "c", PV_PASS);
	add(y, "b", PV_PASS);
	add(y, "a", PV_PASS);
	add(y, "c", PV_FAIL);
	add(z, "z", PV_PASS);
	add(z, "a", PV_PASS);
	make();
	static const char *const names[] = {"p/m", "p/c", "p/b", "p/a", "p/z"};
	cr_assert_eq(t.n, 5);
	for (size_t i = 0; i < 5; i++) {
		_autofree_ char *name = pv_table_row_name(&t, &t.rows[i]);

		cr_expect_str_eq(name, names[i]);
	}
	cr_expect(!t.rows[1].cells[2] && t.rows[1].cells[1]->verdict == PV_FAIL);
}

Test(run_table, passes_with_other_figures_are_counted_apart)
{
	struct pv_run_result *x = run_new("x"), *y = run_new("y");

	result_add(x, "p", "a", PV_PASS)->figures = result_strings("count 1", "");
	result_add(y, "p", "a", PV_PASS)->figures = result_strings("count 2", "");
	result_add(x, "p", "b", PV_FAIL)->figures = result_strings("count 1", "");
	result_add(y, "p", "b", PV_FAIL)->figures = result_strings("count 2", "");
	make();
	cr_expect_eq(t.rows[0].kind, PV_ROW_figures);
	cr_expect_eq(t.rows[1].kind, PV_ROW_alike);
	_autofree_ char *some = printed(false, 0), *all = printed(true, 0);
	expect_not_in(some, "p/a");
	expect_in(some, "2 cases: 0 differ, 1 passed with other figures, 1 alike; `pcieval compare --all`\n    lists "
			"all\n");
	expect_in(all, " PASS  PASS *\n");
	expect_in(all, "\n* with other figures\n");
	expect_in(all, "2 cases: 0 differ, 1 passed with other figures, 1 alike\n");
}

/* ---- verdict ---- */

/* Makes the table of three runs with these verdicts of one case. */
static void make_of(enum pv_verdict x, enum pv_verdict y, enum pv_verdict z)
{
	add(run_new("x"), "a", x);
	add(run_new("y"), "a", y);
	add(run_new("z"), "a", z);
	make();
}

Test(run_table, each_run_is_compared_with_the_first)
{
	make_of(PV_PASS, PV_PASS, PV_FAIL);
	cr_expect(pv_run_table_regressed(&t));
	cr_expect_str_eq(pv_run_table_word(&t), "REGRESSION");
	_autofree_ char *text = printed(false, 0);
	expect_in(text, "\nb against a: NO REGRESSION\nc against a: REGRESSION: 1 New failures and errors\n");
}

Test(run_table, what_no_run_has_judged_is_not_compared)
{
	make_of(PV_ERROR, PV_ERROR, PV_ERROR);
	cr_expect_not(pv_run_table_regressed(&t));
	cr_expect(pv_run_table_blind(&t));
	cr_expect_str_eq(pv_run_table_word(&t), "NOTHING TO COMPARE");
}

/* ---- runs that are lost ---- */

/* A run without a result; the others agree. */
static struct pv_run_result *lost_new(const char *folder, const char *why)
{
	struct pv_run_result *r = run_new(folder);

	r->why = why ? strdup(why) : NULL;
	return r;
}

Test(run_table, a_lost_run_is_an_error_and_no_difference)
{
	add(run_new("x"), "a", PV_PASS);
	lost_new("y", "shard 2/3 is missing");
	add(run_new("z"), "a", PV_PASS);
	make();
	cr_expect(pv_run_table_incomplete(&t));
	cr_expect_str_eq(pv_run_table_word(&t), "INCOMPLETE");
	cr_expect_eq(t.count[PV_ROW_differ], 0);
	_autofree_ char *text = printed(true, 0);
	expect_in(text, "\nb  y\n   ERROR: shard 2/3 is missing\nc  z\n");
	expect_in(text, "PASS  ERROR PASS\n");
	expect_in(text, "\nb: ERROR: it has no result\nc against a: NO REGRESSION\n");
}

Test(run_table, a_lost_run_hides_no_regression)
{
	lost_new("x", NULL);
	add(run_new("y"), "a", PV_PASS);
	add(run_new("z"), "a", PV_FAIL);
	make();
	cr_expect(pv_run_table_regressed(&t));
	cr_expect_str_eq(pv_run_table_word(&t), "REGRESSION");
	_autofree_ char *text = printed(false, 0);
	expect_in(text, "a  x\n   ERROR: the run has no cases\n");
	expect_in(text, "ERROR PASS  FAIL\n");
	expect_in(text, "\na: ERROR: it has no result\nc against b: REGRESSION: ");
}

Test(run_table, all_runs_may_be_lost)
{
	lost_new("x", "one");
	lost_new("y", "two");
	make();
	cr_expect_str_eq(pv_run_table_word(&t), "INCOMPLETE");
	_autofree_ char *text = printed(true, 0);
	expect_in(text, "ERROR: one\n");
	expect_in(text, "ERROR: two\n");
}

/* ---- renamed cases ---- */

static void add_named(struct pv_run_result *r, const char *name, const char *former, const char *older)
{
	struct pv_case_result *c = result_add(r, "p", name, PV_PASS);

	c->formerly = former ? result_strings(former, older) : NULL;
}

/* The case is `new`; run x and w knew it as `oldest`, run y as `old`. Only x and z have the other. */
static void four_names(void)
{
	struct pv_run_result *x = run_new("x"), *y = run_new("y"), *z = run_new("z"), *w = run_new("w");

	add_named(x, "oldest", NULL, NULL);
	add_named(x, "<a>", NULL, NULL);
	add_named(y, "old", "oldest", NULL);
	add_named(z, "new", "old", "oldest");
	add_named(z, "b", "<a>", NULL);
	add_named(w, "oldest", NULL, NULL);
	cr_assert_eq(pv_run_rename_all(runs, n_runs), 0);
	make();
}

Test(run_table, renamed_cases_are_listed_with_the_runs_that_have_the_former_name)
{
	four_names();
	cr_assert_eq(t.n, 2);
	_autofree_ char *text = printed(false, 0);
	expect_in(text, "\nRenamed, and compared (3)\n"
			"  a d: p/oldest is now new\n  b: p/old is now new\n  a: p/<a> is now b\n\n");
}

Test(run_table, a_case_of_several_rounds_is_renamed_once)
{
	for (size_t i = 0; i < 3; i++) {
		struct pv_run_result *r = run_new("x");

		for (unsigned round = 1; round <= 2; round++) {
			add_named(r, i ? "new" : "old", i ? "old" : NULL, NULL);
			r->cases[round - 1].round = round;
		}
	}
	cr_assert_eq(pv_run_rename_all(runs, n_runs), 0);
	make();
	cr_assert_eq(t.n, 2);
	cr_assert_eq(t.n_renamed, 1);
	cr_expect_str_eq(t.renamed[0].before, "old");
	cr_expect_eq(t.against_first[1].n_renamed, 1);
}

Test(run_table, without_renamed_cases_nothing_is_said_of_them)
{
	make_of(PV_PASS, PV_PASS, PV_PASS);
	_autofree_ char *text = printed(true, 0);
	expect_not_in(text, "Renamed");
}

/* ---- writers ---- */

static char *page(const char *path)
{
	struct pv_error e;
	char *text;
	size_t n;

	cr_assert_eq(pv_run_table_write_html(&t, false, path, &e), 0, "%s", e.text);
	cr_assert_eq(pv_file_read(path, 1 << 20, &text, &n, &e), 0, "%s", e.text);
	return text;
}

Test(run_table, json_and_html_have_the_renamed_cases)
{
	char path[] = "/tmp/pcieval-table-XXXXXX";
	struct pv_error e;

	four_names();
	close(mkstemp(path));
	cr_assert_eq(pv_run_table_write_json(&t, false, path, &e), 0, "%s", e.text);
	json_object *o = json_object_from_file(path), *renamed = json_object_object_get(o, "renamed");
	cr_assert_eq(json_object_array_length(renamed), 3);
	cr_expect_str_eq(json_object_to_json_string_ext(json_object_array_get_idx(renamed, 0), JSON_C_TO_STRING_PLAIN),
			 "{\"plan\":\"p\",\"before\":\"oldest\",\"after\":\"new\",\"runs\":\"a d\"}");
	json_object_put(o);
	_autofree_ char *text = page(path);
	expect_in(text, "<section id=\"renamed\">");
	expect_in(text, "<tr><td>p</td><td data-head=\"before\">&#60;a&#62;</td><td data-head=\"after\">b</td>"
			"<td data-head=\"runs\">a</td></tr>");
	unlink(path);
}

static void three_runs(void)
{
	struct pv_run_result *x = run_new("x"), *y = run_new("y"), *z = run_new("z");

	add(x, "same", PV_PASS);
	add(y, "same", PV_PASS);
	add(z, "same", PV_PASS);
	add(x, "a", PV_PASS);
	result_say(result_add(y, "p", "a", PV_FAIL), "check", "<expected> 1, got 2", "");
	result_say(result_add(z, "p", "a", PV_FAIL), "check", "<expected> 1, got 2", "");
	add(x, "only", PV_PASS);
	make();
}

/* Two rounds in y and three in z. Only x has `only`. */
static void other_rounds(void)
{
	struct pv_run_result *x = run_new("x"), *y = run_new("y"), *z = run_new("z");

	result_say(result_add(x, "p", "a", PV_FAIL), "check", "the only round", "");
	add(x, "only", PV_PASS);
	for (unsigned i = 0; i < 3; i++) {
		if (i < 2)
			result_add(y, "p", "a", PV_PASS)->round = i + 1;
		result_add(z, "p", "a", PV_PASS)->round = i + 1;
	}
	make();
}

Test(run_table, text_shows_the_round_that_stands_for_one_that_a_run_lacks)
{
	other_rounds();
	_autofree_ char *text = printed(false, 0);
	expect_in(text, "\np/a                                                          FAIL  PASS  PASS\n");
	expect_in(text, "\np/a #2                                                       fail  PASS  PASS\n"
			"    a: the only round\n");
	expect_in(text, "\np/a #3                                                       fail  pass  PASS\n");
	expect_in(text, "\np/only                                                       PASS  -     -\n");
	expect_in(text, "\nlower case: another round of the case, since the run lacks this one\n");
}

Test(run_table, without_other_rounds_no_line_explains_them)
{
	three_runs();
	_autofree_ char *text = printed(true, 0);
	expect_not_in(text, "lower case");
}

Test(run_table, json_and_html_tell_a_round_that_stands_for_another)
{
	char path[] = "/tmp/pcieval-table-XXXXXX";
	struct pv_error e;

	other_rounds();
	close(mkstemp(path));
	cr_assert_eq(pv_run_table_write_json(&t, false, path, &e), 0, "%s", e.text);
	json_object *o = json_object_from_file(path), *rows = json_object_object_get(o, "rows");
	json_object *cells = json_object_object_get(json_object_array_get_idx(rows, 3), "cells");
	static const int rounds[] = {1, 2, 0};
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(
			json_object_get_int(json_object_object_get(json_object_array_get_idx(cells, i), "other_round")),
			rounds[i], "%s", json_object_to_json_string(cells));
	json_object_put(o);
	_autofree_ char *text = page(path);
	expect_in(text, "<td data-head=\"b\"><span class=\"v pass\">PASS</span> (#2)</td>"
			"<td data-head=\"c\"><span class=\"v pass\">PASS</span></td>");
	unlink(path);
}

Test(run_table, text_names_each_reason_once)
{
	three_runs();
	_autofree_ char *text = printed(false, 0);
	expect_in(text, "a  x\n   target model, driver reference, board embedded\n   3 passed, 0 failed, 0 errors, 0 "
			"skipped\nb  y\n");
	expect_in(text, "case                                                         a     b     c\n");
	expect_in(text, "p/a                                                          PASS  FAIL  FAIL\n"
			"    b c: <expected> 1, got 2\n"
			"p/only                                                       PASS  -     -\n");
	expect_not_in(text, "p/same");
	expect_in(text, "3 cases: 2 differ, 0 passed with other figures, 1 alike");
}

Test(run_table, text_fits_the_terminal)
{
	char name[200];

	for (size_t i = 0; i < RUNS_MAX; i++) {
		struct pv_run_result *r = run_new("a-folder-with-a-name-that-is-much-longer-than-any-terminal-is-wide-"
						  "and-then-some");

		memset(name, 'n', sizeof(name) - 1);
		name[sizeof(name) - 1] = 0;
		result_say(result_add(r, "p", name, i % 2 ? PV_FAIL : PV_PASS), "check", name, "");
		add(r, "short", i % 2 ? PV_SKIP : PV_PASS);
	}
	make();
	_autofree_ char *text = printed(false, 0);
	for (const char *line = text, *end; *line; line = end + 1) {
		end = strchrnul(line, '\n');
		cr_expect_leq(end - line, 80, "%.*s", (int)(end - line), line);
		if (!*end)
			break;
	}
	expect_in(text, " a b c d e f g h\n");
	expect_in(text, " P F P F P F P F\n");
	expect_in(text, "P pass, F fail, E error, S skip, - absent\n");
	expect_in(text, "    b d f h: nnn");
}

Test(run_table, json_and_html_have_the_rows)
{
	char path[] = "/tmp/pcieval-table-XXXXXX";
	struct pv_error e;

	three_runs();
	close(mkstemp(path));
	cr_assert_eq(pv_run_table_write_json(&t, false, path, &e), 0, "%s", e.text);
	json_object *o = json_object_from_file(path), *rows = json_object_object_get(o, "rows");
	cr_assert_eq(json_object_array_length(rows), 2);
	cr_expect_str_eq(json_object_get_string(json_object_object_get(o, "verdict")), "REGRESSION");
	cr_expect(json_object_get_boolean(json_object_object_get(o, "regression")));
	json_object *cells = json_object_object_get(json_object_array_get_idx(rows, 1), "cells");
	cr_assert_eq(json_object_array_length(cells), 3);
	cr_expect_null(json_object_array_get_idx(cells, 2), "the case is absent there");
	cr_expect_eq(json_object_array_length(json_object_object_get(o, "runs")), 3);
	json_object_put(o);
	cr_assert_eq(pv_run_table_write_json(&t, true, path, &e), 0, "%s", e.text);
	o = json_object_from_file(path);
	cr_expect_eq(json_object_array_length(json_object_object_get(o, "rows")), 3);
	json_object_put(o);

	_autofree_ char *text = page(path);
	expect_in(text, "<h1><span class=\"v fail\">REGRESSION</span> 3 runs compared</h1>");
	expect_in(text, "<td>p/a<br/>b c: <code>&#60;expected&#62; 1, got 2</code></td>");
	expect_in(text, "<td class=\"none\" data-head=\"b\">-</td>");
	expect_not_in(text, "p/same");
	expect_in(text, "<h2>Against run a</h2>\n<ul>\n"
			"<li>b: REGRESSION: 1 New failures and errors; 1 Passed before, and gone</li>\n"
			"<li>c: REGRESSION: 1 New failures and errors; 1 Passed before, and gone</li>\n</ul>");
	unlink(path);
}
