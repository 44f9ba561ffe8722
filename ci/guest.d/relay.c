/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In a guest that tests use as a board: carries ssh connections, one after the other, over a serial port. Data go in
 * frames, a u16 of their length before them, little-endian; an empty frame ends the connection, and each side says one.
 * Each connection gets a program of its own on its standard streams. Usage: relay TTY PROGRAM [ARGUMENT]...
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define FRAME_MAX 4096

static int tty;

static void check(bool good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

static void read_all(int fd, uint8_t *to, size_t n)
{
	while (n) {
		ssize_t got = read(fd, to, n);

		check(got > 0 || (got < 0 && errno == EINTR), "relay: reading the serial port");
		to += got > 0 ? got : 0;
		n -= got > 0 ? (size_t)got : 0;
	}
}

/* False: the other end is closed. */
static bool write_all(int fd, const uint8_t *from, size_t n)
{
	while (n) {
		ssize_t done = write(fd, from, n);

		if (done < 0 && errno != EINTR)
			return false;
		from += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

static void send_frame(const uint8_t *data, size_t n)
{
	const uint8_t head[2] = {n & 0xff, n >> 8};

	check(write_all(tty, head, 2) && write_all(tty, data, n), "relay: writing to the serial port");
}

static size_t read_frame(uint8_t *data)
{
	uint8_t head[2];

	read_all(tty, head, 2);
	size_t n = head[0] | (size_t)head[1] << 8;
	errno = EMSGSIZE;
	check(n <= FRAME_MAX, "relay: a frame");
	read_all(tty, data, n);
	return n;
}

static int start(char **argv, pid_t *pid)
{
	int pair[2];

	check(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), "relay: socketpair");
	*pid = fork();
	check(*pid >= 0, "relay: fork");
	if (!*pid) {
		dup2(pair[1], 0);
		dup2(pair[1], 1);
		execv(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	close(pair[1]);
	return pair[0];
}

/* Until both sides have said that it ends. */
static void carry(int program)
{
	struct pollfd fds[2] = {{tty, POLLIN, 0}, {program, POLLIN, 0}};
	uint8_t data[FRAME_MAX];

	for (bool in = true, out = true; in || out;) {
		check(poll(fds, 2, -1) > 0 || errno == EINTR, "relay: poll");
		if (in && fds[0].revents) {
			size_t n = read_frame(data);

			if (!n || !write_all(program, data, n))
				shutdown(program, SHUT_WR);
			in = n;
			fds[0].fd = in ? tty : -1;
		}
		if (out && fds[1].revents) {
			ssize_t n = read(program, data, sizeof(data));

			send_frame(data, n > 0 ? (size_t)n : 0);
			out = n > 0;
			fds[1].fd = out ? program : -1;
		}
	}
}

int main(int argc, char **argv)
{
	struct pollfd wait = {.events = POLLIN};
	struct termios raw;
	pid_t pid;

	if (argc < 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	tty = open(argv[1], O_RDWR | O_NOCTTY | O_CLOEXEC);
	check(tty >= 0 && !tcgetattr(tty, &raw), argv[1]);
	cfmakeraw(&raw);
	raw.c_cflag |= CLOCAL;
	check(!tcsetattr(tty, TCSANOW, &raw), argv[1]);
	puts("relay: ready");
	fflush(stdout);
	for (;;) {
		wait.fd = tty;
		check(poll(&wait, 1, -1) > 0 || errno == EINTR, "relay: poll");
		int program = start(argv + 2, &pid);
		carry(program);
		close(program);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}
