/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of a run as a parser sees it: every page here is well-formed XML, its links lead somewhere, and nothing
 * that a case says is more than text in it.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"
#include "reports/likeness.h"
#include "reports/tests/result_fixture.h"
#include "reports/tests/xpath.h"
#include "reports/writers.h"

struct page {
	xmlDoc *doc;
	char *text;
};

static void expect(const struct page *p, const char *xpath, const char *expected)
{
	xpath_expect(p->doc, xpath, expected);
}

static void expect_part(const struct page *p, const char *xpath, const char *part)
{
	xpath_expect_part(p->doc, xpath, part);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Each value of an attribute, sorted. The caller frees the values and the array. */
static char **values(const struct page *p, const char *xpath, size_t *n)
{
	xmlXPathContext *ctx = xmlXPathNewContext(p->doc);
	xmlXPathObject *o = xmlXPathEvalExpression((const xmlChar *)xpath, ctx);

	*n = o->nodesetval ? (size_t)o->nodesetval->nodeNr : 0;
	char **out = calloc(*n + 1, sizeof(*out));
	for (size_t i = 0; i < *n; i++)
		out[i] = (char *)xmlNodeGetContent(o->nodesetval->nodeTab[i]);
	qsort(out, *n, sizeof(*out), by_text);
	xmlXPathFreeObject(o);
	xmlXPathFreeContext(ctx);
	return out;
}

static void values_free(char **values)
{
	for (char **v = values; *v; v++)
		xmlFree(*v);
	free(values);
}

/* Each id is there once, and each link within the page leads to one. */
static void check_links(const struct page *p)
{
	size_t n_ids, n_links;
	char **ids = values(p, "//@id", &n_ids), **links = values(p, "//a/@href[starts-with(., '#')]", &n_links);

	for (size_t i = 1; i < n_ids; i++)
		cr_expect_str_neq(ids[i], ids[i - 1], "the id %s is there twice", ids[i]);
	for (size_t i = 0; i < n_links; i++) {
		const char *id = links[i] + 1;

		cr_expect(bsearch(&id, ids, n_ids, sizeof(*ids), by_text), "there is no %s", links[i]);
	}
	values_free(ids);
	values_free(links);
}

/* What holds of every page. */
static void check_page(const struct page *p)
{
	expect(p, "count(//script)", "1");
	expect(p, "count(//@*[starts-with(name(), 'on')] | //@src | //@style | //link | //img | //iframe | //object)",
	       "0");
	expect(p, "count(//a[contains(@href, ':')])", "0");
	expect(p, "count(//tr[@data-v and not(.//span[starts-with(@class, 'v ')] != '')])", "0");
	check_links(p);
}

static struct page read_page(const char *path)
{
	struct page p = {0};
	struct pv_error e = {0};
	size_t n;

	cr_assert_eq(pv_file_read(path, 64 << 20, &p.text, &n, &e), 0, "%s", e.text);
	p.doc = xmlReadMemory(p.text, (int)n, path, NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
	cr_assert_not_null(p.doc, "the page is not well-formed");
	check_page(&p);
	return p;
}

static struct page page_at(struct pv_run_result *run, const char *path)
{
	struct pv_error e = {0};

	pv_run_count(run);
	int err = pv_html_write(run, path, &e);
	cr_assert_eq(err, 0, "%s", e.text);
	return read_page(path);
}

/* Takes the run. */
static struct page page_of(struct pv_run_result *run)
{
	char path[] = "/tmp/pcieval-html-XXXXXX";

	close(mkstemp(path));
	struct page p = page_at(run, path);
	unlink(path);
	pv_run_result_free(run);
	return p;
}

static void page_free(struct page *p)
{
	xmlFreeDoc(p->doc);
	free(p->text);
}

/* ---- the verdict ---- */

static void expect_verdict(struct pv_run_result *run, const char *word, const char *class)
{
	struct page p = page_of(run);

	expect(&p, "string(//h1/span)", word);
	expect(&p, "string(//h1/span/@class)", class);
	expect_part(&p, "string(//title)", word);
	page_free(&p);
}

Test(html, says_first_what_came_of_the_run)
{
	struct pv_run_result *run = result_new();

	result_add(run, "p", "a", PV_PASS);
	result_add(run, "p", "b", PV_SKIP);
	expect_verdict(run, "PASSED", "v pass");

	run = result_new();
	result_say(result_add(run, "p", "a", PV_FAIL), "check", "expected 1, got 2", NULL);
	result_say(result_add(run, "p", "b", PV_ERROR), "crash", "killed by SIGSEGV", NULL);
	expect_verdict(run, "FAILED", "v fail");

	run = result_new();
	result_say(result_add(run, "p", "b", PV_ERROR), "crash", "killed by SIGSEGV", NULL);
	expect_verdict(run, "NOT JUDGED", "v error");

	expect_verdict(result_new(), "NOT JUDGED", "v error");
}

Test(html, says_what_was_tested)
{
	struct pv_run_result *run = result_new();

	result_add(run, "p", "a", PV_PASS);
	run->seconds = 7265.5;
	struct page p = page_of(run);
	expect(&p, "normalize-space(//h1)", "PASSED 1 case in 2 h 1 min 5 s");
	expect(&p, "string(//dt[. = 'target']/following-sibling::dd[1])", "model");
	expect(&p, "string(//dt[. = 'board']/following-sibling::dd[1])", "embedded");
	expect(&p, "string(//dt[. = 'driver']/following-sibling::dd[1])", "reference");
	expect(&p, "string(//dt[. = 'started']/following-sibling::dd[1])", "2026-03-01 12:00:00 UTC");
	expect(&p, "string(//dt[. = 'seed']/following-sibling::dd[1])", "7");
	expect(&p, "string(//dt[. = 'pcieval']/following-sibling::dd[1])", "0.1.0");
	expect(&p, "string(//section[@id = 'run']//code)", "pcieval run scenarios/plan.xml");
	page_free(&p);
}

Test(html, the_machine_is_folded)
{
	struct pv_run_result *run = result_new();

	result_add(run, "p", "a", PV_PASS);
	run->environment = result_strings("command line", "pci=pcie_bus_perf <b>");
	struct page p = page_of(run);
	expect(&p, "string(//details[@id = 'environment']//dt[. = 'command line']/following-sibling::dd[1])",
	       "pci=pcie_bus_perf <b>");
	page_free(&p);

	run = result_new();
	result_add(run, "p", "a", PV_PASS);
	p = page_of(run);
	expect(&p, "count(//details[@id = 'environment'])", "0");
	page_free(&p);
}

Test(html, a_run_that_was_interrupted_says_so_and_lists_the_rest_together)
{
	struct pv_run_result *run = result_new();

	result_add(run, "p", "a", PV_PASS);
	for (int i = 0; i < 40; i++) {
		char name[32];

		snprintf(name, sizeof(name), "late[%d]", i);
		result_say(result_add(run, "p", name, PV_ERROR), "not-run", "not run: interrupted by SIGINT", NULL);
	}
	run->interrupted = true;
	run->why = strdup("interrupted by SIGINT");
	struct page p = page_of(run);
	expect(&p, "string(//header/p)", "The run ended before its time: interrupted by SIGINT");
	expect(&p, "count(//article)", "1");
	expect(&p, "normalize-space(//article/h3)", "ERROR 40 cases were not run");
	expect(&p, "count(//article//li)", "40");
	page_free(&p);
}

/* ---- failures and errors ---- */

static struct pv_run_result *bad_run(void)
{
	struct pv_run_result *run = result_new();

	result_add(run, "tune", "ok", PV_PASS);
	result_say(result_add(run, "trace", "crash", PV_ERROR), "crash", "killed by SIGSEGV", NULL);
	struct pv_case_result *c = result_add(run, "tune", "set[level=2]", PV_FAIL);
	result_say(c, "check", "expected 2, got 1", "expected 2, got 1\nall\nof it\n");
	c->log = strdup("tuning\ntuned\n");
	c->verifies = result_strings("PTT-TU-01", "PTT-TU-02");
	return run;
}

Test(html, rules_of_use_that_were_broken_have_a_table)
{
	struct pv_run_result *run = bad_run();
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

Test(html, failures_come_first_then_errors)
{
	struct page p = page_of(bad_run());

	expect(&p, "string(//main/section[1]/@id)", "bad");
	expect(&p, "normalize-space(//article[1]/h3)", "FAIL tune/set[level=2]");
	expect(&p, "normalize-space(//article[2]/h3)", "ERROR trace/crash");
	expect(&p, "normalize-space(//article[2]/p[@class = 'message'])", "killed by SIGSEGV");
	page_free(&p);
}

Test(html, a_failure_is_told_whole_and_once)
{
	struct page p = page_of(bad_run());

	expect(&p, "string(//article[1]/p[@class = 'message'])", "expected 2, got 1");
	expect(&p, "string(//article[1]/pre)", "\nall\nof it\n");
	expect_part(&p, "string(//article[1]/p[2])", "scenarios/plan.xml:12");
	expect_part(&p, "string(//article[1]/p[2])", "check");
	expect_part(&p, "string(//article[1]/p[2])", "seed 42");
	expect_part(&p, "string(//article[1]/p[2])", "verifies PTT-TU-01 PTT-TU-02");
	expect_part(&p, "string(//article[1]/ul[contains(@class, 'rests')]/li[1])", "F-P15 (driver: ");
	expect_part(&p, "string(//article[1]/ul[contains(@class, 'rests')])",
		    "the hardware turns anything above 2 into 2.");
	expect(&p, "count(//article[2]/ul)", "0"); /* what could not be judged blames nobody */
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

/* Characters of three bytes, so that a limit falls into the middle of one. */
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
	char *likeness = pv_likeness(c);
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

/* 214 failures of one cause were 214 articles. */
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

/* ---- hostile text ---- */

#define HOSTILE	 "</script><script>x()</script>'\"><img onerror='x()'/>&amp;\x1b[31mred\x1b[0m \x01 \xff ]]>"
#define HARMLESS "</script><script>x()</script>'\"><img onerror='x()'/>&amp;red #x01 \xef\xbf\xbd ]]>"

static void replace(char **where)
{
	free(*where);
	*where = strdup(HOSTILE);
}

Test(html, hostile_text_is_text)
{
	struct pv_run_result *run = result_new();
	static const enum pv_verdict verdicts[] = {PV_FAIL, PV_ERROR, PV_SKIP, PV_PASS};

	for (size_t i = 0; i < 4; i++) {
		struct pv_case_result *c = result_add(run, HOSTILE, HOSTILE, verdicts[i]);

		result_say(c, HOSTILE, HOSTILE, HOSTILE "\nmore " HOSTILE);
		replace(&c->file);
		c->log = strdup(HOSTILE);
		c->verifies = result_strings(HOSTILE, "b");
		c->artefacts = result_strings("javascript:x()", HOSTILE);
	}
	replace(&run->target);
	replace(&run->command);
	replace(&run->hostname);
	replace(&run->rerun);
	replace(&run->properties[0]);
	replace(&run->properties[1]);
	run->why = strdup(HOSTILE);
	struct page p = page_of(run);
	expect(&p, "string(//article[1]/p[@class = 'message'])", HARMLESS);
	expect(&p, "string(//article[1]/pre)", "\nmore " HARMLESS);
	expect(&p, "string(//tr[@id = 'c3']/td[2])", HARMLESS);
	expect(&p, "string(//section[@id = 'plans']//a)", HARMLESS);
	expect(&p, "count(//article//a[starts-with(., 'javascript')])", "0");
	page_free(&p);
}

/* ---- the policy ---- */

/* Is 'sha256-...' of the text of the element in the page's policy? */
static void expect_hash(const struct page *p, const char *xpath)
{
	char path[] = "/tmp/pcieval-hash-XXXXXX", command[256], hash[128] = "";
	char *code = xpath_value(p->doc, xpath);

	close(mkstemp(path));
	cr_assert_eq(pv_file_write(path, code, strlen(code), NULL), 0);
	snprintf(command, sizeof(command),
		 "sha256sum <%s | cut -c 1-64 | sed 's/../\\\\x&/g' | tr -d '\\n' | xargs -0 env printf | base64",
		 path);
	FILE *f = popen(command, "r");
	cr_assert(f && fgets(hash, sizeof(hash), f), "%s", command);
	pclose(f);
	unlink(path);
	hash[strcspn(hash, "\n")] = 0;
	cr_expect_eq(strlen(hash), 44);
	expect_part(p, "string(//meta[@http-equiv]/@content)", hash);
	free(code);
}

Test(html, the_policy_lets_its_own_style_and_script_through)
{
	struct page p = page_of(bad_run());

	expect_hash(&p, "string(//style[1])");
	expect_hash(&p, "string(//style[2])");
	expect_hash(&p, "string(//script)");
	page_free(&p);
}

/* ---- artefacts ---- */

static char scratch[64];

static void make_scratch(void)
{
	char path[128];

	strcpy(scratch, "/tmp/pcieval-html-XXXXXX");
	cr_assert_not_null(mkdtemp(scratch));
	snprintf(path, sizeof(path), "%s/a/run", scratch);
	cr_assert_eq(pv_mkdir_all(path, 0777), 0);
	snprintf(path, sizeof(path), "%s/a/runs", scratch);
	cr_assert_eq(pv_mkdir_all(path, 0777), 0);
}

static void drop_scratch(void)
{
	pv_remove_all(scratch);
}

/* Where a page leads that lies in one folder of the scratch folder, with the run folder at a/run. */
static void expect_link(const char *page, const char *artefact, const char *expected)
{
	char path[256], folder[256], file[256];
	struct pv_run_result *run = bad_run();

	snprintf(path, sizeof(path), "%s/%s", scratch, page);
	snprintf(folder, sizeof(folder), "%s/a/run", scratch);
	snprintf(file, sizeof(file), "%s/%s", scratch, artefact);
	free(run->folder);
	run->folder = strdup(folder);
	run->cases[2].artefacts = result_strings(file, "other");
	struct page p = page_at(run, path);
	expect(&p, "string((//article[1]//a)[2]/@href)", expected);
	expect_part(&p, "string(//article[1]/p[2])", ", other");
	page_free(&p);
	pv_run_result_free(run);
}

Test(html, links_to_artefacts_are_relative_to_the_page, .init = make_scratch, .fini = drop_scratch)
{
	expect_link("page.html", "a/run/cases/1/ledger.pvw", "a/run/cases/1/ledger.pvw");
	expect_link("a/page.html", "a/run/cases/1/ledger.pvw", "run/cases/1/ledger.pvw");
	expect_link("a/run/page.html", "a/run/cases/1/ledger.pvw", "cases/1/ledger.pvw");
	expect_link("a/runs/page.html", "a/run/cases/1/ledger.pvw", "../run/cases/1/ledger.pvw");
}

Test(html, names_of_artefacts_are_no_part_of_the_address, .init = make_scratch, .fini = drop_scratch)
{
	expect_link("page.html", "a/run/a?b#c%d \"e.bin", "a/run/a%3Fb%23c%25d%20%22e.bin");
}

Test(html, only_what_is_in_the_run_folder_is_a_link, .init = make_scratch, .fini = drop_scratch)
{
	expect_link("page.html", "a/runs/ledger.pvw", "");
	expect_link("page.html", "etc/passwd", "");
}

/* ---- the tables ---- */

static struct pv_run_result *mixed_run(void)
{
	struct pv_run_result *run = result_new();
	char name[32];

	for (int i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "many[n=%d]", i);
		struct pv_case_result *c = result_add(run, "zeta", name, i == 5 ? PV_FAIL : PV_PASS);
		result_say(c, "check", i == 5 ? "expected 1, got 2" : "", NULL);
		c->seconds = i;
		c->verifies = result_strings("R-02", "R-01");
	}
	result_say(result_add(run, "alpha", "one", PV_SKIP), "target", "no CXL here", NULL);
	result_say(result_add(run, "alpha", "two", PV_SKIP), "plan", "needs a board", NULL);
	result_say(result_add(run, "alpha", "three", PV_SKIP), "target", "no CXL here", NULL);
	result_say(result_add(run, "alpha", "four", PV_SKIP), "known-failure", "known failure: bug 7",
		   "known failure: bug 7\nexpected 1, got 2\n");
	result_say(result_add(run, "alpha", "five", PV_FAIL), "unexpected-pass", "expected bug 7, got a pass", NULL);
	run->cases[12].verifies = result_strings("R-03", "R-02");
	return run;
}

Test(html, plans_are_in_the_order_of_the_run_with_their_counts)
{
	struct page p = page_of(mixed_run());

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
	struct page p = page_of(mixed_run());

	expect(&p, "count(//section[@id = 'skips']//tr)", "2");
	expect(&p, "string(//section[@id = 'skips']//tr[1]/td[1])", "2");
	expect(&p, "string(//section[@id = 'skips']//tr[1]/td[2])", "no CXL here");
	expect(&p, "string(//section[@id = 'skips']//tr[1]//li[2])", "alpha/three");
	expect(&p, "string(//section[@id = 'skips']//tr[2]/td[2])", "needs a board");
	page_free(&p);
}

Test(html, known_failures_are_told_apart_from_failures_and_skips)
{
	struct page p = page_of(mixed_run());

	expect(&p, "string(//section[@id = 'known']//h2)", "Known failures and unexpected passes (2)");
	expect(&p, "string(//section[@id = 'known']//p[1])", "unexpected pass: alpha/five");
	expect(&p, "count(//section[@id = 'known']//article)", "1");
	expect(&p, "normalize-space(//section[@id = 'known']//h3)", "SKIP alpha/four");
	expect(&p, "string(//section[@id = 'known']//p[@class = 'message'])", "known failure: bug 7");
	expect(&p, "string(//section[@id = 'known']//pre)", "\nexpected 1, got 2\n");
	expect(&p, "normalize-space(//section[@id = 'bad']//article[2]/h3)", "FAIL alpha/five");
	page_free(&p);
}

Test(html, the_ten_slowest_cases)
{
	struct page p = page_of(mixed_run());

	expect(&p, "count(//section[@id = 'slowest']//tr)", "10");
	expect(&p, "string(//section[@id = 'slowest']//tr[1]/td[1])", "11.000 s");
	expect(&p, "string(//section[@id = 'slowest']//tr[1]/td[3])", "zeta/many[n=11]");
	expect(&p, "string(//section[@id = 'slowest']//tr[7]/td[2])", "FAIL");
	page_free(&p);
}

Test(html, requirements_have_their_worst_verdict_and_their_cases)
{
	struct page p = page_of(mixed_run());

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
	struct page p = page_of(mixed_run());

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
	struct pv_run_result *run = mixed_run();

	free(run->cases[3].file);
	run->cases[3].file = strdup("other/plan.xml");
	struct page p = page_of(run);
	expect(&p, "string(//tr[@id = 'c3']/td[5])", "other/plan.xml:12");
	expect(&p, "string(//tr[@id = 'c4']/td[5])", "scenarios/plan.xml:12");
	page_free(&p);
}

Test(html, sections_with_nothing_to_say_are_not_there)
{
	struct pv_run_result *run = result_new();

	result_add(run, "p", "a", PV_PASS);
	struct page p = page_of(run);
	expect(&p, "count(//main/section)", "2");
	expect(&p, "count(//nav//li)", "2");
	expect(&p, "count(//details[@class = 'plan']/@open)", "1");
	page_free(&p);
}

Test(html, the_same_run_is_the_same_page)
{
	struct page a = page_of(mixed_run()), b = page_of(mixed_run());

	cr_expect_str_eq(a.text, b.text);
	page_free(&a);
	page_free(&b);
}

Test(html, a_page_that_cannot_be_written_is_an_error)
{
	struct pv_run_result *run = mixed_run();
	struct pv_error e = {0};

	pv_run_count(run);
	cr_expect_eq(pv_html_write(run, "/dev/full", &e), -ENOSPC);
	cr_expect(strstr(e.text, "/dev/full: cannot be written"), "got '%s'", e.text);
	pv_run_result_free(run);
}
