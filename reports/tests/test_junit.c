/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JUnit reports, parsed like their readers do. Every report here is validated against junit-10.xsd, the schema of the
 * Jenkins xUnit plugin (MIT licence, in this folder).
 */
#include <criterion/criterion.h>
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/file.h"
#include "reports/tests/result_fixture.h"
#include "reports/tests/xpath.h"
#include "reports/writers.h"

struct report {
	xmlDoc *doc;
	char *text;
};

static void validate(xmlDoc *doc)
{
	xmlSchemaParserCtxt *parser = xmlSchemaNewParserCtxt(SOURCES "/junit-10.xsd");
	xmlSchema *schema = xmlSchemaParse(parser);

	cr_assert_not_null(schema);
	xmlSchemaValidCtxt *valid = xmlSchemaNewValidCtxt(schema);
	cr_expect_eq(xmlSchemaValidateDoc(valid, doc), 0, "the report does not follow junit-10.xsd");
	xmlSchemaFreeValidCtxt(valid);
	xmlSchemaFree(schema);
	xmlSchemaFreeParserCtxt(parser);
}

/* Writes a report, parses it strictly (without recovery), and validates it. */
static struct report write_and_read(const struct pv_run_result *run)
{
	char path[] = "/tmp/pcieval-junit-XXXXXX";
	struct report r = {0};
	struct pv_error e = {0};
	size_t n;

	close(mkstemp(path));
	int err = pv_junit_write(run, path, &e);
	cr_assert_eq(err, 0, "%s", e.text);
	cr_assert_eq(pv_file_read(path, 64 << 20, &r.text, &n, &e), 0);
	unlink(path);
	r.doc = xmlReadMemory(r.text, (int)n, path, NULL, XML_PARSE_NONET);
	cr_assert_not_null(r.doc, "the report is not well-formed");
	validate(r.doc);
	return r;
}

static void report_free(struct report *r)
{
	xmlFreeDoc(r->doc);
	free(r->text);
}

static void expect(const struct report *r, const char *xpath, const char *expected)
{
	xpath_expect(r->doc, xpath, expected);
}

static void expect_part(const struct report *r, const char *xpath, const char *part)
{
	xpath_expect_part(r->doc, xpath, part);
}

/* Returns the report of a run with one case, with this message and text. */
static struct report report_of(enum pv_verdict verdict, const char *type, const char *message, const char *text)
{
	struct pv_run_result *run = result_new();
	struct pv_case_result *c = result_add(run, "plan", "case", verdict);

	result_say(c, type, message, text);
	pv_run_count(run);
	struct report r = write_and_read(run);
	pv_run_result_free(run);
	return r;
}

Test(junit, a_run_of_passes)
{
	struct pv_run_result *run = result_new();

	result_add(run, "ptt-tune", "set[level=0]", PV_PASS);
	result_add(run, "ptt-tune", "set[level=1]", PV_PASS)->seconds = 1.2345;
	result_add(run, "dwc-lanes", "lane[n=3]", PV_PASS);
	run->environment = result_strings("kernel", "6.12.0");
	pv_run_count(run);
	struct report r = write_and_read(run);
	expect(&r, "string(/testsuites/@name)", "pcieval");
	expect(&r, "string(/testsuites/@tests)", "3");
	expect(&r, "string(/testsuites/@failures)", "0");
	expect(&r, "string(/testsuites/@errors)", "0");
	expect(&r, "count(/testsuites/testsuite)", "2");
	expect(&r, "count(//testsuite//testsuite)", "0");
	expect(&r, "string(//testsuite[1]/@name)", "model.embedded.ptt-tune");
	expect(&r, "string(//testsuite[1]/@tests)", "2");
	expect(&r, "string(//testsuite[1]/@skipped)", "0");
	expect(&r, "string(//testsuite[1]/@timestamp)", "2026-03-01T12:00:00");
	expect(&r, "string(//testsuite[1]/@hostname)", "lab1");
	expect(&r, "string(//testsuite[1]/properties/property[@name='driver']/@value)", "reference");
	expect(&r, "string(//testsuite[1]/properties/property[@name='seed']/@value)", "7");
	expect(&r, "string(//testsuite[1]/properties/property[@name='machine.kernel']/@value)", "6.12.0");
	expect(&r, "string(//testcase[1]/@classname)", "model.embedded.ptt-tune");
	expect(&r, "string(//testcase[@name='set[level=1]']/@time)", "1.235");
	expect(&r, "count(//failure | //error | //skipped)", "0");
	report_free(&r);
	pv_run_result_free(run);
}

