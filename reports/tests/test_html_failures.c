/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a run: failures and errors, each shown once with all details, and groups of similar ones. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "reports/groups.h"
#include "reports/tests/page.h"
#include "reports/tests/result_fixture.h"

Test(html, failures_come_first_then_errors)
{
	struct page p = page_of(result_bad());

	expect(&p, "string(//main/section[1]/@id)", "bad");
	expect(&p, "normalize-space(//article[1]/h3)", "FAIL tune/set[level=2]");
	expect(&p, "normalize-space(//article[2]/h3)", "ERROR trace/crash");
	expect(&p, "normalize-space(//article[2]/p[@class = 'message'])", "killed by SIGSEGV");
	page_free(&p);
}

Test(html, a_failure_is_told_whole_and_once)
{
	struct page p = page_of(result_bad());

	expect(&p, "string(//article[1]/p[@class = 'message'])", "expected 2, got 1");
	expect(&p, "string(//article[1]/pre)", "\nall\nof it\n");
	expect_part(&p, "string(//article[1]/p[2])", "scenarios/plan.xml:12");
	expect_part(&p, "string(//article[1]/p[2])", "check");
	expect_part(&p, "string(//article[1]/p[2])", "seed 42");
	expect_part(&p, "string(//article[1]/p[2])", "verifies PTT-TU-01 PTT-TU-02");
	expect_part(&p, "string(//article[1]/ul[contains(@class, 'rests')]/li[1])", "F-P15 (driver: ");
	expect(&p, "string(//article[1]/ul[contains(@class, 'rests')]/li[2])",
	       "F-P14 (driver: hisi_ptt.c) Writing all ones to TUNING_DATA starts a read of the selected event, and "
	       "writing any other value starts a write.");
	expect(&p, "count(//article[2]/ul)", "0"); /* an error blames no requirement */
	expect(&p, "string(//article[1]//code)", "pcieval run --seed 7 --name 'tune/set[level=2]' scenarios/plan.xml");
	expect(&p, "string(//article[1]/details/summary)", "log, 2 lines");
	expect(&p, "string(//article[1]/details/pre)", "\ntuning\ntuned\n");
	page_free(&p);
}

static struct page page_of_failure(const char *message, const char *text)
{
	struct pv_run_result *run = result_new();

	result_say(result_add(run, "p", "a", PV_FAIL), "check", message, text);
	return page_of(run);
}

Test(html, text_that_only_repeats_the_message_is_left_out)
{
	struct page p = page_of_failure("place: expected 2, got 1: record 3 differs",
					"place: expected 2, got 1: record 3 differs\nrecord 3 differs\n\n");

	expect(&p, "count(//article/pre)", "0");
	page_free(&p);
}

Test(html, a_failure_without_a_message_is_no_empty_article)
{
	struct page p = page_of_failure("", "the only text");

	expect(&p, "string(//article/p[@class = 'message'])", "no message");
	expect(&p, "string(//article/pre)", "\nthe only text");
	page_free(&p);
}

static char *repeated(const char *part, size_t n)
{
	size_t length = strlen(part);
	char *text = malloc(n * length + 1);

	for (size_t i = 0; i < n; i++)
		memcpy(text + i * length, part, length);
	text[n * length] = 0;
	return text;
}

/* The characters have three bytes, so the limit is in the middle of one. */
Test(html, what_is_too_long_is_cut_between_characters_and_says_so)
{
	char *message = repeated("\xe2\x80\x94", 3000), *text = repeated("\xe2\x80\x94", 100000);
	struct page p = page_of_failure(message, text);

	expect(&p, "string-length(//article/p[@class = 'message'])", "1368"); /* 1365 and "..." */
	expect(&p, "string-length(//article/pre)", "21846");
	expect_part(&p, "string(//article)", "234465 more bytes are left out here");
	page_free(&p);
	free(message);
	free(text);
}

Test(html, a_page_can_be_opened_whatever_went_wrong)
{
	char *text = repeated("0123456789abcde\n", 5000), name[32];
	struct pv_run_result *run = result_new();

	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "case[%d]", i);
		struct pv_case_result *c = result_add(run, "p", name, PV_FAIL);
		result_say(c, "check", "expected 1, got 2", text);
		c->log = strdup(text);
	}
	struct page p = page_of(run);
	cr_expect_lt(strlen(p.text), 20 << 20);
	expect(&p, "count(//article)", "300");
	expect(&p, "string((//article)[300]/p[@class = 'message'])", "expected 1, got 2");
	page_free(&p);
	free(text);
}

/* ---- failures that look alike ---- */

static char *likeness_of(const char *message)
{
	struct pv_run_result *run = result_new();
	struct pv_case_result *c = result_add(run, "p", "a", PV_FAIL);

	result_say(c, "check", message, NULL);
	char *likeness = pv_failure_signature(c);
	pv_run_result_free(run);
	return likeness;
}

Test(likeness, is_the_message_without_numbers_and_names)
{
	static const char *const rows[][2] = {
		{"scenarios/plan.xml:41: check-counter: counter curr: expected 3, got 0: "
		 "cxl_pmu_mem0.0/d2h_req_rdcurr/",
		 "check-counter: counter #: expected #, got #: #"},
		{"scenarios/plan.xml:9: reg-read: mem0 bar0 + 0x20c00: expected 0x32, got 0xffce (0xffce without the "
		 "mask)",
		 "reg-read: # # + #: expected #, got # (# without the mask)"},
		{"open: expected EINVAL, got ENOENT", "open: expected EINVAL, got ENOENT"},
		{"other.xml:7: no", "#: no"},
		{"a \"b_c\", (x/y).", "a \"#\", (#)."},
		{"", ""},
		{" : ", ":"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *got = likeness_of(rows[i][0]);

		cr_expect_str_eq(got, rows[i][1], "'%s': expected '%s', got '%s'", rows[i][0], rows[i][1], got);
		free(got);
	}
}

/* Once, 214 failures with one cause had 214 articles. */
Test(html, failures_that_look_alike_are_one_and_the_rest_of_them)
{
	struct pv_run_result *run = result_new();
	char name[32], message[96];

	result_say(result_add(run, "p", "odd", PV_FAIL), "check", "expected EINVAL, got 0", NULL);
	for (int i = 0; i < 213; i++) {
		snprintf(name, sizeof(name), "case[%d]", i);
		snprintf(message, sizeof(message), "scenarios/plan.xml:%d: counter c%d: expected %d, got 0: pmu_%d/x/",
			 i, i, i * 7, i);
		result_say(result_add(run, "p", name, PV_FAIL), "check", message, NULL);
	}
	result_say(result_add(run, "p", "other", PV_ERROR), "check", "counter c1: expected 5, got 0: pmu_1/x/", NULL);
	struct page p = page_of(run);
	expect_part(&p, "string(//section[@id = 'bad']/h2)", "(215)");
	expect_part(&p, "string(//section[@id = 'bad']//p[1])", "215, of 3 kinds");
	expect(&p, "count(//section[@id = 'bad']/div/article)", "3");
	expect(&p, "count(//details[@class = 'same'])", "1");
	expect(&p, "string(//article[1]/@id)", "b1");
	expect_part(&p, "string(//details[@class = 'same']/summary)",
		    "212 more like it, but for numbers and names: counter #: expected #, got #: #");
	expect(&p, "count(//details[@class = 'same']/article[@data-v = 'fail'])", "212");
	expect_part(&p, "string(//details[@class = 'same']/article[1]/p[@class = 'message'])", "expected 7, got 0");
	expect(&p, "count(//details[@class = 'same']/article[1]/details//code)", "1");
	page_free(&p);
}
