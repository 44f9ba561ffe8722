/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Competing owners of one journal. Its users test its contents (framework/mps, framework/linux). */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "framework/undo/undolog.h"
#include "framework/util/cleanup.h"
#include "framework/util/file.h"

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

static int open_with(const char *text, struct pv_error *e)
{
	FILE *f = fopen(path, "w");
	struct pv_undolog j;

	cr_assert_not_null(f);
	fputs(text, f);
	fclose(f);
	int err = pv_undolog_open(&j, path, e);
	if (!err)
		pv_undolog_close(&j);
	return err;
}

/* Taken for one of an earlier boot, the journal would be emptied, and what this boot changed would stay changed. */
Test(undolog, a_damaged_boot_id_is_refused)
{
	static const char *const damaged[] = {"boot", "boot 1", "boo", "boot 00000000-0000-0000-0000-00000000000G",
					      "attr pmu level 1"};

	for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
		char text[128], expected[256];
		_autofree_ char *after = NULL;
		size_t n;
		struct pv_error e = {0};

		snprintf(text, sizeof(text), "%s\nattr pmu level 1", damaged[i]);
		snprintf(expected, sizeof(expected), "%s:1: expected the boot ID that a journal begins with, got '%s'",
			 path, damaged[i]);
		cr_expect_eq(open_with(text, &e), -EBADMSG, "%s", text);
		cr_expect(!strncmp(e.text, expected, strlen(expected)), "%s", e.text);
		cr_assert_eq(pv_file_read(path, 4096, &after, &n, NULL), 0);
		cr_expect_str_eq(after, text);
	}
	cr_expect_eq(open_with("a file of somebody else", NULL), -EBADMSG);
	cr_expect_eq(open_with("", NULL), 0);
	cr_expect_eq(open_with("bo", NULL), 0);
	cr_expect_eq(open_with("boot 00000000-00", NULL), 0);
	cr_expect_eq(open_with("boot \n", NULL), 0);
	cr_expect_eq(open_with("boot 00000000-0000-0000-0000-000000000000\n", NULL), 0);
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Otherwise the next line is read as the end of the cut one: another value would be restored. */
Test(undolog, a_line_that_the_disk_takes_in_part_is_not_there)
{
	_autofree_ char *before = NULL, *after = NULL;
	struct pv_undolog j;
	size_t n, more;

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(open_one(&j), 0);
	cr_assert_eq(pv_file_read(path, 4096, &before, &n, NULL), 0);
	limit_files(n + 12);
	cr_expect_eq(pv_undolog_append(&j, "attr pmu level 1234\n", NULL), -EFBIG);
	limit_files(RLIM_INFINITY);
	cr_expect_eq(pv_undolog_append(&j, "idle\n", NULL), 0);
	cr_assert_eq(pv_file_read(path, 4096, &after, &more, NULL), 0);
	cr_expect_str_eq(after + n, "idle\n");
	pv_undolog_close(&j);
}
