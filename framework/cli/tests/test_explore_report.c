/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a session of `explore`: it passes only if it came to its end, and judged cases. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "framework/cli/explore_report.h"
#include "framework/cli/reporting.h"
#include "framework/util/cleanup.h"

static enum pv_verdict verdict;
static char type[32], message[512];

/* ---- what the report calls ---- */

enum pv_exit pv_reporting_write(const struct pv_reporting *r, const struct pv_run_result *run)
{
	const struct pv_case_result *c = &run->cases[run->n_cases - 1];

	(void)r;
	verdict = c->verdict;
	snprintf(type, sizeof(type), "%s", c->type);
	snprintf(message, sizeof(message), "%s", c->message);
	return pv_run_exit(run);
}

int pv_cli_explore_write(const char *path, const char *name, json_object *c, struct pv_error *e)
{
	(void)path, (void)name, (void)c, (void)e;
	return 0;
}

int pv_cli_explore_confirm(struct pv_cli_explore *o, const char *const *paths, size_t n, const char *folder,
			   struct pv_run_result **out, struct pv_error *e)
{
	(void)o, (void)paths, (void)n, (void)folder, (void)out;
	return pv_error(e, -EINTR, "interrupted");
}

int pv_cli_error(const char *fmt, ...)
{
	(void)fmt;
	return PV_EXIT_USAGE;
}

bool pv_cli_flush(void)
{
	return false;
}

/* ---- sessions ---- */

static int report(const struct pv_explore_session *s, const char *broken)
{
	struct pv_cli_explore o = {
		.results = "findings",
		.run.run = {.target = "model", .board = "embedded", .driver = "reference", .quiet = true}};
	struct pv_cli_findings f = {.o = &o, .out = stdout};

	return pv_cli_explore_report(&f, s, broken);
}

static const struct session_row {
	const char *what, *broken;
	struct pv_explore_session s;
	int status;
	enum pv_verdict verdict;
	const char *type, *message;
} rows[] = {
	{"judged cases", NULL, {.done = 3}, PV_EXIT_PASSED, PV_PASS, "", ""},
	{"one case not skipped", NULL, {.done = 3, .skipped = 2, .skip = "no CXL"}, PV_EXIT_PASSED, PV_PASS, "", ""},
	{"known failures", NULL, {.done = 2, .known = 2}, PV_EXIT_PASSED, PV_PASS, "", ""},
	{"no case", NULL, {.done = 0}, PV_EXIT_SKIPPED, PV_SKIP, "", "0 cases, 0 findings"},
	{"all skipped",
	 NULL,
	 {.done = 2, .skipped = 2, .skip = "no CXL"},
	 PV_EXIT_SKIPPED,
	 PV_SKIP,
	 "",
	 "2 cases, 0 findings; 2 skipped, the first: no CXL"},
	{"interrupted",
	 "interrupted",
	 {.done = 1},
	 PV_EXIT_UNJUDGED,
	 PV_ERROR,
	 "incomplete",
	 "1 case, 0 findings; broken off: interrupted"},
};

Test(explore_report, a_session_passes_if_it_ends_and_has_judged_cases)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct session_row *row = &rows[i];

		cr_expect_eq(report(&row->s, row->broken), row->status, "%s", row->what);
		cr_expect_eq(verdict, row->verdict, "%s: got %s", row->what, pv_verdict_name(verdict));
		cr_expect_str_eq(type, row->type, "%s", row->what);
		cr_expect_str_eq(message, row->message, "%s: got %s", row->what, message);
	}
}

/* The findings stand if they cannot be run again. */
Test(explore_report, findings_are_reported_that_were_not_run_again)
{
	char folder[] = "/tmp/pcieval-test.XXXXXX", *said = NULL;
	size_t n;
	struct pv_explore_finding found = {
		.c = json_tokener_parse("{\"steps\":[{}]}"), .times = 1, .steps = 4, .v.message = "case:0: it fails"};
	const struct pv_explore_session s = {.done = 3, .findings = &found, .n_findings = 1};

	cr_assert(mkdtemp(folder) && !rmdir(folder));
	struct pv_cli_explore o = {
		.results = folder,
		.run.run = {.target = "model", .board = "embedded", .driver = "reference", .quiet = true}};
	struct pv_cli_findings f = {.o = &o, .out = open_memstream(&said, &n)};
	cr_expect_eq(pv_cli_explore_report(&f, &s, NULL), PV_EXIT_FAILED);
	fclose(f.out);
	cr_expect(strstr(said, "/finding-1.xml\n  it fails\n") && strstr(said, "; it was not run again\n"), "%s", said);
	cr_expect_eq(verdict, PV_FAIL);
	cr_expect_str_eq(message, "3 cases, 1 finding; broken off: interrupted");
	rmdir(folder);
	json_object_put(found.c);
	free(said);
}
