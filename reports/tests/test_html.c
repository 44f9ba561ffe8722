/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of a run: its verdict and tested properties, links to artefacts, and untrusted text, which must stay text.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/file.h"
#include "reports/tests/page.h"
#include "reports/tests/result_fixture.h"
#include "reports/writers.h"

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

/* ---- the whole page ---- */

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
	struct page a = page_of(result_mixed()), b = page_of(result_mixed());

	cr_expect_str_eq(a.text, b.text);
	page_free(&a);
	page_free(&b);
}

Test(html, a_page_that_cannot_be_written_is_an_error)
{
	struct pv_run_result *run = result_mixed();
	struct pv_error e = {0};

	pv_run_count(run);
	cr_expect_eq(pv_html_write(run, "/dev/full", &e), -ENOSPC);
	cr_expect(strstr(e.text, "/dev/full: cannot be written"), "got '%s'", e.text);
	pv_run_result_free(run);
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

/* Expects that the page's policy has the 'sha256-...' of the element's text. */
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
	struct page p = page_of(result_bad());

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

/* Expects a link from a page in a folder of the scratch folder; the run folder is a/run. */
static void expect_link(const char *page, const char *artefact, const char *expected)
{
	char path[256], folder[256], file[256];
	struct pv_run_result *run = result_bad();

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
