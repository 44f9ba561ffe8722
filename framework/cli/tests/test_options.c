/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parser of options: results for a table and a command line. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <string.h>

#include "framework/cli/cli.h"

struct options {
	bool quiet;
	const char *target, **names;
	unsigned jobs;
};

static const struct pv_option options[] = {
	{"quiet", 'q', PV_OPTION_FLAG, offsetof(struct options, quiet), NULL, "say nothing"},
	{"target", 't', PV_OPTION_TEXT, offsetof(struct options, target), "TARGET", "where"},
	{"name", 'n', PV_OPTION_LIST, offsetof(struct options, names), "GLOB", "which"},
	{"jobs", 'j', PV_OPTION_NUMBER, offsetof(struct options, jobs), "N", "how many\nat a time"},
	{0},
};

static const struct pv_command command = {.name = "try", .args = "FILE...", .help = "tries", .options = options};

struct parsed {
	struct options o;
	bool good;
	int first, status;
};

/* Parses a command line, split at spaces. */
static struct parsed parse(const char *line)
{
	static char copy[256];
	static char *argv[16];
	struct parsed p = {0};
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	p.good = pv_cli_parse(&command, argc, argv, &p.o, &p.first, &p.status);
	return p;
}

TestSuite(options, .init = cr_redirect_stdout);

Test(options, flags_texts_numbers_and_lists_go_to_their_members)
{
	struct parsed p = parse("try -q --target qemu -j 4 -n a --name=b file");

	cr_assert(p.good);
	cr_expect(p.o.quiet);
	cr_expect_str_eq(p.o.target, "qemu");
	cr_expect_eq(p.o.jobs, 4);
	cr_expect_str_eq(p.o.names[0], "a");
	cr_expect_str_eq(p.o.names[1], "b");
	cr_expect_null(p.o.names[2]);
	pv_cli_free(&command, &p.o);
}

Test(options, what_is_not_given_stays_as_it_was)
{
	struct parsed p = parse("try file");

	cr_assert(p.good);
	cr_expect_not(p.o.quiet);
	cr_expect_null(p.o.names);
}

Test(options, what_is_left_are_the_files)
{
	cr_expect_eq(parse("try -q a b").first, 2);
	cr_expect_eq(parse("try a -q b").first, 2, "files may stand before options");
	cr_expect_eq(parse("try -- -q").first, 2, "behind -- everything is a file");
}

static void expect_mistake(const char *line, const char *message)
{
	char text[512] = "";

	cr_redirect_stderr();
	struct parsed p = parse(line);
	fflush(stderr);
	FILE *f = cr_get_redirected_stderr();
	cr_expect(fgets(text, sizeof(text), f) && strstr(text, message), "%s: expected '%s', got '%s'", line, message,
		  text);
	cr_expect_not(p.good);
	cr_expect_eq(p.status, PV_EXIT_USAGE);
}

Test(options, an_unknown_option_is_a_mistake_with_a_suggestion)
{
	expect_mistake("try --traget=model", "unknown option '--traget=model'; did you mean '--target'?");
}

/* getopt() has not come to the next word yet: the word before is another one. */
Test(options, an_unknown_letter_with_others_behind_it_is_named)
{
	expect_mistake("try file -x1 b", "try: unknown option '-x'; see");
}

Test(options, an_unknown_letter_behind_others_is_named)
{
	expect_mistake("try file -qx", "try: unknown option '-x'; see");
}

Test(options, a_letter_without_its_value_is_named)
{
	expect_mistake("try file -qj", "try: -j needs a value");
}

Test(options, a_value_for_a_flag_is_a_mistake)
{
	expect_mistake("try file --quiet=x", "try: unknown option '--quiet=x'");
}

Test(options, a_value_for_help_is_a_mistake)
{
	expect_mistake("try file --help=x", "try: unknown option '--help=x'");
}

Test(options, a_missing_value_is_a_mistake)
{
	expect_mistake("try --target", "--target needs a value");
}

Test(options, a_number_that_is_none_is_a_mistake)
{
	expect_mistake("try -j many", "--jobs: expected a number, got 'many'");
}

Test(options, a_negative_number_is_a_mistake)
{
	expect_mistake("try --jobs=-1", "--jobs: expected a number, got '-1'");
}

Test(options, two_values_for_one_are_a_mistake)
{
	expect_mistake("try --target=a -t b", "--target: expected one value, got 'a' and 'b'");
}

Test(options, two_numbers_for_one_are_a_mistake)
{
	expect_mistake("try -j 2 -j 3", "--jobs: expected one value, got '2' and '3'");
}

Test(options, the_same_value_again_is_no_mistake)
{
	cr_expect(parse("try -q -q -t a -t a -j 2 -j 2").good);
}

Test(options, help_ends_well_and_is_made_from_the_table)
{
	char text[2048] = "";
	struct parsed p = parse("try --help");

	fflush(stdout);
	size_t n = fread(text, 1, sizeof(text) - 1, cr_get_redirected_stdout());
	cr_expect_not(p.good);
	cr_expect_eq(p.status, PV_EXIT_PASSED);
	cr_expect_gt(n, 0);
	for (const struct pv_option *o = options; o->name; o++)
		cr_expect_not_null(strstr(text, o->name), "--%s in: %s", o->name, text);
}
