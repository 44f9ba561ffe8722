/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/target/shell.h"
#include "framework/util/cleanup.h"

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

/* ---- of any length ---- */

/* Two bytes at a time, as if more did not fit into a message. */
static int64_t read_two(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room)
{
	size_t left = strlen(file) - (size_t)offset, n = left < 2 ? left : 2;

	if (!strcmp(path, "/damaged") && offset)
		return -EIO;
	memcpy(buf, file + offset, n);
	return (int64_t)n;
}

static void expect_file(const char *path, uint64_t from, int err, const char *text)
{
	static const struct pv_shell_ops ops = {.file_read = read_two};
	struct pv_shell shell = {&ops};
	_autofree_ char *data = NULL;
	size_t n;

	cr_expect_eq(pv_shell_read_file(&shell, path, from, 8, &data, &n), err, "%s", text);
	cr_assert_not_null(data);
	cr_expect_str_eq(data, text);
	cr_expect_eq(n, strlen(text));
}

Test(shell, a_file_of_several_pieces_is_read_whole)
{
	file = "1234567";
	expect_file("/file", 0, 0, "1234567");
	expect_file("/file", 3, 0, "4567");
	expect_file("/file", 7, 0, "");
	expect_file("/damaged", 0, -EIO, "12");
	file = "12345678";
	expect_file("/file", 0, -EFBIG, "12345678");
}

Test(shell, no_shell_has_files)
{
	static const struct pv_shell_ops none = {0};
	struct pv_shell shell = {&none};
	char *data;
	size_t n;

	cr_expect_eq(pv_shell_read_file(NULL, "/file", 0, 8, &data, &n), -EOPNOTSUPP);
	cr_expect_null(data);
	cr_expect_eq(pv_shell_read_file(&shell, "/file", 0, 8, &data, &n), -EOPNOTSUPP);
	cr_expect_null(data);
}
