/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of the lab: the console text of each case, and power commands that fail. */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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
	cr_assert_eq(system("rm -f serial power asked gone"), 0);
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

/* ---- a place ---- */

#define ASKED(what) "echo " what " >>asked"

static int acquire(const char *command, const char *show, const struct pv_lab_wait *wait, struct pv_lab_place *p)
{
	const struct pv_board_description d = {.acquire = (char *)command,
					       .show = (char *)show,
					       .off = (char *)ASKED("off"),
					       .release = (char *)ASKED("release")};

	e = (struct pv_error){0};
	*p = (struct pv_lab_place){0};
	return pv_lab_place_acquire(p, &d, wait, &e);
}

static void expect_asked(const char *words)
{
	char test[128];

	snprintf(test, sizeof(test), "[ \"$(cat asked 2>/dev/null | tr '\n' ' ')\" = '%s' ]", words);
	for (int i = 0; i < 3000 && system(test); i++)
		nap();
	cr_expect_eq(system(test), 0, "expected '%s'", words);
}

Test(lab, a_place_is_released_in_the_end)
{
	struct pv_lab_place p;

	cr_assert_eq(acquire(ASKED("acquire"), "exit 1", NULL, &p), 0, "%s", e.text);
	expect_asked("acquire ");
	pv_lab_place_release(&p);
	expect_asked("acquire release ");
	pv_lab_place_release(&p);
	expect_asked("acquire release ");
}

Test(lab, a_board_that_the_run_turned_on_is_turned_off)
{
	struct pv_lab_place p;

	cr_assert_eq(acquire("true", "exit 1", NULL, &p), 0, "%s", e.text);
	pv_lab_place_end_off(&p);
	pv_lab_place_end_off(&p);
	pv_lab_place_release(&p);
	expect_asked("off release ");
}

Test(lab, a_run_that_is_killed_leaves_no_place_behind)
{
	pid_t pid = fork();

	if (!pid) {
		struct pv_lab_place p;

		if (!acquire("true", "exit 1", NULL, &p))
			pv_lab_place_end_off(&p);
		nap();
		kill(getpid(), SIGKILL);
	}
	int status;
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	expect_asked("off release ");
}

static unsigned said;

static void say(void *ctx)
{
	said++;
}

Test(lab, without_waiting_a_held_place_is_an_error)
{
	struct pv_lab_place p;

	cr_expect_eq(acquire("exit 1", "true", NULL, &p), -EIO);
	cr_expect_eq(p.keeper.pid, 0);
}

/* An answer of labgrid says that it is worth waiting. */
Test(lab, a_place_that_others_have_is_waited_for)
{
	const struct pv_lab_wait wait = {.silent_s = 0, .say = say};
	struct pv_lab_place p;

	cr_expect_eq(acquire("[ -e gone ]", "touch gone", &wait, &p), 0, "%s", e.text);
	cr_expect_eq(said, 1);
	pv_lab_place_release(&p);
	expect_asked("release ");
}

Test(lab, a_coordinator_that_does_not_answer_is_no_place_that_others_have)
{
	const struct pv_lab_wait wait = {.silent_s = 0, .say = say};
	struct pv_lab_place p;

	cr_expect_eq(acquire("exit 1", "exit 3", &wait, &p), -EHOSTUNREACH);
	cr_expect(strstr(e.text, "labgrid has not shown the place for 0 s: 'exit 3' ended with exit status 3"), "%s",
		  e.text);
	cr_expect_eq(said, 0);
}

Test(lab, a_coordinator_that_restarts_is_waited_for)
{
	const struct pv_lab_wait wait = {.silent_s = 50, .say = say};
	struct pv_lab_place p;

	cr_expect_eq(acquire("[ -e gone ]", "touch gone; exit 3", &wait, &p), 0, "%s", e.text);
	cr_expect_eq(said, 0);
	pv_lab_place_release(&p);
}
