/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `perf stat -I` on a machine: this one ("local") or one reached through ssh ("ssh:HOST"). A shell there lists the
 * available events, runs perf, and ends it on request or at the end of its input, so that nothing keeps running. The
 * machine needs sh(1) and perf; with od(1), the ceilings of links are also known.
 */
#ifndef PV_BOARD_PERF_H
#define PV_BOARD_PERF_H

#include <stdbool.h>
#include <stdio.h>

#include "framework/board/child.h"

enum { PV_PERF_LINE_BYTES = 4096 };

struct pv_perf {
	const char *target; /* "local", "ssh:HOST" */
	struct pv_child child;
	char buf[PV_PERF_LINE_BYTES]; /* an incomplete line */
	size_t n;
	bool skips; /* dropping the rest of a line that was too long */
};

/* An order to perf: events to count, and for how long. */
struct pv_perf_order {
	const char *events;   /* in the syntax of perf -e */
	unsigned interval_ms; /* between two lines of an event */
	unsigned intervals;   /* number of intervals; 0: until stopped */
	int stop;	      /* a descriptor that becomes readable to stop perf; -1: none */
};

/* Takes a line without its newline; "?" replaces a line that is too long. A negative result ends the output. */
typedef int (*pv_perf_line_fn)(void *ctx, const char *line);

/* Connects. `root`: argument of --root; NULL: none. 0 or -errno with *e; close it either way. */
int pv_perf_open(struct pv_perf *p, const char *target, const char *root, struct pv_error *e);
/*
 * Lists the machine: "event PMU/events/NAME TERMS" for each event of a PMU. Bridges go to `dump`, in the format of
 * `lspci -xxxx`. 0; -ENOENT: the machine has no perf; -errno. The list is limited in bytes and time.
 */
int pv_perf_list(struct pv_perf *p, pv_perf_line_fn line, void *ctx, FILE *dump, struct pv_error *e);
/*
 * Runs perf until it ends, or is stopped by `stop`. 0: it ended properly; the result of `line`; -ETIMEDOUT: it printed
 * nothing for too long; -EIO: it failed, with a message on standard error.
 */
int pv_perf_run(struct pv_perf *p, const struct pv_perf_order *order, pv_perf_line_fn line, void *ctx,
		struct pv_error *e);
/* Ends all running processes. */
void pv_perf_close(struct pv_perf *p);

#endif
