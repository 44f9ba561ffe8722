/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that cases reach, from files of gcc and with its gcov. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/run/driver_lines.h"
#include "framework/util/file.h"
#include "framework/util/tests/text.h"

/* A driver of which a case without an argument reaches line 8, and one with an argument lines 3 and 7. */
#define DRIVER                                  \
	"static int twice(int x)\n"             \
	"{\n"                                   \
	"	return 2 * x;\n"                      \
	"}\n"                                   \
	"int main(int argc, char **argv)\n"     \
	"{\n"                                   \
	"	if (argc > 1) return !twice(argc);\n" \
	"	return 0;\n"                          \
	"}\n"

static char folder[] = "/tmp/test-driver-lines-XXXXXX";
static struct pv_driver_lines lines;
static struct pv_error e;

/* Runs a command in the folder. */
static void sh(const char *command)
{
	char text[1024];

	snprintf(text, sizeof(text), "cd %s && %s", folder, command);
	cr_assert_eq(system(text), 0, "%s", text);
}

/* The counts of a case: what its run of the program leaves. */
static void add_case(const char *name, const char *argument)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "rm -f driver.gcda; ./driver %s && mkdir run/gcov/%s && mv driver.gcda run/gcov/%s", argument, name,
		 name);
	sh(text);
}

static void set_up(void)
{
	cr_assert(mkdtemp(folder));
	setenv("GCOV", "gcov", 1);
	sh("mkdir -p run/gcov && cat >driver.c <<'X'\n" DRIVER "X\n"
	   "gcc -O0 --coverage -c driver.c && gcc --coverage driver.o -o driver && cp driver.gcno run/gcov");
}

static void tear_down(void)
{
	pv_driver_lines_free(&lines);
	pv_remove_all(folder);
}

TestSuite(driver_lines, .init = set_up, .fini = tear_down);

static int add_run(void)
{
	static char plan[] = "p", a[] = "a", b[] = "b", c[] = "c";
	struct pv_case_result cases[] = {
		{.plan = plan, .name = a}, {.plan = plan, .name = b}, {.plan = plan, .name = c}};
	char path[64];

	snprintf(path, sizeof(path), "%s/run", folder);
	return pv_driver_lines_add_run(&lines, &(struct pv_run_result){.folder = path, .cases = cases, .n_cases = 3},
				       &e);
}

/* Writes "a c" for the cases that reach a line; "?": it has no code. */
static const char *cases_of(unsigned number, char *out)
{
	strcpy(out, "?");
	for (size_t i = 0; i < lines.files[0].n_lines; i++) {
		const struct pv_driver_line *l = &lines.files[0].lines[i];

		if (l->number != number)
			continue;
		*out = 0;
		for (size_t k = 0; k < l->n_cases; k++)
			sprintf(out + strlen(out), "%s%s", k ? " " : "", lines.cases[l->cases[k]]);
	}
	return out;
}

Test(driver_lines, each_line_knows_the_cases_that_reach_it)
{
	char text[64];

	add_case("0000-p-a+1", "");
	add_case("0001-p-b+1", "x");
	add_case("0002-p-c+1", "");
	cr_assert_eq(add_run(), 0, "%s", e.text);
	cr_assert_eq(lines.n_files, 1);
	cr_expect_str_eq(lines.files[0].path, "driver.c");
	snprintf(text, sizeof(text), "%s/driver.c", folder);
	cr_expect_str_eq(lines.files[0].text, text);
	cr_expect_str_eq(cases_of(3, text), "p/b");
	cr_expect_str_eq(cases_of(7, text), "p/a p/b p/c");
	cr_expect_str_eq(cases_of(8, text), "p/a p/c");
	cr_expect_str_eq(cases_of(2, text), "?");
}

Test(driver_lines, a_source_that_the_run_keeps_is_the_text)
{
	char text[64], expected[64];

	sh("cp driver.c run/gcov && rm driver.c");
	add_case("0000-p-a+1", "");
	cr_assert_eq(add_run(), 0, "%s", e.text);
	cr_assert(realpath(folder, text));
	snprintf(expected, sizeof(expected), "%.40s/run/gcov/driver.c", text);
	cr_expect_str_eq(lines.files[0].text, expected);
}

