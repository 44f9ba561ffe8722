/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other end of a tap: answers its user from emulated hardware. One user at a time; the owner polls the descriptors.
 */
#ifndef PV_TESTS_TAP_SERVER_H
#define PV_TESTS_TAP_SERVER_H

#include "framework/target/hw.h"

struct pv_tap_server {
	struct pv_hw *hw;
	int fd;		      /* the user; -1: none */
	int *stream, n, room; /* streams started by the user */
};

/* A socket that listens at `path`, or -errno. */
int pv_tap_listen(const char *path);
/* Answers one question of the user's, or notices that the user is gone, and stops the user's streams. */
void pv_tap_serve(struct pv_tap_server *s);
/* Lets the user go, if there is one. */
void pv_tap_hang_up(struct pv_tap_server *s);

#endif
