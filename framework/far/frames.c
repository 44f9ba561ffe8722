/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Framed messages. */
#include "framework/far/frames.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "framework/far/bytes.h"
#include "framework/util/file.h"

/* Waits until there is something to read. */
static int await(const struct pv_frames *f)
{
	struct pollfd fd = {.fd = f->in, .events = POLLIN};

	for (;;) {
		int n = poll(&fd, 1, f->timeout_ms);

		if (n >= 0)
			return n ? 0 : -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

static int read_all(const struct pv_frames *f, uint8_t *to, size_t n)
{
	while (n) {
		int err = await(f);
		ssize_t got = err ? 0 : read(f->in, to, n);

		if (err)
			return err;
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EPIPE;
		to += got;
		n -= (size_t)got;
	}
	return 0;
}

int64_t pv_frames_read(const struct pv_frames *f, void *message, size_t room)
{
	uint8_t head[4];
	struct pv_get g = {.at = head, .left = sizeof(head)};
	int err = read_all(f, head, sizeof(head));
	uint32_t n = pv_get_u32(&g);

	if (err)
		return err;
	if (n > room)
		return -EMSGSIZE;
	err = read_all(f, message, n);
	return err ? err : (int64_t)n;
}

int pv_frames_write(const struct pv_frames *f, const void *message, size_t n)
{
	uint8_t head[4];
	struct pv_put p = {.at = head, .room = sizeof(head)};
	int err;

	pv_put_u32(&p, (uint32_t)n);
	err = pv_write_all(f->out, head, sizeof(head));
	return err ? err : pv_write_all(f->out, message, n);
}

int64_t pv_frames_exchange(void *frames, const void *request, size_t n, void *answer, size_t room)
{
	int err = pv_frames_write(frames, request, n);

	/* A peer that closed its input may have sent the reason before. */
	return err && err != -EPIPE ? err : pv_frames_read(frames, answer, room);
}
