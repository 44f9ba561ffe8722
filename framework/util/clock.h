/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time that passes, for limits of waits. */
#ifndef PV_UTIL_CLOCK_H
#define PV_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds from some moment on; goes on evenly whatever is done to the date. */
static inline int64_t pv_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#endif
