/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A monotonic clock, for timeouts. */
#ifndef PV_UTIL_CLOCK_H
#define PV_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns milliseconds of CLOCK_MONOTONIC: changes of the date do not affect it. */
static inline int64_t pv_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#endif
