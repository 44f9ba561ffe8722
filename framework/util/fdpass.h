/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages with descriptors between processes of one machine (unix(7), SCM_RIGHTS). */
#ifndef PV_UTIL_PASS_H
#define PV_UTIL_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PV_PASS_FDS 16

/* Sends n > 0 bytes and n_fds <= PV_PASS_FDS descriptors, as one message where the socket has messages. 0 or -errno. */
int pv_pass_send(int socket, const void *data, size_t n, const int *fds, size_t n_fds, int flags);

/*
 * Receives up to `room` bytes. fds has room for PV_PASS_FDS descriptors, which become the caller's, closed on exec.
 * Bytes; 0: the other end is closed; -EMSGSIZE: there was more, which is lost; -errno.
 */
ssize_t pv_pass_receive(int socket, void *data, size_t room, int *fds, size_t *n_fds, int flags);

/* Does the process at the other end of a connected socket belong to this user? */
bool pv_pass_same_user(int socket);

/* Closes descriptors, of which -1 are none. */
void pv_pass_close(const int *fds, size_t n);

#endif