Test(junit, each_verdict_has_its_element)
{
	struct pv_run_result *run = result_new();

	result_say(result_add(run, "p", "a", PV_FAIL), "check", "expected 4, got 3", "expected 4, got 3\nrecord 3");
	result_say(result_add(run, "p", "b", PV_ERROR), "crash", "killed by SIGSEGV", NULL);
	result_say(result_add(run, "p", "c", PV_SKIP), "target", "no CXL", NULL);
	result_add(run, "p", "d", PV_PASS);
	pv_run_count(run);
	struct report r = write_and_read(run);
	expect(&r, "string(//testsuite/@failures)", "1");
	expect(&r, "string(//testsuite/@errors)", "1");
	expect(&r, "string(//testsuite/@skipped)", "1");
	expect(&r, "string(//testcase[@name='a']/failure/@type)", "check");
	expect(&r, "string(//testcase[@name='a']/failure/@message)", "expected 4, got 3");
	expect(&r, "string(//testcase[@name='a']/failure)", "expected 4, got 3\nrecord 3");
	expect(&r, "string(//testcase[@name='b']/error/@type)", "crash");
	expect(&r, "string(//testcase[@name='c']/skipped/@message)", "no CXL");
	expect(&r, "string(//testcase[@name='c']/skipped)", "no CXL");
	expect(&r, "count(//testcase[count(failure | error | skipped) > 1])", "0");
	report_free(&r);
	pv_run_result_free(run);
}

Test(junit, each_count_is_its_own)
{
	struct pv_run_result *run = result_counted();
	struct report r = write_and_read(run);

	expect(&r, "string(/testsuites/@tests)", "110");
	expect(&r, "string(/testsuites/@failures)", "11");
	expect(&r, "string(/testsuites/@errors)", "22");
	expect(&r, "string(//testsuite[1]/@tests)", "10");
	expect(&r, "string(//testsuite[1]/@failures)", "1");
	expect(&r, "string(//testsuite[1]/@errors)", "2");
	expect(&r, "string(//testsuite[1]/@skipped)", "3");
	expect(&r, "string(//testsuite[2]/@tests)", "100");
	expect(&r, "string(//testsuite[2]/@failures)", "10");
	expect(&r, "string(//testsuite[2]/@errors)", "20");
	expect(&r, "string(//testsuite[2]/@skipped)", "30");
	expect(&r, "count(//testsuite[1]/testcase/failure)", "1");
	expect(&r, "count(//testsuite[1]/testcase/error)", "2");
	expect(&r, "count(//testsuite[1]/testcase/skipped)", "3");
	report_free(&r);
	pv_run_result_free(run);
}

Test(junit, an_empty_run)
{
	struct pv_run_result *run = result_new();

	pv_run_count(run);
	struct report r = write_and_read(run);
	expect(&r, "string(/testsuites/@tests)", "0");
	expect(&r, "count(/testsuites/*)", "0");
	report_free(&r);
	pv_run_result_free(run);
}

Test(junit, text_that_xml_cannot_hold)
{
	struct report r = report_of(PV_FAIL, "check", "got \x1b[1;31mred\x1b[0m \x01 \"quoted\" <&>",
				    "a ]]> b \xef\xbf\xbe c \xff d \x1b]8;;http://x\x07link \x7f\xc2\x9b e\n");

	expect(&r, "string(//failure/@message)", "got red #x01 \"quoted\" <&>");
	expect(&r, "string(//failure)", "a ]]> b #xFFFE c \xef\xbf\xbd d link #x7F#x9B e\n");
	report_free(&r);
}

Test(junit, a_message_is_one_line)
{
	struct report r = report_of(PV_FAIL, "check", "one\ntwo\tthree\r\nfour", "one");

	expect(&r, "string(//failure/@message)", "one two three four");
	report_free(&r);
}

Test(junit, a_megabyte_of_text_is_all_there)
{
	enum { SIZE = 1 << 20 };
	char *text = malloc(SIZE + 1);

	memset(text, 'y', SIZE);
	text[SIZE] = 0;
	struct report r = report_of(PV_FAIL, "check", "much", text);
	expect(&r, "string-length(//failure)", "1048576");
	report_free(&r);
	free(text);
}

Test(junit, every_byte_value_survives_the_schema)
{
	char text[512];

	for (int i = 0; i < 255; i++) {
		text[2 * i] = (char)(i + 1);
		text[2 * i + 1] = ' ';
	}
	text[510] = 0;
	struct report r = report_of(PV_ERROR, text, text, text);
	char *got = xpath_value(r.doc, "string(//error)");
	cr_expect_gt(strlen(got), 400);
	free(got);
	report_free(&r);
}

