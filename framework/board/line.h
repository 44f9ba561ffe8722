/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The connection to a far side, shared by the cases of a run, as a login takes longer than most cases. A case is a
 * session of the far side (docs/far.md). If a session does not end properly, the far side is stopped and the next case
 * starts a new one. The runner owns the connection; agents inherit its descriptors.
 */
#ifndef PV_BOARD_LINE_H
#define PV_BOARD_LINE_H

#include "framework/board/child.h"

struct pv_line {
	const char *const *command; /* runs pcieval-far on its standard streams; terminated by NULL, not owned */
	struct pv_child child;	    /* pid 0: not started, or ended */
	int said;		    /* file that receives its standard error; -1: none */
};

/* `command` must outlive the line. */
void pv_line_init(struct pv_line *l, const char *const *command);
/* Ends the far side. */
void pv_line_close(struct pv_line *l);

/* Starts the far side if none runs. fds[0] reads from it, fds[1] writes to it. 0 or -errno with *e. */
int pv_line_begin(void *line, int fds[2], struct pv_error *e);
/*
 * Ends the session after any outcome of the case; the far side has then restored what the case changed. *said gets the
 * standard error of the far side during the session, to be freed; NULL: nothing. 0; -errno with *e: the far side did
 * not confirm the end and was stopped.
 */
int pv_line_end(void *line, char **said, struct pv_error *e);

#endif
