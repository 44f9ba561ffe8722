/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages over a pair of byte streams (ssh, a child process), each preceded by its length, a little-endian u32. */
#ifndef PV_FAR_FRAMES_H
#define PV_FAR_FRAMES_H

#include <stddef.h>
#include <stdint.h>

struct pv_frames {
	int in, out;
	int timeout_ms; /* without a byte; -1: no limit */
};

/*
 * Reads one message. Returns its length, 0 for an empty one, or -errno: -EPIPE at the end of the stream, -ETIMEDOUT,
 * -EMSGSIZE if it is longer than `room`.
 */
int64_t pv_frames_read(const struct pv_frames *f, void *message, size_t room);
int pv_frames_write(const struct pv_frames *f, const void *message, size_t n);
/* A pv_far_exchange_fn; ctx is a struct pv_frames. */
int64_t pv_frames_exchange(void *frames, const void *request, size_t n, void *answer, size_t room);

#endif
