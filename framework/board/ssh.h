/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A board that OpenSSH reaches, with the user's own configuration and keys. One connection is made for a run; it shares
 * itself with the ssh of each case (ControlMaster), and keeps a folder on the board: the far-side program is copied
 * there. A shell at its other end removes the folder when the connection ends, whatever ended it.
 */
#ifndef PV_BOARD_SSH_H
#define PV_BOARD_SSH_H

#include <stdio.h>

#include "framework/board/child.h"

enum { PV_SSH_WORDS = 24 };

struct pv_ssh {
	const char *host;
	struct pv_child keeper;
	char control[108];		 /* path of the socket that the connection is shared by */
	char machine[32], release[64];	 /* as `uname -m` and `uname -r` say them */
	char program[256];		 /* on the board */
	char shared[128];		 /* "ControlPath=..." */
	const char *words[PV_SSH_WORDS]; /* of pv_ssh_command() */
};

/* Is it a word that ssh does not take for an option, nor a shell for more than a word? */
bool pv_ssh_is_plain(const char *text);
/* Connects, and has the folder made. 0 or -errno; close it either way. */
int pv_ssh_open(struct pv_ssh *s, const char *host, struct pv_error *e);
/* Copies the program `path` there; compares what arrived by its hash, and tries it: it must say `version`. */
int pv_ssh_install(struct pv_ssh *s, const char *path, const char *version, struct pv_error *e);
/* Keeps others away from the board while connected; `options` of the program ask for that ("--hold ..."). */
int pv_ssh_hold(struct pv_ssh *s, const char *options, struct pv_error *e);
/*
 * False: the connection has ended, after pv_ssh_hold(). True says nothing of a network or board that does not answer
 * any more.
 */
bool pv_ssh_is_connected(const struct pv_ssh *s);
/* A command, ended by NULL, that runs the program on the board with these options. Valid until the next call. */
const char *const *pv_ssh_command(struct pv_ssh *s, const char *options);
/*
 * What the program prints with these options. -EIO: it failed; -EMSGSIZE: it prints more than `max` bytes; -ETIMEDOUT:
 * nothing came for `ms`, or it was not all there after ten times as long.
 */
int pv_ssh_output(struct pv_ssh *s, const char *options, FILE *out, size_t max, unsigned ms, struct pv_error *e);
/* Has the folder removed, and disconnects. */
void pv_ssh_close(struct pv_ssh *s);

#endif
