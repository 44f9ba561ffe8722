/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Competing owners of one journal. Its users test its contents (framework/mps, framework/linux). */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "framework/undo/undolog.h"

static char folder[] = "undolog.XXXXXX", path[64];
static bool removed_meanwhile;

/* Replaces the flock() of libc: the previous owner unlinks the journal and releases the lock just before. */
int flock(int fd, int operation)
{
	if (removed_meanwhile)
		unlink(path);
	return (int)syscall(SYS_flock, fd, operation);
}

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/undo", folder);
}

static void tear_down(void)
{
	unlink(path);
	rmdir(folder);
}

TestSuite(undolog, .init = set_up, .fini = tear_down, .timeout = 60);

static int open_one(struct pv_undolog *j)
{
	struct pv_error e = {0};

	return pv_undolog_open(j, path, &e);
}

Test(undolog, one_at_a_time)
{
	struct pv_undolog first, second;

	cr_assert_eq(open_one(&first), 0);
	cr_expect_eq(open_one(&second), -EBUSY);
	pv_undolog_close(&first);
	cr_expect_eq(open_one(&second), 0);
	pv_undolog_close(&second);
}

/* Changes that are journalled in an unlinked file are lost when the process ends. */
Test(undolog, a_journal_that_is_removed_between_open_and_lock)
{
	struct pv_undolog j;

	removed_meanwhile = true;
	cr_expect_eq(open_one(&j), -EBUSY);
	removed_meanwhile = false;
	cr_assert_eq(open_one(&j), 0);
	cr_expect_eq(access(path, F_OK), 0);
	pv_undolog_close(&j);
}
