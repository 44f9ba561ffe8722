/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selections of cases: names in the lines of a list, and values and lines that match no case. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "framework/plan/plan.h"

static const char *const words[] = {"smoke", NULL}, *const no_words[] = {NULL}, *const model[] = {"model", NULL},
			 *const qemu[] = {"qemu", NULL};

#define CASE(p, n, t, w)                                                                            \
	{                                                                                           \
		.plan_name = p, .name = n, .base = n, .tags = w, .verifies = no_words, .targets = t \
	}

static struct pv_case all[] = {
	CASE("ptt", "tune", model, words),
	CASE("ptt", "tune[level=2]", model, words),
	CASE("ptt-tune", "set", model, words),
	CASE("dwc", "only-in-a-guest", qemu, no_words),
};
enum { N = sizeof(all) / sizeof(*all) };

static struct pv_case *pointers[N];
static const struct pv_plans plans = {.cases = pointers, .n_cases = N};
static struct pv_case_list *list;

static void begin(void)
{
	for (int i = 0; i < N; i++)
		pointers[i] = &all[i];
}

static void end(void)
{
	pv_case_list_free(list);
	list = NULL;
}

TestSuite(cases, .init = begin, .fini = end);

static int read_bytes(const char *text, size_t n, struct pv_error *e)
{
	char path[] = "/tmp/test_cases.XXXXXX";
	int fd = mkstemp(path);

	cr_assert(fd >= 0 && write(fd, text, n) == (ssize_t)n);
	close(fd);
	end();
	int err = pv_case_list_read(path, &list, e);
	unlink(path);
	return err;
}

static void read_list(const char *text)
{
	struct pv_error e = {0};

	cr_assert_eq(read_bytes(text, strlen(text), &e), 0, "%s", e.text);
}

static bool has(int i)
{
	const struct pv_selection s = {.listed = list};

	return pv_case_selected(&all[i], &s);
}

static char told[1024];

static void hear(void *ctx, const char *text)
{
	size_t n = strlen(told);

	snprintf(told + n, sizeof(told) - n, "%s\n", text);
}

static size_t unmatched_by(const struct pv_selection *s)
{
	*told = 0;
	return pv_selection_unmatched(s, &plans, hear, NULL);
}

static size_t unmatched(const char *target)
{
	const struct pv_selection s = {.listed = list, .target = target};

	return unmatched_by(&s);
}

Test(cases, plan_and_name_must_both_match)
{
	read_list("ptt/tune\nptt-tune/set\n");
	cr_expect(has(0));
	cr_expect_not(has(1));
	cr_expect(has(2));
	cr_expect_not(has(3));
	cr_expect_eq(unmatched(NULL), 0);
}

Test(cases, a_plan_whose_name_begins_like_another_is_another)
{
	read_list("ptt/set\nptt-tune/tune\nptt\nptt/\nptt-tune\n");
	for (int i = 0; i < N; i++)
		cr_expect_not(has(i), "case %d", i);
	cr_expect_eq(unmatched(NULL), 5);
}

Test(cases, comments_blanks_and_what_list_prints_behind_a_tab_do_not_count)
{
	read_list("# all\n\n  ptt/tune[level=2]\tPTT-TU-01\ttune\n \t \nptt/tune  \r\n#ptt-tune/set\n");
	cr_expect(has(0));
	cr_expect(has(1));
	cr_expect_not(has(2));
	cr_expect_eq(unmatched(NULL), 0);
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
	cr_expect_eq(unmatched(NULL), 0);
}

Test(cases, a_case_of_another_target_counts_as_unmatched)
{
	read_list("dwc/only-in-a-guest\n");
	cr_expect_eq(unmatched("qemu"), 0);
	cr_expect_eq(unmatched("model"), 1);
	cr_expect_eq(unmatched(NULL), 0);
}

Test(cases, a_name_that_is_listed_twice_is_matched_twice)
{
	read_list("ptt/tune\nptt/tune\nptt/gone\nptt/gone\n");
	cr_expect_eq(unmatched(NULL), 2);
}

