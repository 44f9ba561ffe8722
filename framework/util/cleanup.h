/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resources released at the end of their scope: `_autofree_ char *s = strdup(...)`. steal() transfers ownership.
 */
#ifndef PV_UTIL_CLEANUP_H
#define PV_UTIL_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

static inline void pv_freep(void *p)
{
	free(*(void **)p);
}

static inline void pv_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void pv_fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _autofree_   _cleanup_(pv_freep)
#define _autoclose_  _cleanup_(pv_closep)
#define _autofclose_ _cleanup_(pv_fclosep)

#define steal(p)                                 \
	({                                       \
		__typeof__(*(p)) stolen_ = *(p); \
		*(p) = 0;                        \
		stolen_;                         \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
