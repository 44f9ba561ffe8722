/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Warnings and errors of the kernel about the devices under test: records of /dev/kmsg from the kernel facility, of
 * level warning or worse, that name one of the drivers (kmsg.c has the list) or a PCI function as
 * "0000:75:00.1".
 */
#ifndef PV_LINUX_KMSG_H
#define PV_LINUX_KMSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PV_KMSG_LINES_MAX 4096u

struct pv_kmsg {
	int fd; /* -errno: could not be opened or read */
	char **line;
	size_t lines, room;
	bool full;
};

/* Opens /dev/kmsg. A failure to open or to read it becomes a line that begins with "pcieval: ". */
void pv_kmsg_open(struct pv_kmsg *k, const char *path);
void pv_kmsg_close(struct pv_kmsg *k);
/* Reads new records and returns line n since boot, oldest first; NULL after the last one. */
const char *pv_kmsg_line(struct pv_kmsg *k, size_t n);

/*
 * The kernel's records of all levels since open(), as text: a line "[   12.345678] text" each. A line that begins with
 * "pcieval: " says that records are missing.
 */
struct pv_kmsg_news {
	int fd; /* -errno: could not be opened */
	char *text;
	size_t n;
	bool full;
};
#define PV_KMSG_NEWS_MAX (1u << 20)

void pv_kmsg_news_open(struct pv_kmsg_news *k, const char *path);
void pv_kmsg_news_close(struct pv_kmsg_news *k);
/* Copies bytes from `offset` on, as from a growing file. Returns their number, 0 at the end, or -errno. */
int64_t pv_kmsg_news_read(struct pv_kmsg_news *k, uint64_t offset, void *buf, size_t room);

/* Takes one record ("6,1234,5678,-;text\n KEY=value\n"): the line that it adds, or NULL. Changes `record`. */
const char *pv_kmsg_parse(char *record);

#endif
