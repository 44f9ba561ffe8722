/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "framework/target/shell.h"

#include <errno.h>
#include <string.h>

int64_t pv_shell_read_text(struct pv_shell *s, const char *path, char *buf, size_t size)
{
	int64_t n = s->ops->file_read ? s->ops->file_read(s, path, 0, buf, size) : -EOPNOTSUPP;

	if (n == (int64_t)size) {
		buf[size - 1] = '\0';
		return -EFBIG;
	}
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

int pv_shell_write_text(struct pv_shell *s, const char *path, const char *text)
{
	return s->ops->file_write(s, path, text, strlen(text), false);
}
