/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a history: small, well-formed, and safe. */
#include <criterion/criterion.h>
#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

#include "framework/history/report.h"
#include "framework/util/cleanup.h"
#include "reports/tests/result_fixture.h"

static struct pv_history h;
static struct pv_error e;

static void begin(void)
{
	cr_assert_eq(pv_history_open(&h, ":memory:", true, &e), 0, "%s", e.text);
}

static void end(void)
{
	pv_history_close(&h);
}

TestSuite(page, .init = begin, .fini = end);

static void add(struct pv_run_result *r)
{
	bool known;

	pv_run_count(r);
	cr_assert_eq(pv_history_add(&h, r, &known, &e), 0, "%s", e.text);
	pv_run_result_free(r);
}

/* Returns the page, and checks that it is well-formed XML. The caller frees it. */
static char *page(size_t *n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, n);

	cr_assert_eq(pv_history_put_page(&h, f, &e), 0, "%s", e.text);
	fclose(f);
	xmlDoc *doc = xmlReadMemory(text, (int)*n, "page", NULL, XML_PARSE_NONET);
	cr_expect_not_null(doc, "not well-formed");
	xmlFreeDoc(doc);
	return text;
}

/* Adds runs with `cases` cases each; every `bad`th case fails sometimes. */
static void add_runs(int runs, int cases, int bad)
{
	for (int i = 0; i < runs; i++) {
		struct pv_run_result *r = result_new();

		r->started += i * 3600;
		for (int k = 0; k < cases; k++) {
			char name[32], figure[32];

			snprintf(name, sizeof(name), "case[n=%d]", k);
			struct pv_case_result *c =
				result_add(r, "plan", name, !(k % bad) && i % 7 == 3 ? PV_FAIL : PV_PASS);
			snprintf(figure, sizeof(figure), "got %d MB/s", 1000 + k + (k == 1 ? i : 0));
			c->figures = result_strings(figure, "");
		}
		add(r);
	}
}

Test(page, of_a_thousand_runs_is_small)
{
	size_t n;

	add_runs(1000, 20, 4);
	_autofree_ char *text = page(&n);
	cr_expect_lt(n, 100000, "got %zu bytes", n);
	cr_expect(strstr(text, "the last 1000 runs"));
}

Test(page, shows_at_most_a_hundred_cases_and_says_so)
{
	size_t n;

	add_runs(8, 300, 2);
	_autofree_ char *text = page(&n);
	cr_expect(strstr(text, "<p>50 more: <code>pcieval history show</code> lists them.</p>"));
}

Test(page, draws_rates_that_vary)
{
	size_t n;

	add_runs(40, 3, 9);
	_autofree_ char *text = page(&n);
	cr_expect(strstr(text, "<h2>Rate of plan/case[n=1]</h2>"));
	cr_expect_null(strstr(text, "Rate of plan/case[n=2]"), "that one is always the same");
}

/* The second of three runs has a planted defect, and half the rate. */
static void add_planted(void)
{
	for (int i = 0; i < 3; i++) {
		struct pv_run_result *r = result_new();

		r->started += i * 3600;
		if (i == 1)
			result_property(r, "defects", "ptt-drop-record");
		result_add(r, "plan", "case[n=1]", PV_PASS)->figures =
			result_strings(i == 1 ? "50 MB/s" : "100 MB/s", NULL);
		add(r);
	}
}

Test(page, planted_defects_make_no_trend)
{
	size_t n;

	add_planted();
	_autofree_ char *text = page(&n);
	cr_expect(strstr(text, "the last 2 runs without planted defects"), "%s", text);
	cr_expect_null(strstr(text, "Rate of plan/case[n=1]"), "without the defect it is always the same");
	cr_expect(strstr(text, "reference<span class=\"dim\">planted defects: ptt-drop-record</span></td>"));
}

/* As in a history that an earlier version made. */
static void forget_conditions(void)
{
	cr_assert_eq(sqlite3_exec(h.db, "INSERT OR REPLACE INTO conditions SELECT id, NULL, NULL FROM run", NULL, NULL,
				  NULL),
		     SQLITE_OK, "%s", sqlite3_errmsg(h.db));
}

Test(page, planted_defects_that_were_not_recorded_are_not_denied)
{
	size_t n;

	add_planted();
	forget_conditions();
	_autofree_ char *text = page(&n);
	cr_expect(strstr(text, "the last 3 runs, planted defects of 3 not recorded; times in UTC"), "%s", text);
	cr_expect(strstr(text, "reference<span class=\"dim\">planted defects: not recorded</span></td>"));
}

