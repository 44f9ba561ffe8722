/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of the lab: the console text of each case, and power commands that fail. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "framework/board/lab.h"
#include "framework/util/cleanup.h"

static char folder[] = "/tmp/pv-lab-XXXXXX";
static struct pv_lab_console console;

static void set_up(void)
{
	cr_assert(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
}

static void tear_down(void)
{
	pv_lab_console_close(&console);
	cr_assert_eq(system("rm -f serial power"), 0);
	rmdir(folder);
}

TestSuite(lab, .init = set_up, .fini = tear_down, .timeout = 60);

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* Waits some seconds for `expected` in the text of the case. */
static void expect_text(const char *expected)
{
	char *text = NULL;

	for (int i = 0; i < 500 && (!text || !strstr(text, expected)); i++) {
		free(text);
		nap();
		text = pv_lab_console_text(&console);
	}
	cr_expect_str_eq(text ? text : "", expected);
	free(text);
}

Test(lab, a_console_has_the_text_of_the_case)
{
	pv_lab_console_init(&console, "mkfifo serial; exec 3<>serial; echo begins; exec cat <&3");
	cr_expect_null(pv_lab_console_text(&console));
	pv_lab_console_begin(&console);
	expect_text("begins\n");
	cr_assert_eq(system("echo first >serial"), 0);
	expect_text("begins\nfirst\n");
	pv_lab_console_begin(&console);
	cr_expect_null(pv_lab_console_text(&console));
	cr_assert_eq(system("echo second >serial"), 0);
	expect_text("second\n");
}

Test(lab, a_console_has_no_control_characters)
{
	pv_lab_console_init(&console, "printf 'a\\033[2J\\tb\\r\\n\\0c\\n'");
	pv_lab_console_begin(&console);
	expect_text("a?[2J\tb\n?c\n");
}

Test(lab, a_console_that_ended_is_started_again)
{
	pv_lab_console_init(&console, "echo again");
	for (int i = 0; i < 2; i++) {
		pv_lab_console_begin(&console);
		expect_text("again\n");
		nap();
	}
}

Test(lab, a_console_ends_with_the_run)
{
	pv_lab_console_init(&console, "sleep 987 & wait");
	pv_lab_console_begin(&console);
	for (int i = 0; i < 500 && system("pgrep -f 'sleep 98[7]' >/dev/null"); i++)
		nap();
	pv_lab_console_close(&console);
	nap();
	cr_expect_neq(system("pgrep -f 'sleep 98[7]' >/dev/null"), 0);
}

Test(lab, no_console)
{
	pv_lab_console_init(&console, NULL);
	pv_lab_console_begin(&console);
	cr_expect_null(pv_lab_console_text(&console));
}

static struct pv_error e;

/* Takes constant strings: the commands are never written, so no copies are needed. */
static int cycle(const char *cycle, const char *on, const char *off)
{
	const struct pv_board_power p = {.cycle = (char *)cycle, .on = (char *)on, .off = (char *)off};

	e = (struct pv_error){0};
	return pv_lab_cycle(&p, &e);
}

Test(lab, power_commands)
{
	cr_expect_eq(cycle("echo cycle >>power", NULL, NULL), 0, "%s", e.text);
	cr_expect_eq(cycle(NULL, "echo on >>power", "echo off >>power"), 0, "%s", e.text);
	cr_expect_eq(system("[ \"$(tr '\\n' ' ' <power)\" = 'cycle off on ' ]"), 0);
	cr_expect_eq(cycle(NULL, NULL, NULL), -ENOENT);
	cr_expect_eq(cycle("yes | head -c 1000000; exit 7", NULL, NULL), -EIO);
	cr_expect(strstr(e.text, "head -c 1000000; exit 7' ended with exit status 7"), "%s", e.text);
	cr_expect_eq(cycle(NULL, "echo on >>power", "exit 1"), -EIO, "no power without knowing that it was off");
	cr_expect_eq(system("[ $(wc -l <power) = 3 ]"), 0);
}
