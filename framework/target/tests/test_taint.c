/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The taint of a kernel: reading it, and telling what is new. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/target/taint.h"

static const char *file;
static char told[256];

static int64_t file_read(struct pv_shell *s, const char *path, uint64_t offset, void *buf, size_t room)
{
	cr_expect_str_eq(path, "/proc/sys/kernel/tainted");
	if (!file)
		return -EACCES;
	size_t n = strlen(file) < room ? strlen(file) : room;
	memcpy(buf, file, n);
	return (int64_t)n;
}

static void tell(void *ctx, const char *kind, const char *text)
{
	size_t n = strlen(told);

	snprintf(told + n, sizeof(told) - n, "%s: %s\n", kind, text);
}

static int read_bits(const char *text, uint64_t *bits)
{
	static const struct pv_shell_ops ops = {.file_read = file_read};
	struct pv_shell shell = {&ops};

	file = text;
	return pv_taint_read(&shell, bits);
}

Test(taint, is_read)
{
	static const struct pv_shell_ops none = {0};
	struct pv_shell shell = {&none};
	uint64_t bits = 1;

	cr_expect_eq(read_bits("4609\n", &bits), 0);
	cr_expect_eq(bits, 4609);
	cr_expect_eq(read_bits(NULL, &bits), -EACCES);
	cr_expect_eq(pv_taint_read(&shell, &bits), -EOPNOTSUPP);
}

Test(taint, only_what_is_new_is_told)
{
	pv_taint_report(0x280, 0x200, tell, NULL);
	cr_expect_str_eq(told, "taint: expected the kernel not to be tainted, got D: the kernel had an oops or BUG\n");
	*told = 0;
	pv_taint_report(0x4220, UINT64_MAX, tell, NULL);
	cr_expect_str_eq(told, "", "nobody knows what was before");
	pv_taint_report(0x3000, 0, tell, NULL);
	cr_expect_str_eq(told, "", "out of tree and unsigned");
}
