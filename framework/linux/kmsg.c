/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of /dev/kmsg (Documentation/ABI/testing/dev-kmsg). */
#include "framework/linux/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "framework/util/bdf.h"
#include "framework/util/cleanup.h"

#define LEVEL_WARNING 4
#define RECORD_MAX    8192 /* CONSOLE_EXT_LOG_MAX */
#define LOST	      "pcieval: the kernel's log was overwritten before it was read"

static bool concerns(const char *text)
{
	static const char *const names[] = {"hisi_ptt", "cxl",	  "dwc_pcie_pmu", "dwc_rootport",
					    "pcieport", "pciehp", "AER",	  "pci-host-generic"};
	pv_bdf bdf;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strstr(text, names[i]))
			return true;
	for (; *text; text++)
		if (pv_bdf_scan(text, &bdf))
			return true;
	return false;
}

const char *pv_kmsg_parse(char *record)
{
	char *text = strchr(record, ';'), *end;
	unsigned long priority = strtoul(record, &end, 10);

	/* priority: facility << 3 | level; facility 0 is the kernel, others come from programs. */
	if (!text || end == record || *end != ',' || priority > LEVEL_WARNING)
		return NULL;
	text++;
	text[strcspn(text, "\n")] = '\0';
	return concerns(text) ? text : NULL;
}

static void add(struct pv_kmsg *k, const char *text)
{
	if (k->full)
		return;
	k->full = k->lines == PV_KMSG_LINES_MAX - 1;
	if (k->full)
		text = "pcieval: more warnings than it keeps";
	if (k->lines == k->room) {
		size_t room = k->room ? 2 * k->room : 64;
		char **line = reallocarray(k->line, room, sizeof(*line));

		if (!line)
			return;
		k->line = line;
		k->room = room;
	}
	k->line[k->lines] = strdup(text);
	k->lines += k->line[k->lines] != NULL;
}

/*
 * Reads a record as a string. Returns its length; 0: there is no new one; -EPIPE: records were overwritten before they
 * were read, and the next call returns the first one after them; -errno.
 */
static int read_record(int fd, char record[RECORD_MAX + 1])
{
	ssize_t n;

	do
		n = read(fd, record, RECORD_MAX);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	record[n] = '\0';
	return (int)n;
}

static void end(struct pv_kmsg *k, const char *path, int err)
{
	char text[128];

	snprintf(text, sizeof(text), "pcieval: reading the kernel's log: %s: %s", path, strerror(-err));
	add(k, text);
	pv_closep(&k->fd);
	k->fd = err;
}

/* Returns a descriptor, or -errno. In containers a FIFO or /dev/null may be in the place of the log (-ENODEV). */
static int open_log(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || S_ISFIFO(st.st_mode) || (S_ISCHR(st.st_mode) && st.st_rdev != makedev(1, 11))) {
		close(fd);
		return -ENODEV;
	}
	return fd;
}

void pv_kmsg_open(struct pv_kmsg *k, const char *path)
{
	*k = (struct pv_kmsg){.fd = open_log(path)};
	if (k->fd < 0)
		end(k, path, k->fd);
}

void pv_kmsg_close(struct pv_kmsg *k)
{
	while (k->lines)
		free(k->line[--k->lines]);
	free(k->line);
	k->line = NULL;
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}

static void catch_up(struct pv_kmsg *k)
{
	char record[RECORD_MAX + 1];
	int n;

	while (k->fd >= 0 && (n = read_record(k->fd, record))) {
		const char *text = n > 0 ? pv_kmsg_parse(record) : LOST;

		if (n < 0 && n != -EPIPE)
			end(k, "/dev/kmsg", n);
		else if (text)
			add(k, text);
	}
}

const char *pv_kmsg_line(struct pv_kmsg *k, size_t n)
{
	catch_up(k);
	return n < k->lines ? k->line[n] : NULL;
}

/* ---- new records ---- */

void pv_kmsg_news_open(struct pv_kmsg_news *k, const char *path)
{
	*k = (struct pv_kmsg_news){.fd = open_log(path)};
	if (k->fd >= 0)
		lseek(k->fd, 0, SEEK_END);
}

void pv_kmsg_news_close(struct pv_kmsg_news *k)
{
	free(k->text);
	k->text = NULL;
	k->n = 0;
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -EBADF;
}

static int append(struct pv_kmsg_news *k, const char *line, size_t n)
{
	static const char more[] = "pcieval: more messages than it keeps\n";

	if (k->full)
		return 0;
	k->full = k->n + n > PV_KMSG_NEWS_MAX;
	if (k->full) {
		line = more;
		n = sizeof(more) - 1;
	}
	char *text = realloc(k->text, k->n + n);
	if (!text)
		return -ENOMEM;
	k->text = text;
	memcpy(text + k->n, line, n);
	k->n += n;
	return 0;
}

/* Parses "6,1234,5678,-;text": priority (facility 0 is the kernel), sequence, time in microseconds. */
static int append_record(struct pv_kmsg_news *k, const char *record)
{
	unsigned long long priority, us;
	char line[RECORD_MAX + 64];
	const char *text = strchr(record, ';');

	if (!text || sscanf(record, "%llu,%*u,%llu", &priority, &us) != 2 || priority > 7)
		return 0;
	int n = snprintf(line, sizeof(line), "[%5llu.%06llu] %.*s\n", us / 1000000, us % 1000000,
			 (int)strcspn(text + 1, "\n"), text + 1);
	return append(k, line, (size_t)n);
}

static int catch_up_news(struct pv_kmsg_news *k)
{
	char record[RECORD_MAX + 1];
	int n, err = 0;

	while (!err && (n = read_record(k->fd, record)))
		err = n > 0 ? append_record(k, record) : n == -EPIPE ? append(k, LOST "\n", strlen(LOST "\n")) : n;
	return err;
}

int64_t pv_kmsg_news_read(struct pv_kmsg_news *k, uint64_t offset, void *buf, size_t room)
{
	int err = k->fd < 0 ? k->fd : catch_up_news(k);

	if (err)
		return err;
	size_t left = offset < k->n ? k->n - (size_t)offset : 0, n = left < room ? left : room;
	if (n)
		memcpy(buf, k->text + offset, n);
	return (int64_t)n;
}
