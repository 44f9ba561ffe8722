/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares whole outputs with files, byte by byte. An output that differs is written beside the test program: look at
 * the difference, and copy the output if it is right.
 */
#ifndef PV_UTIL_TESTS_WHOLE_H
#define PV_UTIL_TESTS_WHOLE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define WHOLE_MAX (4 << 20)

/* Style and script of a page, and their digests, are files of their own. */
static inline void whole_leave_out(char *text, const char *from, const char *to)
{
	for (char *at = text; (at = strstr(at, from)); at++) {
		at += strlen(from);
		char *end = strstr(at, to);

		if (!end)
			return;
		memmove(at, end, strlen(end) + 1);
	}
}

static inline char *whole_read(const char *path)
{
	char *text = NULL;
	struct pv_error e;
	size_t n;

	return pv_file_read(path, WHOLE_MAX, &text, &n, &e) ? NULL : text;
}

/* Modifies `got`: removes the parts that are not compared. */
static inline void whole_expect(char *got, const char *folder, const char *name)
{
	char file[512], now[512], self[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct pv_error e;

	cr_assert_gt(n, 0);
	self[n] = 0;
	snprintf(file, sizeof(file), "%s/%s", folder, name);
	snprintf(now, sizeof(now), "%.200s.%s", self, name);
	_autofree_ char *want = whole_read(file);
	whole_leave_out(got, "<style>", "</style>");
	whole_leave_out(got, "<script>", "</script>");
	whole_leave_out(got, "'sha256-", "'");
	if (want && !strcmp(got, want))
		return;
	cr_assert_eq(pv_file_write(now, got, strlen(got), &e), 0, "%s", e.text);
	cr_expect(false, "another output than before: diff -u %s %s", file, now);
}

#endif
