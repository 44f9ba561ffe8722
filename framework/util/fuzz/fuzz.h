/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by fuzz targets: the function that libFuzzer or standalone.c calls with an input, checks that end the program,
 * and bytes as a file. CONTRIBUTING.md says how to add a target.
 */
#ifndef PV_UTIL_FUZZ_H
#define PV_UTIL_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks a property that must hold for every input: prints it and aborts if it does not. */
#define fuzz_check(expression)                                                                          \
	do {                                                                                            \
		if (!(expression)) {                                                                    \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #expression); \
			abort();                                                                        \
		}                                                                                       \
	} while (0)

/* A file in memory with these bytes, at its begin. */
static inline int fuzz_file(const void *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	fuzz_check(fd >= 0 && (!size || pwrite(fd, data, size, 0) == (ssize_t)size));
	return fd;
}

/* The path of an open file, until the next call. */
static inline const char *fuzz_path(int fd)
{
	static char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

/* All of a file in memory, and a 0 byte behind it; the caller frees. */
static inline char *fuzz_contents(int fd, size_t *size)
{
	off_t n = lseek(fd, 0, SEEK_END);
	char *text = n < 0 ? NULL : malloc((size_t)n + 1);

	fuzz_check(text && pread(fd, text, (size_t)n, 0) == (ssize_t)n);
	text[n] = '\0';
	*size = (size_t)n;
	return text;
}

/* The input as text: a copy of its exact size with a 0 byte at its end. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	fuzz_check(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
