/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of cases (--cases FILE): what counts of a line, and which lines name no case. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "framework/cli/cli.h"

static const char *const no_words[] = {NULL}, *const model[] = {"model", NULL}, *const qemu[] = {"qemu", NULL};

#define CASE(p, n, t)                                                                                      \
	{                                                                                                  \
		.plan_name = p, .name = n, .base = n, .tags = no_words, .verifies = no_words, .targets = t \
	}

static struct pv_case all[] = {
	CASE("ptt", "tune", model),
	CASE("ptt", "tune[level=2]", model),
	CASE("ptt-tune", "set", model),
	CASE("dwc", "only-in-a-guest", qemu),
};
enum { N = sizeof(all) / sizeof(*all) };

static struct pv_case *pointers[N];
static const struct pv_plans plans = {.cases = pointers, .n_cases = N};
static struct pv_cli_cases *list;

static void begin(void)
{
	for (int i = 0; i < N; i++)
		pointers[i] = &all[i];
	cr_redirect_stderr();
}

static void end(void)
{
	pv_cli_cases_free(list);
	list = NULL;
}

TestSuite(cases, .init = begin, .fini = end);

static void read_list(const char *text)
{
	char path[] = "/tmp/test_cases.XXXXXX";
	struct pv_error e = {0};
	int fd = mkstemp(path);

	cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	end();
	cr_assert_eq(pv_cli_cases_read(path, &list, &e), 0, "%s", e.text);
	unlink(path);
}

static bool has(int i)
{
	return pv_cli_cases_has(list, &all[i]);
}

static size_t unmatched(const char *target, bool warn_only)
{
	return pv_cli_cases_unmatched(list, &plans, target, warn_only);
}

Test(cases, plan_and_name_must_both_match)
{
	read_list("ptt/tune\nptt-tune/set\n");
	cr_expect(has(0));
	cr_expect_not(has(1));
	cr_expect(has(2));
	cr_expect_not(has(3));
	cr_expect_eq(unmatched(NULL, false), 0);
}

Test(cases, a_plan_whose_name_begins_like_another_is_another)
{
	read_list("ptt/set\nptt-tune/tune\nptt\nptt/\nptt-tune\n");
	for (int i = 0; i < N; i++)
		cr_expect_not(has(i), "case %d", i);
	cr_expect_eq(unmatched(NULL, false), 5);
}

Test(cases, comments_blanks_and_what_list_prints_behind_a_tab_do_not_count)
{
	read_list("# all\n\n  ptt/tune[level=2]\tPTT-TU-01\ttune\n \t \nptt/tune  \r\n#ptt-tune/set\n");
	cr_expect(has(0));
	cr_expect(has(1));
	cr_expect_not(has(2));
	cr_expect_eq(unmatched(NULL, false), 0);
}

Test(cases, the_last_line_may_lack_its_newline)
{
	read_list("ptt/tune");
	cr_expect(has(0));
}

Test(cases, an_empty_list_has_nothing)
{
	read_list("");
	cr_expect_not(has(0));
	cr_expect_eq(unmatched(NULL, false), 0);
}

Test(cases, a_case_of_another_target_counts_as_unmatched)
{
	read_list("dwc/only-in-a-guest\n");
	cr_expect_eq(unmatched("qemu", false), 0);
	cr_expect_eq(unmatched("model", false), 1);
	cr_expect_eq(unmatched(NULL, false), 0);
}

Test(cases, a_name_that_is_listed_twice_is_matched_twice)
{
	read_list("ptt/tune\nptt/tune\nptt/gone\nptt/gone\n");
	cr_expect_eq(unmatched(NULL, false), 2);
}

Test(cases, each_unmatched_line_is_named_with_what_may_have_been_meant)
{
	read_list("# two lines above\n\nptt/tun\nset\n");
	cr_expect_eq(unmatched("model", true), 2);
	fflush(stderr);

	char text[1024] = "";
	FILE *err = cr_get_redirected_stderr();
	cr_expect_gt(fread(text, 1, sizeof(text) - 1, err), 0);
	cr_expect_not_null(strstr(text, "warning: --cases: "));
	cr_expect_not_null(strstr(text, ":3: 'ptt/tun' is none of 4 cases for target model; did you mean 'tune'?"),
			   "%s", text);
	cr_expect_not_null(strstr(text, ":4: 'set' is none of 4 cases for target model; expected PLAN/CASE"), "%s",
			   text);
}

Test(cases, a_file_that_cannot_be_read_is_named)
{
	struct pv_error e = {0};

	cr_expect_eq(pv_cli_cases_read("/nonexistent/list", &list, &e), -ENOENT);
	cr_expect_str_eq(e.text, "/nonexistent/list: No such file or directory");
	cr_expect_eq(pv_cli_cases_read("/", &list, &e), -EISDIR);
}
