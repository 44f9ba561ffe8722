/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard streams to and from a socket. */
#include "framework/tests/board/connect.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"

/* Copies what is there: 0 at the end, or -1. */
static ssize_t copy(int from, int to)
{
	char data[16384];
	ssize_t n = read(from, data, sizeof(data));

	return n > 0 && pv_write_all(to, data, (size_t)n) ? -1 : n;
}

static void carry(int fd)
{
	struct pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}, {fd, POLLIN, 0}};

	while (poll(fds, 2, -1) > 0 || errno == EINTR) {
		if (fds[1].revents && copy(fd, STDOUT_FILENO) <= 0)
			return;
		if (fds[0].revents && copy(STDIN_FILENO, fd) <= 0) {
			shutdown(fd, SHUT_WR);
			fds[0].fd = -1;
		}
	}
}

int pv_board_vm_connect(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	_autoclose_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(at.sun_path)) {
		fprintf(stderr, "board-vm: %s: expected a path of less than %zu bytes\n", path, sizeof(at.sun_path));
		return 1;
	}
	strcpy(at.sun_path, path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at))) {
		fprintf(stderr, "board-vm: %s: %s\n", path, strerror(errno));
		return 1;
	}
	carry(fd);
	return 0;
}
