/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands of the lab for a board: power and console (docs/lab.md). They run on this machine, in a shell, and only with
 * --allow-exec.
 */
#ifndef PV_BOARD_LAB_H
#define PV_BOARD_LAB_H

#include <sys/types.h>

#include "framework/board/child.h"
#include "framework/board/description.h"

/* Runs a command of the lab, at most 120 s. 0; -EIO: it failed, -ETIMEDOUT: it did not end in time, each with *e. */
int pv_lab_run(const char *command, struct pv_error *e);
/*
 * A place of labgrid that this run has acquired. A process of its own releases it when this one ends, however that
 * happens.
 */
struct pv_lab_place {
	struct pv_child keeper; /* pid 0: none is acquired */
};

/* Waiting for a place that others have. */
struct pv_lab_wait {
	unsigned silent_s;	/* labgrid may be silent for so long: its coordinator restarts */
	void (*say)(void *ctx); /* called as often as the place was seen, and is still held */
	void *ctx;
};

/*
 * Acquires the place of a board. `wait`: how it waits for others; NULL: it does not. 0; -EHOSTUNREACH: labgrid did not
 * show the place while it waited, another -errno with *e: it was not acquired.
 */
int pv_lab_place_acquire(struct pv_lab_place *p, const struct pv_board_description *d, const struct pv_lab_wait *wait,
			 struct pv_error *e);
/* Lets pv_lab_place_release() turn the power of the board off, since this run turned it on. */
void pv_lab_place_end_off(struct pv_lab_place *p);
/* Releases the place; prints what went wrong. */
void pv_lab_place_release(struct pv_lab_place *p);

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

/*
 * Replaces control characters except newline and tab, and removes "\\r", in place: boards print for terminals. A 0 byte
 * follows the n bytes, which may have others.
 */
void pv_lab_make_plain(char *text, size_t n);

#endif
