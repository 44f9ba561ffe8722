/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a run: the tables of plans, skips, known failures, slow cases, requirements, rules of use and cases. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "reports/tests/page.h"
#include "reports/tests/result_fixture.h"

Test(html, plans_are_in_the_order_of_the_run_with_their_counts)
{
	struct page p = page_of(result_mixed());

	expect(&p, "string(//section[@id = 'plans']//tr[2]/th)", "zeta");
	expect(&p, "string(//section[@id = 'plans']//tr[2]/td[1])", "11");
	expect(&p, "string(//section[@id = 'plans']//tr[2]/td[2])", "1");
	expect(&p, "string(//section[@id = 'plans']//tr[3]/th)", "alpha");
	expect(&p, "string(//section[@id = 'plans']//tr[3]/td[4])", "4");
	expect(&p, "string(//section[@id = 'plans']//tr[2]/td[last()])", "1 min 6 s");
	expect(&p, "count(//section[@id = 'plans']//tr[2]//rect)", "2");
	page_free(&p);
}

Test(html, each_count_is_its_own)
{
	static const char *const total[] = {"44", "11", "22", "33"}, *const one[] = {"4", "1", "2", "3"},
				 *const two[] = {"40", "10", "20", "30"};
	struct page p = page_of(result_counted());
	char path[128];

	for (unsigned v = 0; v < PV_VERDICTS; v++) {
		snprintf(path, sizeof(path), "string(//header//li[%u]/b)", v + 1);
		expect(&p, path, total[v]);
		snprintf(path, sizeof(path), "string(//section[@id = 'plans']//tr[2]/td[%u])", v + 1);
		expect(&p, path, one[v]);
		snprintf(path, sizeof(path), "string(//section[@id = 'plans']//tr[3]/td[%u])", v + 1);
		expect(&p, path, two[v]);
	}
	page_free(&p);
}

Test(html, one_failure_of_a_thousand_is_seen_in_the_bar)
{
	struct pv_run_result *run = result_new();

	for (int i = 0; i < 1000; i++)
		result_add(run, "p", "a", i == 7 ? PV_FAIL : PV_PASS);
	struct page p = page_of(run);
	expect(&p, "string(//header/*[local-name() = 'svg']/rect[@class = 'fail']/@width)", "20");
	expect(&p, "string(//header/*[local-name() = 'svg']/@viewBox)", "0 0 1019 10");
	page_free(&p);
}

Test(html, skips_are_counted_by_reason)
{
	struct page p = page_of(result_mixed());

	expect(&p, "count(//section[@id = 'skips']//tr)", "2");
	expect(&p, "string(//section[@id = 'skips']//tr[1]/td[1])", "2");
	expect(&p, "string(//section[@id = 'skips']//tr[1]/td[2])", "no CXL here");
	expect(&p, "string(//section[@id = 'skips']//tr[1]//li[2])", "alpha/three");
	expect(&p, "string(//section[@id = 'skips']//tr[2]/td[2])", "needs a board");
	page_free(&p);
}

Test(html, known_failures_are_told_apart_from_failures_and_skips)
{
	struct page p = page_of(result_mixed());

	expect(&p, "string(//section[@id = 'known']//h2)", "Known failures and unexpected passes (2)");
	expect(&p, "string(//section[@id = 'known']//p[1])", "unexpected pass: alpha/five");
	expect(&p, "count(//section[@id = 'known']//article)", "1");
	expect(&p, "normalize-space(//section[@id = 'known']//h3)", "SKIP alpha/four");
	expect(&p, "string(//section[@id = 'known']//p[@class = 'message'])", "known failure: bug 7");
	expect(&p, "string(//section[@id = 'known']//pre)", "\nexpected 1, got 2\n");
	expect(&p, "normalize-space(//section[@id = 'bad']//article[2]/h3)", "FAIL alpha/five");
	page_free(&p);
}