Test(driver_lines, functions_and_branches)
{
	add_case("0000-p-a+1", "");
	cr_assert_eq(add_run(), 0, "%s", e.text);
	const struct pv_driver_line *l = lines.files[0].lines;
	cr_expect_str_eq(l->function, "twice");
	cr_expect_eq(l->number, 1);
	while (l->number != 7)
		l++;
	cr_expect_str_eq(l->function, "main");
	cr_assert_eq(l->n_branches, 2);
	cr_expect_eq(l->taken[0] + l->taken[1], 1);
	add_case("0001-p-b+1", "x");
	pv_driver_lines_free(&lines);
	lines = (struct pv_driver_lines){0};
	cr_assert_eq(add_run(), 0, "%s", e.text);
	for (l = lines.files[0].lines; l->number != 7; l++)
		;
	cr_expect_eq(l->taken[0] + l->taken[1], 2);
}

Test(driver_lines, several_boots_of_a_case_are_one_case)
{
	char text[64];

	add_case("0001-p-b+1", "");
	add_case("0001-p-b+2", "x");
	cr_assert_eq(add_run(), 0, "%s", e.text);
	cr_expect_str_eq(cases_of(3, text), "p/b");
	cr_expect_str_eq(cases_of(7, text), "p/b");
	cr_expect_str_eq(cases_of(8, text), "p/b");
}

Test(driver_lines, runs_add_up)
{
	char text[64];

	add_case("0000-p-a+1", "x");
	cr_assert_eq(add_run(), 0, "%s", e.text);
	cr_assert_eq(add_run(), 0, "%s", e.text);
	cr_expect_eq(lines.n_cases, 6);
	cr_expect_str_eq(cases_of(3, text), "p/a p/a");
}

Test(driver_lines, equal_counts_are_read_once)
{
	char path[64], *log;
	size_t n;

	add_case("0000-p-a+1", "");
	add_case("0001-p-b+1", "x");
	add_case("0002-p-c+1", "");
	sh("printf '#!/bin/sh\\necho >>%s/log\\nexec gcov \"$@\"\\n' $PWD >counting && chmod 755 counting");
	snprintf(path, sizeof(path), "%s/counting", folder);
	setenv("GCOV", path, 1);
	cr_assert_eq(add_run(), 0, "%s", e.text);
	snprintf(path, sizeof(path), "%s/log", folder);
	cr_assert_eq(pv_file_read(path, 100, &log, &n, &e), 0);
	cr_expect_eq(n, 2, "expected 2 calls of gcov, got %zu", n);
	free(log);
}

Test(driver_lines, a_run_without_counts_is_an_error)
{
	cr_expect_eq(add_run(), -ENOENT);
	expect_text(e.text, "expected line coverage of a driver, got none: run with --target qemu --driver-coverage");
	add_case("0003-p-d+1", "");
	cr_expect_eq(add_run(), -ENOENT, "a case that the run does not have");
}

Test(driver_lines, files_that_gcov_does_not_understand_are_an_error)
{
	char path[64];

	add_case("0000-p-a+1", "");
	sh("printf adcg >run/gcov/driver.gcno");
	cr_expect_eq(add_run(), -EBADMSG);
	expect_text(e.text, "0000-p-a+1/driver.gcda: running gcov: exit status 5");
	sh("printf '#!/bin/sh\\necho \"{}\"\n' >empty && chmod 755 empty");
	snprintf(path, sizeof(path), "%s/empty", folder);
	setenv("GCOV", path, 1);
	cr_expect_eq(add_run(), -EBADMSG, "gcov may succeed with a report of nothing");
	expect_text(e.text, "0000-p-a+1/driver.gcda: gcov reports no lines; set GCOV");
}

Test(driver_lines, a_gcov_that_fails_is_an_error)
{
	add_case("0000-p-a+1", "");
	setenv("GCOV", "/absent/gcov", 1);
	cr_expect_eq(add_run(), -ENOENT);
	expect_text(e.text, "running /absent/gcov: exit status 127");
	setenv("GCOV", "false", 1);
	cr_expect_eq(add_run(), -EBADMSG);
	expect_text(e.text, "running false: exit status 1");
}
