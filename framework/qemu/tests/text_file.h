/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a guest that tests have as strings. */
#ifndef PV_QEMU_TESTS_TEXT_FILE_H
#define PV_QEMU_TESTS_TEXT_FILE_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

/* Reads `text` as a file: the result of file_read() of struct pv_shell_ops. NULL: there is no such file. */
static inline int64_t read_text_file(const char *text, void *buf, size_t room)
{
	if (!text)
		return -ENOENT;
	size_t n = strlen(text) < room ? strlen(text) : room;
	memcpy(buf, text, n);
	return (int64_t)n;
}

#endif