Test(html, a_section_has_the_only_case_of_a_run)
{
	static const struct {
		const char *section, *type;
		enum pv_verdict verdict;
	} rows[] = {{"bad", "check", PV_FAIL},
		    {"known", "known-failure", PV_SKIP},
		    {"known", "unexpected-pass", PV_FAIL},
		    {"flaky", NULL, PV_PASS},
		    {"skips", "target", PV_SKIP}};
	char xpath[64];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pv_run_result *run = result_new();
		struct pv_case_result *c = result_add(run, "p", "only", rows[i].verdict);

		if (rows[i].type)
			result_say(c, rows[i].type, "as it is", NULL);
		else
			result_attempt(c, "timeout", "no end", "a log\n", 2);
		struct page p = page_of(run);

		snprintf(xpath, sizeof(xpath), "string(//section[@id = '%s'])", rows[i].section);
		expect_part(&p, xpath, "p/only");
		page_free(&p);
	}
}

Test(html, the_ten_slowest_cases)
{
	struct page p = page_of(result_mixed());

	expect(&p, "count(//section[@id = 'slowest']//tr)", "10");
	expect(&p, "string(//section[@id = 'slowest']//tr[1]/td[1])", "11.000 s");
	expect(&p, "string(//section[@id = 'slowest']//tr[1]/td[3])", "zeta/many[n=11]");
	expect(&p, "string(//section[@id = 'slowest']//tr[7]/td[2])", "FAIL");
	page_free(&p);
}

Test(html, requirements_have_their_worst_verdict_and_their_cases)
{
	struct page p = page_of(result_mixed());

	expect(&p, "count(//section[@id = 'requirements']//tr)", "4");
	expect(&p, "string(//section[@id = 'requirements']//tr[2]/th)", "R-01");
	expect(&p, "string(//section[@id = 'requirements']//tr[2]/td[1])", "FAIL");
	expect(&p, "string(//section[@id = 'requirements']//tr[2]/td[last()])",
	       "zeta/many \xc3\x97"
	       "12, 1 fail");
	expect(&p, "string(//section[@id = 'requirements']//tr[3]/td[last()])",
	       "zeta/many \xc3\x97"
	       "12, 1 fail; alpha/one, 1 skip");
	expect(&p, "string(//section[@id = 'requirements']//tr[4]/th)", "R-03");
	expect(&p, "string(//section[@id = 'requirements']//tr[4]/td[1])", "SKIP");
	page_free(&p);
}

Test(html, every_case_is_in_the_list_of_its_plan)
{
	struct page p = page_of(result_mixed());

	expect(&p, "count(//details[@class = 'plan'])", "2");
	expect(&p, "count(//details[@id = 'p0']//tr[@data-v])", "12");
	expect(&p, "count(//details[@id = 'p1']//tr[@data-v = 'skip'])", "4");
	expect(&p, "string(//tr[@id = 'c5']/td[2]/a/@href)", "#b5");
	expect(&p, "string(//tr[@id = 'c6']/td[3])", "6.000 s");
	expect(&p, "string(//tr[@id = 'c6']/td[4])", "R-02 R-01");
	expect(&p, "string(//tr[@id = 'c6']/td[5])", "line 12");
	expect(&p, "string(//details[@id = 'p0']/summary)", "FAIL zeta 12 cases, 1 fail \xc2\xb7 scenarios/plan.xml");
	page_free(&p);
}

Test(html, plans_of_one_name_say_the_file_with_each_case)
{
	struct pv_run_result *run = result_mixed();

	free(run->cases[3].file);
	run->cases[3].file = strdup("other/plan.xml");
	struct page p = page_of(run);
	expect(&p, "string(//tr[@id = 'c3']/td[5])", "other/plan.xml:12");
	expect(&p, "string(//tr[@id = 'c4']/td[5])", "scenarios/plan.xml:12");
	page_free(&p);
}

Test(html, rules_of_use_that_were_broken_have_a_table)
{
	struct pv_run_result *run = result_bad();
	struct pv_case_result *c = &run->cases[0];

	c->rules = calloc(1, sizeof(*c->rules));
	c->rules[c->n_rules++] = (struct pv_rule_count){strdup("PT-2"), strdup("<not idle>"), 5};
	struct page p = page_of(run);
	expect(&p, "string(//section[@id = 'rules']//td[1])", "PT-2");
	expect(&p, "string(//section[@id = 'rules']//td[2])", "5");
	expect(&p, "string(//section[@id = 'rules']//td[3])", "1");
	expect_part(&p, "string(//section[@id = 'rules']//td[4])", "only while TRACE_STS says idle.");
	expect_part(&p, "string(//section[@id = 'rules']//td[4])", "first in tune/ok: <not idle>");
	page_free(&p);
}
