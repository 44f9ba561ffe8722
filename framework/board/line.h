/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line to a far side that the cases of a run use one after the other: logging in for each of them would take longer
 * than most cases. A case is a session of the far side (docs/far.md); one that does not end as it should costs the far
 * side its life, and the next case gets a new one. The runner has the line, an agent inherits its descriptors.
 */
#ifndef PV_BOARD_LINE_H
#define PV_BOARD_LINE_H

#include "framework/board/child.h"

struct pv_line {
	const char *const *command; /* whose standard streams lead to pcieval-far; ended by NULL, not owned */
	struct pv_child child;	    /* pid 0: not started, or ended */
	int said;		    /* the file that is its standard error; -1: none */
};

/* `command` must outlive the line. */
void pv_line_init(struct pv_line *l, const char *const *command);
/* Ends the far side. */
void pv_line_close(struct pv_line *l);

/* For a case: starts the far side if there is none. fds: to read from it, to write to it. 0 or -errno with *e. */
int pv_line_begin(void *line, int fds[2], struct pv_error *e);
/*
 * Ends the session, whatever became of the case: what it has changed has been put back. *said: what the far side wrote
 * to its standard error meanwhile, to be freed; NULL: nothing. 0, or -errno with *e: the far side has ended, or had to
 * be.
 */
int pv_line_end(void *line, char **said, struct pv_error *e);

#endif
