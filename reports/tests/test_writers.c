/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other report writers, the summary, and exit statuses. */
#include <criterion/criterion.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/law/law.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "reports/terminal.h"
#include "reports/tests/result_fixture.h"
#include "reports/writers.h"
#include "reports/xmltext.h"

static struct pv_run_result *mixed_run(void)
{
	struct pv_run_result *run = result_new();

	result_add(run, "tune", "ok", PV_PASS);
	result_say(result_add(run, "tune", "set[level=2]", PV_FAIL), "check", "expected 2, got 1",
		   "expected 2, got 1\nall of it\n");
	result_say(result_add(run, "trace", "crash", PV_ERROR), "crash", "killed by SIGSEGV", NULL);
	result_say(result_add(run, "trace", "cxl", PV_SKIP), "target", "no CXL here", NULL);
	run->cases[1].artefacts = result_strings("run/ledger.bin", "run/trace.bin");
	pv_run_count(run);
	return run;
}

/* ---- exit status ---- */

Test(exit_status, passes_and_skips_are_passed)
{
	struct pv_run_result *run = result_new();

	result_add(run, "p", "a", PV_PASS);
	result_add(run, "p", "b", PV_SKIP);
	pv_run_count(run);
	cr_expect_eq(pv_run_exit(run), PV_EXIT_PASSED);
	pv_run_result_free(run);
}

Test(exit_status, an_error_is_unjudged)
{
	struct pv_run_result *run = result_new();

	result_add(run, "p", "a", PV_PASS);
	result_add(run, "p", "b", PV_ERROR);
	pv_run_count(run);
	cr_expect_eq(pv_run_exit(run), PV_EXIT_UNJUDGED);
	pv_run_result_free(run);
}

Test(exit_status, a_failure_outweighs_an_error)
{
	struct pv_run_result *run = mixed_run();

	cr_expect_eq(pv_run_exit(run), PV_EXIT_FAILED);
	pv_run_result_free(run);
}

Test(exit_status, nothing_run_is_not_passed)
{
	struct pv_run_result *run = result_new();

	cr_expect_eq(pv_run_exit(run), PV_EXIT_UNJUDGED);
	pv_run_result_free(run);
}

