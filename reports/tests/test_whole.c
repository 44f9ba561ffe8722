/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Complete reports of a run with all kinds of results, compared with the files in reports/tests/whole: see whole.h. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/tests/whole.h"
#include "reports/compare.h"
#include "reports/terminal.h"
#include "reports/tests/result_fixture.h"
#include "reports/writers.h"

static void set(char **value, const char *text)
{
	free(*value);
	*value = strdup(text);
}

static void add_rule(struct pv_case_result *c, const char *rule, const char *message, uint64_t count)
{
	c->rules = realloc(c->rules, (c->n_rules + 1) * sizeof(*c->rules));
	c->rules[c->n_rules++] = (struct pv_rule_count){strdup(rule), strdup(message), count};
}

static void add_of_each_kind(struct pv_run_result *r)
{
	struct pv_case_result *c = result_add(r, "ptt", "whole[level=2]", PV_PASS);

	c->figures = result_strings("trace t: expected 10 records, got 10", "rate 3.50 GB/s");
	c->checks = 2;
	c->sim_ns = 1234567;
	c->verifies = result_strings("A-1", "A-2");
	c = result_add(r, "ptt", "short", PV_FAIL);
	result_say(c, "check", "ptt.xml:9: check-trace: expected 10 records, got 9",
		   "ptt.xml:9: check-trace: expected 10 records, got 9\nrecord 4: <missing> & \"gone\"\n");
	c->log = strdup("driver: <4> lost\nagent: \x1b[1mbold\x1b[0m\n");
	c->artefacts =
		result_strings("pcieval-results/2026-03-01T12-00-00Z/cases/1/ledger.pvw", "/elsewhere/trace-t.bin");
	c->verifies = result_strings("A-2", "A-3");
	c->checks = 7;
	c->seconds = 1.5;
	add_rule(c, "PT-2", "register 0x810 written, access 7", 3);
	c = result_add(r, "ptt", "like it's", PV_FAIL);
	result_say(c, "check", "ptt.xml:9: check-trace: expected 20 records, got 19", NULL);
	add_rule(c, "PT-2", "register 0x814 written, access 9", 2);
	add_rule(c, "CP-9", "counter 1, access 11", 1);
	c = result_add(r, "ptt", "crash", PV_ERROR);
	result_say(c, "crash", "killed by signal 11 (Segmentation fault)", "killed by signal 11\nat 0x1234\n");
	result_attempt(c, "timeout", "no end within 30 s", "first log\n", 30.25);
	result_attempt(c, "crash", "killed by signal 6 (Aborted)", "second log\n", 0.5);
	c = result_add(r, "ptt", "flaky", PV_PASS);
	result_attempt(c, "infrastructure", "no memory", "a log\n", 2);
	c = result_add(r, "cpmu", "known", PV_SKIP);
	result_say(c, "known-failure", "known failure: bug-7: expected 1, got 2",
		   "known failure: bug-7\nexpected 1, got 2\n");
	c->verifies = result_strings("B-1", "A-3");
	c = result_add(r, "cpmu", "surprise", PV_FAIL);
	result_say(c, "unexpected-pass", "expected known failure bug-8, got a pass", NULL);
	set(&c->file, "scenarios/other.xml");
}

static void add_skips(struct pv_run_result *r)
{
	char name[32], why[96];

	for (unsigned i = 0; i < 15; i++)
		for (unsigned j = 0; j <= i % 3; j++) {
			snprintf(name, sizeof(name), "skip-%u-%u", i, j);
			snprintf(why, sizeof(why), "scenarios/plan.xml:%u: wait: target model has no thing %u", j + 1,
				 i);
			result_say(result_add(r, "cpmu", name, PV_SKIP), "target", why, NULL);
		}
}

/* Adds three rounds of two cases, and a fourth one in which one case never ran. */
static void add_rounds(struct pv_run_result *r)
{
	for (unsigned round = 1; round <= 4; round++) {
		struct pv_case_result *c = result_add(r, "dwc-several", "steady", PV_PASS);

		c->round = round;
		c->seconds = round;
		c = result_add(r, "dwc-several", "now-and-then",
			       round == 2   ? PV_FAIL
			       : round == 4 ? PV_ERROR
					    : PV_PASS);
		c->round = round;
		if (round == 2)
			result_say(c, "check", "expected 4, got 3", NULL);
		if (round == 4)
			result_say(c, "not-run", "the run was interrupted before", NULL);
	}
}

static struct pv_run_result *rich_run(void)
{
	struct pv_run_result *r = result_new();
	static const char *const environment[] = {"kernel", "6.12.117", "cpus", "2", "firmware", "<none>", NULL};
	static const char *const properties[] = {"seed",    "7",  "revision", "abc123", "host kernel", "6.1",
						 "shuffle", "99", "jobs",     "2",	NULL};

