/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `perf stat -I` on a machine: this one ("local") or one that ssh reaches ("ssh:HOST"). A shell there lists what could
 * be counted, runs perf, and ends it when it is told to or when its input ends, so that nothing is left running. It
 * needs sh(1) and perf there; with od(1), the ceilings of links are known, too.
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
	char buf[PV_PERF_LINE_BYTES]; /* bytes that were read and are no whole line yet */
	size_t n;
	bool skips; /* the rest of a line that was too long */
};

/* An order to perf: events to count, and for how long. */
struct pv_perf_order {
	const char *events;   /* as perf -e takes them */
	unsigned interval_ms; /* of a line for each event */
	unsigned intervals;   /* then it ends; 0: when it is told to */
	int stop;	      /* a descriptor that is readable when it is to end; -1: none */
};

/* Takes a line without its newline; one that is too long is "?". Negative: no more, please. */
typedef int (*pv_perf_line_fn)(void *ctx, const char *line);

/* Connects. `root`: as of --root; NULL: none. 0 or -errno with *e; close it either way. */
int pv_perf_open(struct pv_perf *p, const char *target, const char *root, struct pv_error *e);
/*
 * Lists the machine: for each event of a PMU "event PMU/events/NAME TERMS". Bridges go to `dump`, in the format of
 * `lspci -xxxx`. 0; -ENOENT: the machine has no perf; -errno. The list has a limit in bytes and in time.
 */
int pv_perf_list(struct pv_perf *p, pv_perf_line_fn line, void *ctx, FILE *dump, struct pv_error *e);
/*
 * Runs perf until it ends, or is told to by `stop`. 0: it ended as it should; what `line` returned; -ETIMEDOUT: it said
 * nothing for too long; -EIO: it failed, which it explained on standard error.
 */
int pv_perf_run(struct pv_perf *p, const struct pv_perf_order *order, pv_perf_line_fn line, void *ctx,
		struct pv_error *e);
/* Ends what still runs. */
void pv_perf_close(struct pv_perf *p);

#endif