/* All of its cases may have passed: rounds that --until-failure did not reach are no cases of the result. */
Test(exit_status, a_run_that_did_not_come_to_its_end_is_unjudged)
{
	static char why[] = "as it says";
	static const struct {
		bool running, interrupted;
		char *why;
		enum pv_exit passed, skipped;
	} rows[] = {
		{false, false, NULL, PV_EXIT_PASSED, PV_EXIT_SKIPPED},
		{false, true, why, PV_EXIT_PASSED, PV_EXIT_SKIPPED},	 /* the user ended it */
		{false, true, NULL, PV_EXIT_UNJUDGED, PV_EXIT_UNJUDGED}, /* it was killed */
		{false, false, why, PV_EXIT_UNJUDGED, PV_EXIT_UNJUDGED}, /* its results could not be written */
		{true, false, NULL, PV_EXIT_UNJUDGED, PV_EXIT_UNJUDGED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pv_run_result run = {
			.running = rows[i].running, .interrupted = rows[i].interrupted, .why = rows[i].why};
		struct pv_case_result one = {.verdict = PV_PASS};

		run.cases = &one;
		run.n_cases = 1;
		cr_expect_eq(pv_run_exit(&run), rows[i].passed, "row %zu", i);
		one.verdict = PV_SKIP;
		cr_expect_eq(pv_run_exit(&run), rows[i].skipped, "row %zu", i);
	}
}

/* ---- text ---- */

static void expect_clean(const char *text, const char *expected)
{
	char *got = pv_text_clean(text);

	cr_expect_str_eq(got, expected, "expected '%s', got '%s'", expected, got);
	free(got);
}

/* The newline that ends the format stays; others, also those of an argument that ends the line, do not. */
Test(text, a_line_is_put_together)
{
	char *got = NULL;
	size_t n;
	FILE *f = open_memstream(&got, &n);

	pv_text_printf(f, "\n%s-%d\n", "a\nb\x1b[m", 2);
	pv_text_printf(f, "%s", "c\n");
	pv_text_printf(f, "%s", "");
	fclose(f);
	cr_expect_str_eq(got, " a b-2\nc ");
	free(got);
}

Test(text, ansi_sequences_go)
{
	expect_clean("\x1b[1;31mred\x1b[m", "red");
	expect_clean("\x1b]0;title\x07text", "text");
	expect_clean("\x1b]0;title\x1b\\text", "text");
	expect_clean("\x1b(B\x1b"
		     "cplain",
		     "plain");
	/* The first and the last final byte, and intermediate ones. */
	expect_clean("\x1b[@a\x1b[1~b\x1b[2 qc\x1b[!/pd", "abcd");
}

Test(text, a_broken_sequence_is_shown)
{
	expect_clean("\x1b[12", "#x1B[12");
	expect_clean("\x1b]never ends", "#x1B]never ends");
	expect_clean("end\x1b", "end#x1B");
}

Test(text, only_valid_utf8_passes)
{
	expect_clean("\xc3\xa4", "\xc3\xa4");
	expect_clean("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
	expect_clean("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");
	expect_clean("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect_clean("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");
	expect_clean("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

Test(text, noncharacters_are_shown)
{
	expect_clean("\xef\xbf\xbe\xef\xbf\xbf\xf0\x9f\xbf\xbf", "#xFFFE#xFFFF#x1FFFF");
}

Test(text, windows_newlines_are_newlines)
{
	expect_clean("a\r\nb\rc", "a\nb#x0Dc");
}

/* ---- json and ktap ---- */

static char *written(int (*write)(const struct pv_run_result *, const char *, struct pv_error *),
		     const struct pv_run_result *run)
{
	char path[] = "/tmp/pcieval-report-XXXXXX", *text;
	struct pv_error e = {0};
	size_t n;

	close(mkstemp(path));
	cr_assert_eq(write(run, path, &e), 0, "%s", e.text);
	cr_assert_eq(pv_file_read(path, 64 << 20, &text, &n, &e), 0);
	unlink(path);
	return text;
}

Test(json, holds_everything)
{
	struct pv_run_result *run = mixed_run();
	char *text = written(pv_json_write, run);
	json_object *o = json_tokener_parse(text);
	json_object *totals = json_object_object_get(o, "totals");
	json_object *second = json_object_array_get_idx(json_object_object_get(o, "cases"), 1);

	cr_expect_eq(json_object_get_int(json_object_object_get(totals, "pass")), 1);
	cr_expect_eq(json_object_get_int(json_object_object_get(totals, "skip")), 1);
	cr_expect_str_eq(json_object_get_string(json_object_object_get(second, "message")), "expected 2, got 1");
	cr_expect_eq(json_object_array_length(json_object_object_get(second, "artefacts")), 2);
	json_object_put(o);
	free(text);
	pv_run_result_free(run);
}

static void expect_count(json_object *o, const char *key, int want)
{
	cr_expect_eq(json_object_get_int(json_object_object_get(o, key)), want, "%s: expected %d, got %d", key, want,
		     json_object_get_int(json_object_object_get(o, key)));
}

Test(json, each_count_is_its_own)
{
	struct pv_run_result *run = result_counted();
	char *text = written(pv_json_write, run);
	json_object *o = json_tokener_parse(text), *totals = json_object_object_get(o, "totals");

	expect_count(totals, "pass", 44);
	expect_count(totals, "fail", 11);
	expect_count(totals, "error", 22);
	expect_count(totals, "skip", 33);
	expect_count(totals, "flaky", 7);
	json_object_put(o);
	free(text);
	pv_run_result_free(run);
}

/* The first case runs ten times, with a different number of each verdict. */
Test(json, each_count_of_a_repeated_case_is_its_own)
{
	static const enum pv_verdict verdicts[] = {PV_FAIL,  PV_SKIP, PV_PASS, PV_ERROR, PV_SKIP,
						   PV_ERROR, PV_PASS, PV_SKIP, PV_PASS,	 PV_PASS};
	struct pv_run_result *run = result_new();

	for (unsigned i = 0; i < 10; i++) {
		struct pv_case_result *c = result_add(run, "p", "a", verdicts[i]);

		c->round = i + 1;
		if (verdicts[i] != PV_PASS)
			result_say(c, "check", "expected 2, got 1", NULL);
	}
	pv_run_count(run);
	char *text = written(pv_json_write, run);
	json_object *o = json_tokener_parse(text);
	json_object *one = json_object_array_get_idx(json_object_object_get(o, "repeats"), 0);

	expect_count(one, "runs", 10);
	expect_count(one, "pass", 4);
	expect_count(one, "fail", 1);
	expect_count(one, "error", 2);
	expect_count(one, "skip", 3);
	json_object_put(o);
	free(text);
	pv_run_result_free(run);
}

/* The statements that the case of judged_run() verifies. */
static const char *const judged[] = {"CP-CT-04", "CP-CT-07", NULL};

static struct pv_run_result *judged_run(enum pv_verdict verdict)
{
	struct pv_run_result *run = result_new();
	struct pv_case_result *c = result_add(run, "cpmu", "c", verdict);

	result_say(c, "check", "expected 2, got 1", NULL);
	c->verifies = result_strings(judged[0], judged[1]);
	pv_run_count(run);
	return run;
}

Test(json, a_failure_has_the_statements_that_it_rests_on_and_nothing_else_has)
{
	const struct pv_statement *rests[32];

	for (enum pv_verdict v = PV_PASS; v < PV_VERDICTS; v++) {
		struct pv_run_result *run = judged_run(v);
		char *text = written(pv_json_write, run);
		json_object *o = json_tokener_parse(text), *list = NULL;
		json_object *c = json_object_array_get_idx(json_object_object_get(o, "cases"), 0);

		cr_expect_eq(json_object_object_get_ex(c, "rests", &list), v == PV_FAIL);
		if (list) {
			json_object *first = json_object_array_get_idx(list, 0);

			cr_expect_eq(json_object_array_length(list), pv_law_rests(judged, rests, 32));
			cr_expect_str_eq(json_object_get_string(json_object_object_get(first, "id")), "F-C2");
			cr_expect_str_eq(json_object_get_string(json_object_object_get(first, "known")), "text");
			cr_expect_not_null(json_object_object_get(first, "source"));
			cr_expect_not_null(json_object_object_get(first, "text"));
		}
		json_object_put(o);
		free(text);
		pv_run_result_free(run);
	}
}

/* Returns a run with two cases that broke a rule, one of them twice as often. */
static struct pv_run_result *breaking_run(void)
{
	struct pv_run_result *run = result_new();

	result_add(run, "cpmu", "tame", PV_PASS);
	for (unsigned i = 1; i <= 2; i++) {
		struct pv_case_result *c = result_add(run, "cpmu", i == 1 ? "one" : "two", PV_PASS);

		c->rules = calloc(1, sizeof(*c->rules));
		c->rules[0] = (struct pv_rule_count){strdup("CP-9"), strdup("counter 1\x1b[1m, access 7"), i};
		c->n_rules = 1;
	}
	pv_run_count(run);
	return run;
}

Test(json, a_case_has_the_rules_that_the_driver_broke)
{
	struct pv_run_result *run = breaking_run();
	char *text = written(pv_json_write, run);
	json_object *o = json_tokener_parse(text), *cases = json_object_object_get(o, "cases");
	json_object *rules = json_object_object_get(json_object_array_get_idx(cases, 2), "rules");
	json_object *rule = json_object_array_get_idx(rules, 0);

	cr_expect_null(json_object_object_get(json_object_array_get_idx(cases, 0), "rules"));
	cr_expect_eq(json_object_array_length(rules), 1);
	cr_expect_str_eq(json_object_get_string(json_object_object_get(rule, "rule")), "CP-9");
	cr_expect_eq(json_object_get_int(json_object_object_get(rule, "count")), 2);
	cr_expect_str_eq(json_object_get_string(json_object_object_get(rule, "message")), "counter 1, access 7");
	json_object_put(o);
	free(text);
	pv_run_result_free(run);
}

Test(ktap, one_subtest_per_plan)
{
	struct pv_run_result *run = mixed_run();
	char *text = written(pv_ktap_write, run);

	cr_expect_str_eq(text, "KTAP version 1\n1..2\n"
			       "    KTAP version 1\n    1..2\n    ok 1 ok\n"
			       "    # fail (check): expected 2, got 1\n    # at scenarios/plan.xml:12\n"
			       "    not ok 2 set[level=2]\nnot ok 1 tune\n"
			       "    KTAP version 1\n    1..2\n"
			       "    # error (crash): killed by SIGSEGV\n    # at scenarios/plan.xml:12\n"
			       "    not ok 1 crash\n    ok 2 cxl # SKIP no CXL here\nnot ok 2 trace\n");
	free(text);
	pv_run_result_free(run);
}

static size_t occurrences(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		n++;
	return n;
}

Test(ktap, each_count_is_its_own)
{
	struct pv_run_result *run = result_counted();
	char *text = written(pv_ktap_write, run);

	cr_expect_eq(strncmp(text, "KTAP version 1\n1..2\n    KTAP version 1\n    1..10\n", 47), 0, "%.100s", text);
	cr_expect_eq(occurrences(text, "\n    1..100\n"), 1);
	cr_expect_eq(occurrences(text, "\n    not ok "), 33);
	cr_expect_eq(occurrences(text, "# fail (check)"), 11);
	cr_expect_eq(occurrences(text, "# error (crash)"), 22);
	cr_expect_eq(occurrences(text, "# SKIP "), 33);
	cr_expect_eq(occurrences(text, "\n    ok "), 77);
	free(text);
	pv_run_result_free(run);
}

static void expect_in(const char *text, const char *part)
{
	cr_expect(strstr(text, part), "expected '%s' in:\n%s", part, text);
}

/* ---- a page of text ---- */

/* Expects limits of width and height, and that all cases are counted. */
static void expect_a_page(const struct pv_run_result *run, size_t cases)
{
	char *text = written(pv_text_write, run);
	size_t lines = 0, told = 0, n;

	for (const char *at = text, *end; (end = strchr(at, '\n')); at = end + 1, lines++) {
		size_t columns = 0;
		const char *word = strstr(at, " case");

		for (const char *c = at; c < end; c++)
			columns += ((unsigned char)*c & 0xc0) != 0x80;
		cr_expect_leq(columns, 75, "%.*s", (int)(end - at), at);
		if (word && word < end && (!strncmp(at, "FAIL, ", 6) || strstr(at, " more case") == word - 5) &&
		    sscanf(at + (*at == 'F' ? 6 : 0), "%zu", &n) == 1)
			told += n;
	}
	cr_expect_leq(lines, 39, "%s", text);
	cr_expect_eq(told, cases, "%s", text);
	free(text);
}

/* Adds what the lines behind the failures tell, each with more than there is room for. */
static void add_the_rest(struct pv_run_result *run)
{
	char text[400] = "";

	memset(text, 'x', sizeof(text) - 1);
	result_attempt(result_add(run, "p", "flaky", PV_PASS), "crash", text, "", 1);
	result_say(result_add(run, "p", "skipped", PV_SKIP), "target", text, NULL);
	result_say(result_add(run, "p", "not run", PV_ERROR), "not-run", "the run was interrupted before", NULL);
	struct pv_case_result *c = result_add(run, "p", "rules", PV_PASS);

	c->rules = calloc(40, sizeof(*c->rules));
	for (c->n_rules = 0; c->n_rules < 40; c->n_rules++) {
		c->rules[c->n_rules].message = strdup("a message");
		cr_assert_geq(asprintf(&c->rules[c->n_rules].rule, "CP-%zu", c->n_rules), 0);
	}
	free(run->folder);
	run->folder = strdup(text);
}

Test(text_page, fits_whatever_failed)
{
	static const char *const words[] = {
		"short", "several words of some length that go on",
		"averyveryveryveryveryveryveryveryveryverylongwordthatdoesnotendbeforetheendof"
		"thelinenorofthenext",
		"\xc3\xa4\xc3\xb6\xc3\xbc \xe2\x82\xac", "\x1b[1mbold\x1b[0m\xff"};
	char kind[8192] = "";

	for (unsigned kinds = 0; kinds < 40; kinds += kinds < 8 ? 1 : 16)
		for (size_t w = 0; w < ARRAY_SIZE(words); w++) {
			struct pv_run_result *run = result_new();
			size_t cases = 0, len;

			for (unsigned k = 0; k < kinds; k++)
				for (unsigned i = 0; i <= k % 3; i++, cases++) {
					len = 0;
					for (unsigned j = 0; j <= k; j++)
						len += (size_t)snprintf(kind + len, sizeof(kind) - len, "%s%c ",
									words[w], 'a' + (char)(k % 26));
					result_say(
						result_add(run, words[w], words[(w + 1) % ARRAY_SIZE(words)], PV_FAIL),
						k < 26 ? "check" : "errno", kind, NULL);
				}
			if ((kinds + w) % 2)
				add_the_rest(run);
			pv_run_count(run);
			expect_a_page(run, cases);
			pv_run_result_free(run);
		}
}

Test(text_page, a_kind_names_its_first_and_its_last_case)
{
	static const char *const names[] = {"\n  p/c1-1, scenarios/plan.xml:12\n", "\n  p/c2-1 and p/c2-2\n",
					    "\n  p/c3-1, 1 other, and p/c3-3\n", "\n  p/c4-1, 2 others, and p/c4-4\n"};
	char head[64], name[16];

	for (unsigned n = 1; n <= ARRAY_SIZE(names); n++) {
		struct pv_run_result *run = result_new();

		for (unsigned i = 1; i <= n; i++) {
			snprintf(name, sizeof(name), "c%u-%u", n, i);
			result_say(result_add(run, "p", name, PV_FAIL), "check", "expected 2, got 1", NULL);
		}
		pv_run_count(run);
		char *text = written(pv_text_write, run);

		snprintf(head, sizeof(head), "\nFAIL, %u case%s: expected 2, got 1", n, n == 1 ? "" : "s");
		expect_in(text, head);
		expect_in(text, names[n - 1]);
		free(text);
		pv_run_result_free(run);
	}
}

/* The rounds of a case have one name. */
Test(text_page, a_case_of_several_rounds_is_named_with_its_round)
{
	struct pv_run_result *run = result_new();

	for (unsigned round = 1; round <= 3; round++) {
		struct pv_case_result *c = result_add(run, "p", "c", PV_FAIL);

		c->round = round;
		result_say(c, "check", "expected 2, got 1", NULL);
		c = result_add(run, "p", "d", round == 2 ? PV_FAIL : PV_PASS);
		c->round = round;
		result_say(c, "check", "the link is down", NULL);
	}
	pv_run_count(run);
	char *text = written(pv_text_write, run);
	expect_in(text, "\n  p/c, 1 other, and p/c #3\n");
	expect_in(text, "\n  p/d #2, scenarios/plan.xml:12\n");
	free(text);
	pv_run_result_free(run);
}

Test(text_page, flaky_cases_are_counted_and_have_their_attempts)
{
	struct pv_run_result *run = result_new();
	struct pv_case_result *c = result_add(run, "p", "c", PV_PASS);

	result_attempt(c, "crash", "killed by signal 6", "", 1);
	result_attempt(c, "timeout", "no end", "", 1);
	result_attempt(result_add(run, "p", "d", PV_PASS), "crash", "again", "", 1);
	result_attempt(result_add(run, "p", "e", PV_ERROR), "crash", "always", "", 1);
	pv_run_count(run);
	char *text = written(pv_text_write, run);
	expect_in(text, "3 cases: 2 passed, 0 failed, 1 error, 0 skipped, 2 flaky in ");
	expect_in(text, "\nflaky:   2 cases passed when run again: p/c (crash: killed by signal 6;\n"
			"         timeout: no end), p/d (crash: again)\n");
	free(text);
	pv_run_result_free(run);
}

Test(text_page, a_kind_names_the_first_six_statements_that_it_rests_on)
{
	struct pv_run_result *run = judged_run(PV_FAIL);
	char *text = written(pv_text_write, run), line[128] = "\n  rests on";
	const struct pv_statement *rests[32];
	size_t n = pv_law_rests(judged, rests, 32);

	cr_assert(n > 6 && n <= 32);
	for (size_t i = 0; i < 6; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " %s", rests[i]->id);
	expect_in(text, line);
	expect_in(text, " and others\n  (docs/hardware-notes.md)\n");
	free(text);
	pv_run_result_free(run);
}

/* ---- the summary ---- */

static char *summary(const struct pv_run_result *run, bool colour, bool verbose)
{
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	pv_terminal_summary(run, &(struct pv_terminal_style){.colour = colour, .verbose = verbose}, f);
	fclose(f);
	return text;
}

Test(summary, says_what_failed_and_how_to_repeat_it)
{
	struct pv_run_result *run = mixed_run();
	char *text = summary(run, false, false);

	expect_in(text, "FAIL tune/set[level=2]  scenarios/plan.xml:12\n      expected 2, got 1\n      all of it\n");
	expect_in(text, "seed 42\n");
	expect_in(text, "artefact run/ledger.bin\n");
	expect_in(text, "again: pcieval run --seed 7 --name 'tune/set[level=2]' scenarios/plan.xml\n");
	expect_in(text, "ERROR trace/crash  scenarios/plan.xml:12  (crash)\n      killed by SIGSEGV\n");
	expect_in(text, "4 cases: 1 passed, 1 failed, 1 error, 1 skipped in 2.500 s\n");
	expect_in(text, "results: pcieval-results/2026-03-01T12-00-00Z\n");
	free(text);
	pv_run_result_free(run);
}

Test(summary, each_count_is_its_own)
{
	struct pv_run_result *run = result_counted();
	char *text = summary(run, false, false);

	expect_in(text, "\nplan  pass  fail error  skip        time\n"
			"one      4     1     2     3     2.500 s\n"
			"two     40    10    20    30    25.000 s\n");
	expect_in(text, "110 cases: 44 passed, 11 failed, 22 errors, 33 skipped");
	expect_in(text, "7 flaky");
	free(text);
	pv_run_result_free(run);
}

Test(summary, a_failure_names_four_statements_and_the_ids_of_the_others)
{
	struct pv_run_result *run = judged_run(PV_FAIL);
	char *text = summary(run, false, false), part[64];
	const struct pv_statement *rests[32];
	size_t n = pv_law_rests(judged, rests, 32);

	cr_assert(n > 5 && n <= 32);
	for (size_t i = 0; i < n; i++) {
		snprintf(part, sizeof(part), i < 4 ? "\n      rests on %s (" : " %s ", rests[i]->id);
		if (i < n - 1 || i < 4)
			expect_in(text, part);
	}
	snprintf(part, sizeof(part), "and on %s ", rests[4]->id);
	expect_in(text, part);
	snprintf(part, sizeof(part), " %s (docs/hardware-notes.md)\n", rests[n - 1]->id);
	expect_in(text, part);
	free(text);
	pv_run_result_free(run);
}

Test(summary, a_case_without_a_verdict_of_the_hardware_blames_no_statement)
{
	struct pv_run_result *run = judged_run(PV_ERROR);
	char *text = summary(run, false, false);

	cr_expect_null(strstr(text, "rests on"));
	free(text);
	pv_run_result_free(run);
}

Test(summary, tells_the_rules_that_the_driver_broke_with_the_first_case)
{
	struct pv_run_result *run = breaking_run();
	char *text = summary(run, false, false);

	expect_in(text, "\nRULE CP-9 broken 3 times in 2 cases: Software leaves no threshold of 0 for ");
	expect_in(text, "\n      first in cpmu/one: counter 1, access 7\n");
	free(text);
	pv_run_result_free(run);
}

Test(summary, has_colours_only_when_asked)
{
	struct pv_run_result *run = mixed_run();
	char *plain = summary(run, false, true), *coloured = summary(run, true, true);

	cr_expect_null(strchr(plain, 0x1b));
	expect_in(coloured, "\x1b[31mFAIL\x1b[0m");
	free(plain);
	free(coloured);
	pv_run_result_free(run);
}

/* Returns a run whose texts are hostile: anyone may have written to a run folder. */
static struct pv_run_result *hostile_run(void)
{
	struct pv_run_result *run = result_new();

	result_say(result_add(run, "pl\x1b[2Jan", "ca\x1b[2Jse", PV_FAIL), "check", "a\x1b]0;x\x07\nb",
		   "a\n\x1b[2Jtext");
	result_say(result_add(run, "plan", "gone", PV_ERROR), "not-run", "not run", NULL);
	result_say(result_add(run, "plan", "crash", PV_ERROR), "crash)\nok 7 forged\x1b[1A", "crashed", NULL);
	for (size_t i = 0; i < run->n_cases; i++) {
		free(run->cases[i].file);
		run->cases[i].file = strdup("x.xml\nok 8 forged\x1b[1A");
	}
	run->why = strdup("stopped\x1b[1A\nok 9 forged");
	free(run->folder);
	run->folder = strdup("re\x1b[1Asults");
	pv_run_count(run);
	return run;
}

Test(summary, cannot_be_used_to_steer_the_terminal)
{
	struct pv_run_result *run = hostile_run();
	char *text = summary(run, false, true);

	cr_expect_null(strchr(text, 0x1b), "%s", text);
	cr_expect_null(strstr(text, "\nok "), "%s", text);
	free(text);
	pv_run_result_free(run);
}

Test(ktap, results_cannot_be_forged)
{
	struct pv_run_result *run = hostile_run();
	char *text = written(pv_ktap_write, run);

	cr_expect_null(strchr(text, 0x1b), "%s", text);
	cr_expect_null(strstr(text, "\nok "), "%s", text);
	free(text);
	pv_run_result_free(run);
}

/* There are as many plans as cases: a quadratic algorithm would take minutes. */
Test(writers, very_many_plans_cost_little, .timeout = 60)
{
	struct pv_run_result *run = result_new();

	run->n_cases = 60000;
	run->cases = calloc(run->n_cases, sizeof(*run->cases));
	for (unsigned i = 0; i < run->n_cases; i++) {
		struct pv_case_result *c = &run->cases[i];

		cr_assert_gt(asprintf(&c->plan, "p%u", i), 0);
		c->name = strdup("case");
		c->file = strdup("scenarios/plan.xml");
	}
	pv_run_count(run);
	char *ktap = written(pv_ktap_write, run), *junit = written(pv_junit_write, run),
	     *text = summary(run, false, false);
	expect_in(ktap, "\nok 60000 p59999\n");
	cr_expect(strstr(junit, "p59999") != NULL);
	expect_in(text, "\np59999 ");
	free(ktap);
	free(junit);
	free(text);
	pv_run_result_free(run);
}
