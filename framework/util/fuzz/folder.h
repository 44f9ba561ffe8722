/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder in memory for targets whose input is several files: made once, its files anew for each input. */
#ifndef PV_UTIL_FUZZ_FOLDER_H
#define PV_UTIL_FUZZ_FOLDER_H

#include <fcntl.h>

#include "framework/util/file.h"
#include "framework/util/fuzz/fuzz.h"

static char fuzz_folder_path[32];

static inline void fuzz_folder_remove(void)
{
	pv_remove_all(fuzz_folder_path);
}

static inline const char *fuzz_folder(void)
{
	if (*fuzz_folder_path)
		return fuzz_folder_path;
	strcpy(fuzz_folder_path, "/dev/shm/fuzz-XXXXXX");
	fuzz_check(mkdtemp(fuzz_folder_path) && !atexit(fuzz_folder_remove));
	return fuzz_folder_path;
}

static inline const char *fuzz_folder_file(const char *name, char path[64])
{
	snprintf(path, 64, "%s/%s", fuzz_folder(), name);
	return path;
}

static inline void fuzz_folder_put(const char *name, const void *data, size_t size)
{
	char path[64];
	int fd = open(fuzz_folder_file(name, path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	fuzz_check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

/* All of a file and a 0 byte; the caller frees. */
static inline char *fuzz_folder_get(const char *name, size_t *size)
{
	char path[64];
	int fd = open(fuzz_folder_file(name, path), O_RDONLY | O_CLOEXEC);
	char *text;

	fuzz_check(fd >= 0);
	text = fuzz_contents(fd, size);
	close(fd);
	return text;
}

/* The input up to its next newline, which is passed over. */
static inline const uint8_t *fuzz_line(const uint8_t **data, size_t *size, size_t *n)
{
	const uint8_t *line = *data, *end = *size ? memchr(line, '\n', *size) : NULL;

	*n = end ? (size_t)(end - line) : *size;
	*data += *n + !!end;
	*size -= *n + !!end;
	return line;
}

#endif