/* The schema allows no properties of a case. */
Test(junit, former_names_are_in_system_out)
{
	struct pv_run_result *run = result_new();

	result_add(run, "plan", "set[n=1]@rp0=0000:3a:01.0", PV_PASS)->formerly =
		result_strings("set[n=1,m=2]", "put[n=1]");
	result_add(run, "plan", "other", PV_PASS);
	pv_run_count(run);
	struct report r = write_and_read(run);
	expect_part(&r, "string(//testcase[1]/system-out)",
		    "\nformerly: set[n=1,m=2]@rp0=0000:3a:01.0\nformerly: put[n=1]@rp0=0000:3a:01.0\n");
	expect(&r, "count(//system-out[contains(., 'formerly')])", "1");
	report_free(&r);
	pv_run_result_free(run);
}

Test(junit, what_the_schema_has_no_attribute_for_is_in_system_out)
{
	struct pv_run_result *run = result_new();
	struct pv_case_result *c = result_add(run, "plan", "set[level=2]", PV_FAIL);

	result_say(c, "check", "m", "m");
	c->verifies = result_strings("PTT-TU-01", "PTT-TU-02");
	c->artefacts = result_strings("results/ledger.bin", "results/trace.bin");
	c->rules = calloc(1, sizeof(*c->rules));
	c->rules[c->n_rules++] = (struct pv_rule_count){strdup("PT-2"), strdup("not idle"), 5};
	c->log = strdup("kernel: oops\n");
	pv_run_count(run);
	struct report r = write_and_read(run);
	expect_part(&r, "string(//testcase/system-out)", "verifies: PTT-TU-01 PTT-TU-02\n");
	expect_part(&r, "string(//testcase/system-out)", "\nrests on F-P15 (driver: ");
	expect_part(&r, "string(//testcase/system-out)", "\nrests on F-P16 (driver: ");
	expect_part(&r, "string(//testcase/system-out)", "\nrule PT-2 broken: 5, first not idle\n");
	expect_part(&r, "string(//testcase/system-out)", "seed: 42\ndriver: reference\n");
	expect_part(&r, "string(//testcase/system-out)",
		    "again: pcieval run --seed 7 --name 'plan/set[level=2]' scenarios/plan.xml\n");
	expect_part(&r, "string(//testcase/system-out)",
		    "[[ATTACHMENT|results/ledger.bin]]\n[[ATTACHMENT|results/trace.bin]]\n");
	expect(&r, "string(//testcase/system-err)", "kernel: oops\n");
	report_free(&r);
	pv_run_result_free(run);
}

Test(junit, dots_and_bdfs_in_names_do_not_split_the_class)
{
	struct pv_run_result *run = result_new();

	free(run->board);
	run->board = strdup("lab.example");
	result_add(run, "v1.2 0000:00:10.0", "probe[bdf=00:10.0]", PV_PASS);
	pv_run_count(run);
	struct report r = write_and_read(run);
	expect(&r, "string(//testcase/@classname)", "model.lab_example.v1_2_0000_00_10_0");
	expect(&r, "string(//testcase/@name)", "probe[bdf=00:10.0]");
	report_free(&r);
	pv_run_result_free(run);
}

Test(junit, two_cases_never_have_one_identity)
{
	struct pv_run_result *run = result_new();

	result_add(run, "a.b", "same", PV_PASS);
	result_add(run, "a_b", "same", PV_FAIL);
	result_add(run, "a.b", "other", PV_PASS);
	pv_run_count(run);
	struct report r = write_and_read(run);
	expect(&r, "count(//testcase[@name='same'])", "1");
	expect(&r, "count(//testcase[@name='same #2'])", "1");
	report_free(&r);
	pv_run_result_free(run);
}

/* Skips silently without such a locale: a warning in Criterion's log makes the whole program fail. */
Test(junit, times_have_a_point_in_every_locale)
{
	static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "sv_SE.UTF-8"};
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(commas) / sizeof(*commas); i++)
		found = setlocale(LC_ALL, commas[i]);
	struct pv_run_result *run = result_new();
	result_add(run, "plan", "case", PV_PASS)->seconds = 1234.5;
	pv_run_count(run);
	struct report r = write_and_read(run);
	expect(&r, "string(//testcase/@time)", "1234.500");
	expect(&r, "string(//testsuite/@time)", "1234.500");
	report_free(&r);
	pv_run_result_free(run);
	if (!found)
		cr_skip_test("no locale with a decimal comma here");
}

Test(junit, strange_times_are_zero)
{
	char text[32];

	cr_expect_str_eq(pv_seconds_text(-1, text), "0.000");
	cr_expect_str_eq(pv_seconds_text(0.0 / 0.0, text), "0.000");
	cr_expect_str_eq(pv_seconds_text(0.0004, text), "0.000");
	cr_expect_str_eq(pv_seconds_text(59.9996, text), "60.000");
}
