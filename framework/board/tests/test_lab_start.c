/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A console that cannot be started. Here vfork() is fork(), after which a parent goes on before its child is a program.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "framework/board/lab.h"

static bool cannot_start;

/* Instead of libc's. */
pid_t vfork(void)
{
	if (!cannot_start)
		return fork();
	errno = EAGAIN;
	return -1;
}

static bool has_text(struct pv_lab_console *c, const char *expected)
{
	char *text = pv_lab_console_text(c);
	bool has = text && !strcmp(text, expected);

	free(text);
	return has;
}

Test(lab_start, a_console_that_cannot_be_started_leaves_nothing_open, .timeout = 60)
{
	struct pv_lab_console console;

	pv_lab_console_init(&console, "echo begins; exec cat");
	cannot_start = true;
	pv_lab_console_begin(&console);
	int next = dup(0);
	close(next);
	pv_lab_console_begin(&console);
	cr_expect_eq(dup(0), next);
	cr_expect_eq(console.in, -1);
	cannot_start = false;
	pv_lab_console_begin(&console);
	while (!has_text(&console, "begins\n"))
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	pv_lab_console_close(&console);
}
