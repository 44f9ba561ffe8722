/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An array with an element for each stream of a trace, which grows as streams are met. */
#ifndef PV_TRACE_PER_STREAM_H
#define PV_TRACE_PER_STREAM_H

#include <stddef.h>

struct pv_per_stream {
	size_t size; /* of an element: set it; the rest begins as 0 */
	void *of;    /* the elements; free() it */
	size_t n;
};

/* The element of a stream, all zero when it is new; until the next call. NULL: no memory. */
void *pv_per_stream(struct pv_per_stream *p, unsigned index);

#endif
