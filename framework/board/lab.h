/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands of the lab for a board: power and console (docs/lab.md). They run on this machine, in a shell, and only with
 * --allow-exec.
 */
#ifndef PV_BOARD_LAB_H
#define PV_BOARD_LAB_H

#include <sys/types.h>

#include "framework/board/description.h"

/* Runs a command of the lab, at most 120 s. 0; -EIO: it failed, -ETIMEDOUT: it did not end in time, each with *e. */
int pv_lab_run(const char *command, struct pv_error *e);
/* Cycles the power of a board. 0; -ENOENT: the lab has no command for it; -errno with *e. */
int pv_lab_cycle(const struct pv_board_power *p, struct pv_error *e);

/* The board's console: a command prints it during the whole run. */
struct pv_lab_console {
	const char *command; /* not owned; NULL: none */
	pid_t pid;	     /* 0: not started */
	int in, text;	     /* its standard input, which stays open; the file with its output */
	off_t from;	     /* offset in `text` at which this case begins */
};

void pv_lab_console_init(struct pv_lab_console *c, const char *command);
/* Begins the console text of a case, and starts the command unless it is running. */
void pv_lab_console_begin(struct pv_lab_console *c);
/*
 * Returns the console text of the case, without control characters; only the end of a long text. The caller frees it.
 * NULL: nothing was printed.
 */
char *pv_lab_console_text(struct pv_lab_console *c);
/* Ends the command, so that another program can have the console. The next case starts it again. */
void pv_lab_console_pause(struct pv_lab_console *c);
void pv_lab_console_close(struct pv_lab_console *c);

/* Replaces control characters except newline and tab, and removes "\\r", in place: boards print for terminals. */
void pv_lab_make_plain(char *text);

#endif