	r->environment = calloc(ARRAY_SIZE(environment), sizeof(char *));
	for (size_t i = 0; environment[i]; i++)
		r->environment[i] = strdup(environment[i]);
	for (char **p = r->properties; *p; p++)
		free(*p);
	free(r->properties);
	r->properties = calloc(ARRAY_SIZE(properties), sizeof(char *));
	for (size_t i = 0; properties[i]; i++)
		r->properties[i] = strdup(properties[i]);
	r->seconds = 61.125;
	add_of_each_kind(r);
	add_skips(r);
	add_rounds(r);
	pv_run_count(r);
	return r;
}

/* Returns a later run of most of the cases, which was interrupted. */
static struct pv_run_result *later_run(void)
{
	struct pv_run_result *r = result_new();

	r->environment = result_strings("kernel", "7.3.0");
	set(&r->folder, "pcieval-results/2026-03-02T12-00-00Z");
	set(&r->version, "0.2.0");
	r->started += 86400;
	r->interrupted = true;
	r->why = strdup("interrupted by SIGINT");
	r->damaged = 2;
	struct pv_case_result *c = result_add(r, "ptt", "whole[level=2]", PV_PASS);
	c->figures = result_strings("trace t: expected 10 records, got 10", "rate 3.25 GB/s");
	c->checks = 3;
	result_say(result_add(r, "ptt", "short", PV_ERROR), "crash", "killed by signal 9 (Killed)", NULL);
	result_add(r, "ptt", "like it's", PV_PASS);
	result_say(result_add(r, "ptt", "flaky", PV_FAIL), "check", "expected 1, got 0", NULL);
	result_add(r, "ptt", "new", PV_PASS);
	c = result_add(r, "dwc-several", "steady", PV_PASS);
	c->round = 1;
	c->seconds = 9;
	c = result_add(r, "dwc-several", "steady", PV_SKIP);
	c->round = 2;
	result_say(c, "target", "target model has no thing 1", NULL);
	c = result_add(r, "dwc-several", "now-and-then", PV_ERROR);
	c->round = 1;
	c->interrupted = true;
	result_say(c, "incomplete", "the run ended while it was running", NULL);
	c = result_add(r, "dwc-several", "last", PV_ERROR);
	result_say(c, "not-run", "the run was interrupted before", NULL);
	pv_run_count(r);
	return r;
}

/* ---- against the files ---- */

static void expect_file(const char *path, const char *name)
{
	_autofree_ char *got = whole_read(path);

	cr_assert_not_null(got);
	whole_expect(got, SOURCES "/whole", name);
}

static void expect_report(const struct pv_run_result *r, const char *run)
{
	for (const struct pv_report_writer *w = pv_report_writers; w->name; w++) {
		char path[] = "/tmp/pcieval-whole-XXXXXX", name[64];
		struct pv_error e;

		close(mkstemp(path));
		cr_assert_eq(w->write(r, path, &e), 0, "%s", e.text);
		snprintf(name, sizeof(name), "%s.%s", run, w->name);
		expect_file(path, name);
		unlink(path);
	}
}

static void expect_summary(const struct pv_run_result *r, struct pv_terminal_style style, const char *name)
{
	char path[] = "/tmp/pcieval-whole-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");

	cr_assert_not_null(f);
	pv_terminal_summary(r, &style, f);
	cr_assert_eq(fclose(f), 0);
	expect_file(path, name);
	unlink(path);
}

Test(whole, reports_of_a_run)
{
	struct pv_run_result *r = rich_run();

	expect_report(r, "rich");
	expect_summary(r, (struct pv_terminal_style){.verbose = true}, "rich.txt");
	expect_summary(r, (struct pv_terminal_style){.colour = true}, "rich.colour.txt");
	expect_summary(r, (struct pv_terminal_style){.quiet = true}, "rich.quiet.txt");
	pv_run_result_free(r);
}

Test(whole, reports_of_a_run_that_was_interrupted)
{
	struct pv_run_result *r = later_run();

	expect_report(r, "later");
	expect_summary(r, (struct pv_terminal_style){0}, "later.txt");
	pv_run_result_free(r);
}

Test(whole, comparisons)
{
	static const struct {
		const char *name;
		int (*write)(const struct pv_comparison *c, const char *path, struct pv_error *e);
	} writers[] = {{"compared.json", pv_comparison_write_json}, {"compared.html", pv_comparison_write_html}};
	struct pv_run_result *before = rich_run(), *after = later_run();
	struct pv_comparison c = {0};
	char path[] = "/tmp/pcieval-whole-XXXXXX";
	struct pv_error e;

	close(mkstemp(path));
	cr_assert_eq(pv_compare(before, after, 2, &c), 0);
	for (size_t i = 0; i < ARRAY_SIZE(writers); i++) {
		cr_assert_eq(writers[i].write(&c, path, &e), 0, "%s", e.text);
		expect_file(path, writers[i].name);
	}
	for (unsigned colour = 0; colour < 2; colour++) {
		FILE *f = fopen(path, "w");

		cr_assert_not_null(f);
		pv_comparison_print(&c, colour, f);
		cr_assert_eq(fclose(f), 0);
		expect_file(path, colour ? "compared.colour.txt" : "compared.txt");
	}
	unlink(path);
	pv_comparison_free(&c);
	pv_run_result_free(before);
	pv_run_result_free(after);
}