Test(page, runs_have_no_fractions)
{
	size_t n;

	add_runs(3, 1, 2);
	_autofree_ char *text = page(&n);
	char *behind = strstr(text, "<h2>Cases"); /* the first plot, of numbers of cases, is before it */
	cr_assert_not_null(behind);
	*behind = 0;
	cr_expect(strstr(text, ">2</text>"), "%s", text);
	cr_expect_null(strstr(text, ".5</text>"), "%s", text);
}

Test(page, names_are_no_elements)
{
	struct pv_run_result *r = result_new();
	size_t n;

	result_add(r, "<b>plan", "<script>alert(1)</script>&amp;", PV_FAIL)->figures =
		result_strings("got 1 MB/s", "got 2 MB/s");
	free(r->driver);
	r->driver = strdup("<i>\x1b[31m");
	add(r);
	_autofree_ char *text = page(&n);
	cr_expect_null(strstr(text, "<script>"));
	cr_expect_null(strstr(text, "<b>plan"));
	cr_expect(strstr(text, "&#60;script&#62;alert(1)&#60;/script&#62;&#38;amp;"));
	cr_expect_null(strchr(text, '\x1b'));
}

Test(page, of_nothing_says_so)
{
	size_t n;
	_autofree_ char *text = page(&n);

	cr_expect(strstr(text, "<p>Each result is a pass or a skip; a case that never ran has none.</p>"));
}

/* ---- text ---- */

static char *text_of(int (*put)(FILE *out))
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	cr_assert_eq(put(f), 0, "%s", e.text);
	fclose(f);
	return text;
}

static int show(FILE *out)
{
	const struct pv_history_filter bad = {.bad = true};

	return pv_history_put_show(&h, 2, &bad, out, &e);
}

static int flaky(FILE *out)
{
	size_t n;

	return pv_history_put_flaky(&h, NULL, &n, out, &e);
}

static int trend(FILE *out)
{
	size_t n;

	return pv_history_put_trend(&h, "case[n=1]", &n, out, &e);
}

Test(page, text_tells_runs_and_cases)
{
	add_runs(4, 2, 2);
	_autofree_ char *text = text_of(show);

	cr_expect_str_eq(text,
			 "run                pass  fail error  skip        time  tested, run\n"
			 "2026-03-01 14:00      2     0     0     0     2.500 s  model, reference  "
			 "pcieval-results/2026-03-01T12-00-00Z\n"
			 "2026-03-01 15:00      1     1     0     0     2.500 s  model, reference  "
			 "pcieval-results/2026-03-01T12-00-00Z\n"
			 "\n"
			 "now   fails since      last pass        first failure     flaky results  case\n"
			 "fail  2026-03-01 15:00 2026-03-01 14:00 2026-03-01 15:00  25.0%       4  plan/case[n=0]\n");
}

/* An interrupted run says nothing about the cases that it did not reach, and the page must not either. */
Test(page, text_does_not_call_a_case_passed_that_never_ran)
{
	struct pv_run_result *r = result_new();

	result_say(result_add(r, "p", "a", PV_ERROR), "not-run", "not run: interrupted", NULL);
	add(r);
	_autofree_ char *text = text_of(show);
	cr_expect_null(strstr(text, "every case has always passed"), "%s", text);
	cr_expect(strstr(text, "\n\neach result is a pass or a skip; a case that never ran has none\n"), "%s", text);
}

Test(page, text_of_flaky_cases_has_their_results)
{
	add_runs(5, 2, 2);
	_autofree_ char *text = text_of(flaky);

	cr_expect_str_eq(text, " flaky changes retries results  case, results (P, F, E, S; the newest at the right)\n"
			       " 40.0%       2       0       5  plan/case[n=0]\n"
			       "                                PPPFP\n");
}

Test(page, text_of_a_trend_has_rates)
{
	add_runs(2, 2, 2);
	_autofree_ char *text = text_of(trend);

	cr_expect_str_eq(text, "plan/case[n=1]\n"
			       "2026-03-01 12:00 pass      0.250 s      1001 MB/s  model, reference\n"
			       "2026-03-01 13:00 pass      0.250 s      1002 MB/s  model, reference\n");
}

Test(page, text_tells_planted_defects_that_were_not_recorded)
{
	add_planted();
	forget_conditions();
	_autofree_ char *text = text_of(trend), *runs = text_of(show);

	cr_expect(strstr(text, "100 MB/s  model, reference, planted defects: not recorded\n"), "%s", text);
	cr_expect(strstr(runs, "model, reference, planted defects: not recorded  pcieval-results"), "%s", runs);
}

Test(page, text_of_a_trend_names_planted_defects)
{
	add_planted();
	_autofree_ char *text = text_of(trend);

	cr_expect(strstr(text, "50 MB/s  model, reference, planted defects: ptt-drop-record\n"), "%s", text);
	cr_expect(strstr(text, "100 MB/s  model, reference\n"), "%s", text);
}
