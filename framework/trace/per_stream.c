/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An element for each stream: see per_stream.h. */
#include "framework/trace/per_stream.h"

#include <stdlib.h>
#include <string.h>

void *pv_per_stream(struct pv_per_stream *p, unsigned index)
{
	if (index >= p->n) {
		char *more = realloc(p->of, ((size_t)index + 1) * p->size);

		if (!more)
			return NULL;
		memset(more + p->n * p->size, 0, ((size_t)index + 1 - p->n) * p->size);
		p->of = more;
		p->n = (size_t)index + 1;
	}
	return (char *)p->of + index * p->size;
}
