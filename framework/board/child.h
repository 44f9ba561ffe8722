/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program at the other end of a pair of pipes: pcieval-far itself, or ssh, which starts it. */
#ifndef PV_BOARD_CHILD_H
#define PV_BOARD_CHILD_H

#include <sys/types.h>

#include "framework/util/error.h"

/* Ctrl-C signals all processes of the terminal's foreground group. */
enum pv_child_group { PV_CHILD_OUR_GROUP, PV_CHILD_OWN_GROUP };

struct pv_child {
	pid_t pid;   /* 0: none */
	pid_t relay; /* copies its standard error to ours; 0: none */
	int in, out; /* its standard input, its standard output; -1: closed */
};

/*
 * Starts argv[0], which is searched in PATH. Its standard error is `stderr_fd`; -1: ours, with control characters
 * escaped. It gets SIGTERM when the thread that started it ends for any reason. 0 or -errno with *e.
 */
int pv_child_start(struct pv_child *c, const char *const *argv, enum pv_child_group group, int stderr_fd,
		   struct pv_error *e);
/* Closes its standard input, waits for its end, kills it after `ms`. Returns its wait status; 0: there was no child. */
int pv_child_end(struct pv_child *c, unsigned ms);
/* Same, but sends SIGTERM first: for a child that may ignore the end of its input. */
int pv_child_stop(struct pv_child *c, unsigned ms);

#endif
