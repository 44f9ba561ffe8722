/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The taint of a kernel: reading it, and telling what is new. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/target/taint.h"

static const char *file;
static char told[512];

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

static const struct pv_shell_ops ops = {.file_read = file_read};
static struct pv_shell shell = {&ops};

static int read_bits(const char *text, uint64_t *bits)
{
	file = text;
	return pv_taint_read(&shell, bits);
}

static const char *report(const char *text, uint64_t before)
{
	file = text;
	*told = 0;
	pv_taint_report(&shell, before, tell, NULL);
	return told;
}

Test(taint, is_read)
{
	static const struct pv_shell_ops none = {0};
	struct pv_shell without = {&none};
	uint64_t bits = 1;

	cr_expect_eq(read_bits("4609\n", &bits), 0);
	cr_expect_eq(bits, 4609);
	cr_expect_eq(read_bits(NULL, &bits), -EACCES);
	cr_expect_eq(pv_taint_read(&without, &bits), -EOPNOTSUPP);
}

Test(taint, only_what_is_new_is_told)
{
	cr_expect_str_eq(report("640\n", 0x200),
			 "taint: expected the kernel not to be tainted, got D: the kernel had an oops or BUG\n");
	cr_expect_str_eq(report("16928\n", UINT64_MAX), "", "nobody knows what was before");
}

Test(taint, that_means_a_bug)
{
	cr_expect_str_eq(report("0\n", 0), "");
	cr_expect_str_eq(report("12288\n", 0), "", "out of tree and unsigned");
	cr_expect_str_eq(report("512\n", 0),
			 "taint: expected the kernel not to be tainted, got W: the kernel gave a warning\n");
	cr_expect_str_eq(report("4768\n", 0),
			 "taint: expected the kernel not to be tainted, got B: a page or an object in memory was bad\n"
			 "taint: expected the kernel not to be tainted, got D: the kernel had an oops or BUG\n"
			 "taint: expected the kernel not to be tainted, got W: the kernel gave a warning\n");
}

Test(taint, that_cannot_be_read_is_told)
{
	cr_expect_str_eq(report(NULL, 0), "guest: looking for taint: expected to read /proc/sys/kernel/tainted, got "
					  "EACCES; CONFIG_SYSCTL has it\n");
}
