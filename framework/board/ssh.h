/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A board reached through OpenSSH, with the user's configuration and keys. A run makes one connection, which the ssh of
 * each case shares (ControlMaster). The far-side program is copied to a temporary folder on the board. A shell at the
 * other end removes the folder when the connection ends for any reason.
 */
#ifndef PV_BOARD_SSH_H
#define PV_BOARD_SSH_H

#include <stdio.h>

#include "framework/board/child.h"

enum { PV_SSH_WORDS = 24 };

struct pv_ssh {
	const char *host;
	struct pv_child keeper;
	char control[108];		 /* path of the ControlMaster socket */
	char machine[32], release[64];	 /* as printed by `uname -m` and `uname -r` */
	char program[256];		 /* its path on the board */
	char shared[128];		 /* "ControlPath=..." */
	unsigned patience;		 /* a lost board is noticed after so many unanswered messages, 5 s apart */
	const char *words[PV_SSH_WORDS]; /* of pv_ssh_command() */
};

/* Returns true if the text is neither an option for ssh nor more than one literal word for a shell. */
bool pv_ssh_is_plain(const char *text);
/*
 * Connects, and creates the folder. A board on which everything takes longer (timeout_scale above 1) has longer to
 * answer before it is lost. 0 or -errno; close it either way.
 */
int pv_ssh_open(struct pv_ssh *s, const char *host, double timeout_scale, struct pv_error *e);
/* Copies the program at `path` to the board. Compares its SHA-256 there, and its --version with `version`. */
int pv_ssh_install(struct pv_ssh *s, const char *path, const char *version, struct pv_error *e);
/*
 * Reserves the board while connected, by running the program with `options` ("--hold ..."). With "--wait" this waits
 * until other users release it, and calls waits() every 10 s.
 */
int pv_ssh_hold(struct pv_ssh *s, const char *options, void (*waits)(void *ctx), void *ctx, struct pv_error *e);
/*
 * After pv_ssh_hold(): returns false if the connection has ended. True does not prove that network and board still
 * answer.
 */
bool pv_ssh_is_connected(const struct pv_ssh *s);
/*
 * Returns a command, terminated by NULL, that runs the program on the board with `options`. Valid until the next call.
 */
const char *const *pv_ssh_command(struct pv_ssh *s, const char *options);
/*
 * Runs the program with `options` and copies its standard output to `out`. 0; -EIO: it failed; -EMSGSIZE: it printed
 * more than `max` bytes; -ETIMEDOUT: it printed nothing for `ms`, or took more than ten times `ms`.
 */
int pv_ssh_output(struct pv_ssh *s, const char *options, FILE *out, size_t max, unsigned ms, struct pv_error *e);
/* Same for a command line of the board's shell. `what`: what it does, for messages. */
int pv_ssh_shell(struct pv_ssh *s, const char *command, const char *what, FILE *out, size_t max, unsigned ms,
		 struct pv_error *e);
/* Removes the folder, and disconnects. */
void pv_ssh_close(struct pv_ssh *s);

#endif
