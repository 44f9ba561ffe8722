/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log.txt of a case: what its agent wrote to standard error and sent as log events, as it comes, up to a limit. */
#ifndef PV_RUN_CASELOG_H
#define PV_RUN_CASELOG_H

#include <stdbool.h>
#include <stddef.h>

enum { PV_CASELOG_MAX = 256 << 10 }; /* bytes */

struct pv_caselog {
	int fd;
	size_t bytes;
	bool cut;     /* the limit is reached, and said */
	bool partial; /* the last line has no newline yet */
	int err;      /* the first failure, -errno */
};

int pv_caselog_open(struct pv_caselog *log, const char *folder); /* 0 or -errno */
void pv_caselog_write(struct pv_caselog *log, const char *text, size_t n);
/* A line of its own: "level: text". */
void pv_caselog_line(struct pv_caselog *log, const char *level, const char *text);
/* Returns the first failure of all. */
int pv_caselog_close(struct pv_caselog *log);

#endif
