/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages with descriptors. */
#include "framework/util/fdpass.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
	struct cmsghdr head; /* for its alignment */
	char room[CMSG_SPACE(PV_FDPASS_MAX * sizeof(int))];
};

int pv_fdpass_send(int socket, const void *data, size_t n, const int *fds, size_t n_fds, int flags)
{
	union control control = {0};
	struct iovec io = {(void *)data, n};
	struct msghdr msg = {.msg_iov = &io, .msg_iovlen = 1};
	ssize_t sent;

	if (n_fds > PV_FDPASS_MAX)
		return -E2BIG;
	if (n_fds) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
		*c = (struct cmsghdr){CMSG_LEN(n_fds * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	}
	do
		sent = sendmsg(socket, &msg, MSG_NOSIGNAL | flags);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)n ? 0 : sent < 0 ? -errno : -EMSGSIZE;
}

static size_t take_fds(struct msghdr *msg, int *fds)
{
	size_t n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), n * sizeof(int));
	}
	return n;
}

ssize_t pv_fdpass_receive(int socket, void *data, size_t room, int *fds, size_t *n_fds, int flags)
{
	union control control;
	struct iovec io = {data, room};
	struct msghdr msg = {
		.msg_iov = &io, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	ssize_t got;

	do
		got = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC | flags);
	while (got < 0 && errno == EINTR);
	*n_fds = got < 0 ? 0 : take_fds(&msg, fds);
	if (got < 0)
		return -errno;
	if (!(msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return got;
	pv_fdpass_close(fds, *n_fds);
	*n_fds = 0;
	return -EMSGSIZE;
}

bool pv_fdpass_same_user(int socket)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);

	return !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &n) && peer.uid == geteuid();
}

void pv_fdpass_close(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}
