/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connections over a serial port: data both ways, who ends them, the next one, and a guest that says nonsense. */
#include <criterion/criterion.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "framework/tests/board/serial_mux.h"

static struct pv_serial_mux c;
static int guest, user; /* the other ends */

static int pair_with(int *other)
{
	int pair[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	*other = pair[1];
	return pair[0];
}

static void begin(void)
{
	cr_assert(pv_serial_mux_is_free(&c));
	pv_serial_mux_begin(&c, pair_with(&user));
}

static void setup(void)
{
	pv_serial_mux_init(&c, pair_with(&guest));
}

TestSuite(serial_mux, .init = setup, .timeout = 20);

/* Runs the multiplexer like its owner, until nothing is left to do. False: it gave up. */
static bool run(void)
{
	struct pollfd fds[2];

	for (;;) {
		fds[0] = (struct pollfd){c.client, pv_serial_mux_wants_client(&c), 0};
		if (!fds[0].events)
			fds[0].fd = -1;
		fds[1] = (struct pollfd){c.serial, pv_serial_mux_wants_serial(&c), 0};
		if (poll(fds, 2, 20) <= 0)
			return true;
		if (!pv_serial_mux_move(&c, fds[0].revents, fds[1].revents))
			return false;
	}
}

static void say(int fd, const void *data, size_t n)
{
	cr_assert_eq(send(fd, data, n, MSG_NOSIGNAL), (ssize_t)n);
}

static void expect(int fd, const void *data, size_t n)
{
	static char got[65536];
	ssize_t have = recv(fd, got, sizeof(got), MSG_DONTWAIT);

	cr_assert_eq(have, (ssize_t)n);
	cr_expect_eq(memcmp(got, data, n), 0);
}

static void expect_end(int fd)
{
	char byte;

	cr_expect_eq(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
}

Test(serial_mux, data_go_in_frames)
{
	begin();
	say(user, "hello", 5);
	cr_assert(run());
	expect(guest, "\5\0hello", 7);
	say(guest, "\3\0a", 3); /* in pieces */
	cr_assert(run());
	say(guest, "bc\2\0de", 6);
	cr_assert(run());
	expect(user, "abcde", 5);
}

Test(serial_mux, the_user_ends_it)
{
	begin();
	close(user);
	cr_assert(run());
	expect(guest, "\0\0", 2);
	cr_expect_not(pv_serial_mux_is_free(&c), "the guest has not said that it ended");
	say(guest, "\1\0x\0\0", 5);
	cr_assert(run());
	cr_expect(pv_serial_mux_is_free(&c));
	begin();
	say(user, "y", 1);
	cr_assert(run());
	expect(guest, "\1\0y", 3);
}

Test(serial_mux, the_guest_ends_it)
{
	begin();
	say(guest, "\3\0bye\0\0", 7);
	cr_assert(run());
	expect(user, "bye", 3);
	expect_end(user);
	expect(guest, "\0\0", 2);
	cr_expect(pv_serial_mux_is_free(&c));
}

/* A guest that takes nothing for a while, and gets all of it. */
Test(serial_mux, a_guest_that_is_slow)
{
	static char data[300000], got[300000 + 4096];
	size_t sent = 0, n = 0;

	begin();
	memset(data, 'z', sizeof(data));
	while (sent < sizeof(data) || n < sizeof(data)) {
		ssize_t more = sent < sizeof(data) ? send(user, data + sent, sizeof(data) - sent, MSG_DONTWAIT) : 0;
		uint8_t head[2];

		sent += more > 0 ? (size_t)more : 0;
		cr_assert(run());
		while (recv(guest, head, 2, MSG_DONTWAIT) == 2) {
			size_t frame = head[0] | (size_t)head[1] << 8;

			for (size_t have = 0; have < frame;) {
				ssize_t part = recv(guest, got + n + have, frame - have, MSG_DONTWAIT);

				if (part < 0)
					cr_assert(run());
				have += part > 0 ? (size_t)part : 0;
			}
			n += frame;
		}
	}
	cr_expect_eq(n, sizeof(data));
	cr_expect_eq(memcmp(got, data, sizeof(data)), 0);
}

Test(serial_mux, a_guest_that_says_nonsense)
{
	say(guest, "\1\0x", 3);
	cr_expect_not(run(), "outside of a connection");
	setup();
	begin();
	say(guest, "\xff\xff", 2);
	cr_expect_not(run(), "a frame that is too long");
	setup();
	close(guest);
	cr_expect_not(run(), "it is gone");
}
