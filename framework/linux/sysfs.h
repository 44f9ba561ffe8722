/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the kernel below the root of a running Linux. */
#ifndef PV_LINUX_SYSFS_H
#define PV_LINUX_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/regs/pcie.h"

#define PV_LINUX_NAME_MAX 64u /* of a PMU, a device, a driver */

struct pv_linux;

/* Returns the prefix of /sys and /dev; "": this system's own. */
const char *pv_linux_root(const struct pv_linux *l);

struct pv_linux_path {
	char s[512]; /* "" if longer than this: any use of it then fails with ENOENT */
};
struct pv_linux_path pv_linux_path(const struct pv_linux *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
#define PV_LINUX_PATH(l, ...) (pv_linux_path(l, __VA_ARGS__).s)

/* Reads a file as text, without the final newline. Returns its length or -errno (-ENOSPC: longer than the buffer). */
int pv_sysfs_read(const char *path, char *buf, size_t size);
int pv_sysfs_read_number(const char *path, uint32_t *value);
/* Writes all of `text` at once. */
int pv_sysfs_write(const char *path, const char *text);
/* Calls fn for each entry of a folder, sorted by bytes. */
int pv_sysfs_list(const char *path, void (*fn)(void *, const char *), void *ctx);

/* A part of a BAR that is mapped. */
struct pv_linux_bar {
	void *page; /* what mmap(2) returned ... */
	size_t page_bytes;
	uint8_t *at; /* ... and where the part is in it */
};

/*
 * Maps a part of a BAR, to read it, or also to write it. munmap(2) of page and page_bytes ends it. 0; -ENODEV: no such
 * function or BAR; -EINVAL: the BAR is shorter; -errno.
 */
int pv_linux_map_bar(struct pv_linux *l, pv_bdf bdf, int bar, uint32_t off, size_t bytes, bool write,
		     struct pv_linux_bar *out);

#endif
