/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data: where the payload is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/trace/reader.h"

struct pv_perfdata {
	bool swapped;
};

bool pv_perfdata_magic(const uint8_t *p, size_t n)
{
	return n >= 8 && (!memcmp(p, "PERFILE2", 8) || !memcmp(p, "2ELIFREP", 8));
}

int pv_perfdata_open(struct pv_trace *t, struct pv_error *e)
{
	return pv_error(e, -ENOTSUP, "perf.data is not read yet");
}

void pv_perfdata_close(struct pv_perfdata *p)
{
	free(p);
}

int pv_perfdata_next(struct pv_trace *t)
{
	return 0;
}
