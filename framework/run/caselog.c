/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log of a case. The beginning is what is kept: it is there that things go wrong first. */
#include "framework/run/caselog.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "framework/run/folder.h"
#include "framework/util/file.h"

int pv_caselog_open(struct pv_caselog *log, const char *folder)
{
	char path[PATH_MAX];

	*log = (struct pv_caselog){.fd = -1};
	if (snprintf(path, sizeof(path), "%s/" PV_LOG_FILE, folder) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	log->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
	return log->fd < 0 ? -errno : 0;
}

static void write_raw(struct pv_caselog *log, const char *text, size_t n)
{
	int err = log->fd >= 0 && n ? pv_write_all(log->fd, text, n) : 0;

	if (err && !log->err)
		log->err = err;
	if (n)
		log->partial = text[n - 1] != '\n';
}

void pv_caselog_write(struct pv_caselog *log, const char *text, size_t n)
{
	static const char cut[] = "\n[cut: the log is longer than 256 KiB]\n";
	size_t room = PV_CASELOG_MAX - log->bytes;
	size_t fits = n < room ? n : room;

	write_raw(log, text, fits);
	log->bytes += fits;
	if (n > room && !log->cut) {
		log->cut = true;
		write_raw(log, cut, sizeof(cut) - 1);
	}
}

void pv_caselog_line(struct pv_caselog *log, const char *level, const char *text)
{
	char *line = NULL;
	int n = asprintf(&line, "%s%s%s%s\n", log->partial ? "\n" : "", level, *level ? ": " : "", text);

	if (n < 0)
		return;
	pv_caselog_write(log, line, (size_t)n);
	free(line);
}

int pv_caselog_close(struct pv_caselog *log)
{
	if (log->fd >= 0 && close(log->fd) && !log->err)
		log->err = -errno;
	log->fd = -1;
	return log->err;
}
