/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files as strings. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "framework/target/shell.h"

static const char *file;

static int64_t file_read(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room)
{
	if (!file)
		return -ENOENT;
	size_t n = strlen(file) < room ? strlen(file) : room;
	memcpy(buf, file, n);
	return (int64_t)n;
}

/* Reads into 5 bytes. */
static int64_t read_five(const struct pv_shell_ops *ops, const char *text, char buf[5])
{
	struct pv_shell shell = {ops};

	file = text;
	memset(buf, 'x', 5);
	return pv_shell_read_text(&shell, "/file", buf, 5);
}

Test(shell, a_file_that_is_too_long_is_an_error)
{
	static const struct pv_shell_ops ops = {.file_read = file_read}, none = {0};
	char buf[5];

	cr_expect_eq(read_five(&ops, "", buf), 0);
	cr_expect_str_eq(buf, "");
	cr_expect_eq(read_five(&ops, "1234", buf), 4);
	cr_expect_str_eq(buf, "1234");
	cr_expect_eq(read_five(&ops, "12345", buf), -EFBIG);
	cr_expect_str_eq(buf, "1234", "its beginning");
	cr_expect_eq(read_five(&ops, NULL, buf), -ENOENT);
	cr_expect_str_eq(buf, "");
	cr_expect_eq(read_five(&none, "1", buf), -EOPNOTSUPP);
	cr_expect_str_eq(buf, "");
}