Test(cases, a_former_name_selects_the_case_too)
{
	static const char *const former[] = {"tune[level=2,old=1]", "set[level=2]", NULL};
	static const char *const globs[] = {"ptt/set", NULL}, *const values[] = {"*old=?]", NULL};

	all[1].formerly = former;
	read_list("ptt/set[level=2]\nptt/tune[level=2]\n");
	cr_expect(has(1));
	cr_expect_not(has(0));
	cr_expect_eq(unmatched(NULL), 0);
	cr_expect(pv_case_selected(&all[1], &(struct pv_selection){.names = globs}));
	cr_expect(pv_case_selected(&all[1], &(struct pv_selection){.names = values}));
	cr_expect_not(pv_case_selected(&all[1], &(struct pv_selection){.excludes = values}));
	cr_expect_not(pv_case_selected(&all[0], &(struct pv_selection){.names = globs}));
}

Test(cases, each_unmatched_line_is_named_with_what_may_have_been_meant)
{
	read_list("# two lines above\n\nptt/tun\nset\n");
	cr_expect_eq(unmatched("model"), 2);
	cr_expect_not_null(strstr(told, "cases: /tmp/"), "%s", told);
	cr_expect_not_null(strstr(told, ":3: 'ptt/tun' is none of 4 cases for target model; did you mean 'tune'?"),
			   "%s", told);
	cr_expect_not_null(strstr(told, ":4: 'set' is none of 4 cases for target model; expected PLAN/CASE"), "%s",
			   told);
}

Test(cases, each_value_that_matches_no_case_is_told)
{
	static const char *const names[] = {"ptt/*", "tun", NULL}, *const tags[] = {"smok", "!gone", "smoke", NULL};
	const struct pv_selection s = {.names = names, .tags = tags, .target = "model"};

	cr_expect_eq(unmatched_by(&s), 2);
	cr_expect_str_eq(told, "name: 'tun' matches none of 4 cases for target model; did you mean 'tune'?\n"
			       "tag: 'smok' matches none of 4 cases for target model; did you mean 'smoke'?\n");
	cr_expect_eq(unmatched_by(&(struct pv_selection){.tags = tags, .target = "qemu"}), 2);
}

Test(cases, a_case_of_another_target_is_told_as_such)
{
	static const char *const names[] = {"only-in-a-guest", "only-in-a-gust", NULL};

	cr_expect_eq(unmatched_by(&(struct pv_selection){.names = names, .target = "model"}), 2);
	cr_expect_str_eq(told, "name: 'only-in-a-guest' matches none of 4 cases for target model; "
			       "dwc/only-in-a-guest is for qemu\n"
			       "name: 'only-in-a-gust' matches none of 4 cases for target model\n");
	read_list("dwc/only-in-a-guest\n");
	cr_expect_eq(unmatched("model"), 1);
	cr_expect(strstr(told, "is none of 4 cases for target model; dwc/only-in-a-guest is for qemu\n"), "%s", told);
}

Test(cases, a_file_that_cannot_be_read_is_named)
{
	struct pv_error e = {0};

	cr_expect_eq(pv_case_list_read("/nonexistent/list", &list, &e), -ENOENT);
	cr_expect_str_eq(e.text, "/nonexistent/list: cannot be read: No such file or directory");
	cr_expect_eq(pv_case_list_read("/", &list, &e), -EISDIR);
	cr_expect_eq(pv_case_list_read("/dev/zero", &list, &e), -EFBIG);
}

/* The rest of the list would not be read. */
Test(cases, a_list_with_a_0_byte_is_refused)
{
	static const char text[] = "ptt/burst\0\nptt/tune\n";
	struct pv_error e = {0};

	cr_expect_eq(read_bytes(text, sizeof(text) - 1, &e), -EINVAL);
	cr_expect(strstr(e.text, "expected lines of text, got a 0 byte"), "got '%s'", e.text);
}
