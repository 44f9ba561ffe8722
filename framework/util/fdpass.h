/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages with descriptors between processes of one machine (unix(7), SCM_RIGHTS). */
#ifndef PV_UTIL_FDPASS_H
#define PV_UTIL_FDPASS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PV_FDPASS_MAX 16

/* Sends n > 0 bytes and n_fds <= PV_FDPASS_MAX descriptors; one message, if the socket has messages. 0 or -errno. */
int pv_fdpass_send(int socket, const void *data, size_t n, const int *fds, size_t n_fds, int flags);

/*
 * Receives up to `room` bytes, and up to PV_FDPASS_MAX descriptors (close on exec), which become the caller's. Returns
 * the number of bytes; 0: the other end is closed; -EMSGSIZE: the message was longer, and is lost; -errno.
 */
ssize_t pv_fdpass_receive(int socket, void *data, size_t room, int *fds, size_t *n_fds, int flags);

/* Returns true if the process at the other end of a connected socket belongs to this user. */
bool pv_fdpass_same_user(int socket);

/* Closes descriptors; -1 is skipped. */
void pv_fdpass_close(const int *fds, size_t n);

#endif
