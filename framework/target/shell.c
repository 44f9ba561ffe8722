/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "framework/target/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES (1u << 20)

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

int pv_shell_read_file(struct pv_shell *s, const char *path, uint64_t from, size_t max, char **data, size_t *n)
{
	int64_t got = s && s->ops->file_read ? 1 : -EOPNOTSUPP;

	*data = NULL;
	*n = 0;
	while (got > 0) {
		char *more = *n < max ? realloc(*data, *n + PIECE_BYTES + 1) : NULL;

		if (!more)
			return *n < max ? -ENOMEM : -EFBIG;
		*data = more;
		got = s->ops->file_read(s, path, from + *n, *data + *n, PIECE_BYTES);
		*n += got > 0 ? (size_t)got : 0;
		(*data)[*n] = '\0';
	}
	return (int)got;
}

int pv_shell_write_text(struct pv_shell *s, const char *path, const char *text)
{
	return s->ops->file_write(s, path, text, strlen(text), false);
}
