/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For ssh's ProxyCommand: standard streams to and from a socket. */
#ifndef PV_TESTS_CONNECT_H
#define PV_TESTS_CONNECT_H

/*
 * Until the socket's other end closes it, or standard input ends and the socket's other end has. Returns the exit
 * status.
 */
int pv_board_vm_connect(const char *path);

#endif
