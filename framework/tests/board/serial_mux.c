/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ssh connections over a serial port: the host's end. */
#include "framework/tests/board/serial_mux.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void pv_serial_mux_init(struct pv_serial_mux *c, int serial)
{
	c->client = -1;
	c->serial = serial;
	c->told_end = c->heard_end = true;
	c->to_guest.n = c->to_client.n = c->raw.n = 0;
}

bool pv_serial_mux_is_free(const struct pv_serial_mux *c)
{
	return c->told_end && c->heard_end && c->client < 0;
}

void pv_serial_mux_begin(struct pv_serial_mux *c, int client)
{
	c->client = client;
	c->told_end = c->heard_end = false;
}

/* ---- buffers ---- */

static void drop(struct pv_serial_mux_buffer *b, size_t n)
{
	memmove(b->data, b->data + n, b->n - n);
	b->n -= n;
}

static void add(struct pv_serial_mux_buffer *b, const void *data, size_t n)
{
	/* A frame that ends a connection has no data, not even an address. */
	if (n)
		memcpy(b->data + b->n, data, n);
	b->n += n;
}

/* Sends what it can. False: nobody is there any more. */
static bool flush(struct pv_serial_mux_buffer *b, int fd)
{
	ssize_t n = b->n ? send(fd, b->data, b->n, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	drop(b, (size_t)n);
	return true;
}

/* ---- the two directions ---- */

static void add_frame(struct pv_serial_mux *c, const uint8_t *data, size_t n)
{
	const uint8_t head[2] = {n & 0xff, (uint8_t)(n >> 8)};

	add(&c->to_guest, head, 2);
	add(&c->to_guest, data, n);
}

static void close_client(struct pv_serial_mux *c)
{
	if (c->client >= 0)
		close(c->client);
	c->client = -1;
	c->to_client.n = 0;
	if (!c->told_end)
		add_frame(c, NULL, 0);
	c->told_end = true;
}

static bool has_room(const struct pv_serial_mux *c)
{
	return PV_SERIAL_MUX_ROOM - c->to_guest.n >= 2 * (PV_SERIAL_MUX_FRAME + 2);
}

static void take_from_client(struct pv_serial_mux *c)
{
	uint8_t data[PV_SERIAL_MUX_FRAME];
	ssize_t n = recv(c->client, data, sizeof(data), MSG_DONTWAIT);

	if (n > 0) {
		add_frame(c, data, (size_t)n);
	} else if (!n || (errno != EAGAIN && errno != EINTR)) {
		c->told_end = true;
		add_frame(c, NULL, 0);
	}
}

/* False: the guest says a frame outside of a connection, or one that is too long. */
static bool take_frames(struct pv_serial_mux *c)
{
	while (c->raw.n >= 2) {
		size_t n = c->raw.data[0] | (size_t)c->raw.data[1] << 8;

		if (n > PV_SERIAL_MUX_FRAME || c->heard_end)
			return false;
		if (c->raw.n < 2 + n || PV_SERIAL_MUX_ROOM - c->to_client.n < n)
			return true;
		if (c->client >= 0)
			add(&c->to_client, c->raw.data + 2, n);
		c->heard_end = !n;
		drop(&c->raw, 2 + n);
	}
	return true;
}

static bool take_from_serial(struct pv_serial_mux *c)
{
	ssize_t n = recv(c->serial, c->raw.data + c->raw.n, PV_SERIAL_MUX_ROOM - c->raw.n, MSG_DONTWAIT);

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	c->raw.n += (size_t)n;
	return true;
}

/* ---- both ---- */

short pv_serial_mux_wants_client(const struct pv_serial_mux *c)
{
	return (short)((!c->told_end && has_room(c) ? POLLIN : 0) | (c->to_client.n ? POLLOUT : 0));
}

short pv_serial_mux_wants_serial(const struct pv_serial_mux *c)
{
	return (short)((c->raw.n < PV_SERIAL_MUX_ROOM ? POLLIN : 0) | (c->to_guest.n ? POLLOUT : 0));
}

bool pv_serial_mux_move(struct pv_serial_mux *c, short client_revents, short serial_revents)
{
	if (c->client >= 0 && !c->told_end && has_room(c) && client_revents & (POLLIN | POLLHUP | POLLERR))
		take_from_client(c);
	if (serial_revents & (POLLIN | POLLHUP | POLLERR) && c->raw.n < PV_SERIAL_MUX_ROOM && !take_from_serial(c))
		return false;
	if (!take_frames(c))
		return false;
	if (c->client >= 0 && !flush(&c->to_client, c->client))
		close_client(c);
	if (c->heard_end && !c->to_client.n)
		close_client(c);
	return flush(&c->to_guest, c->serial);
}
