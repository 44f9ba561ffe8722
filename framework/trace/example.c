/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library in use, as docs/trace.md shows it: when and where a function wrote. Usage: trace_example FILE BB:DD.F */
#include <inttypes.h>
#include <stdio.h>

#include "framework/trace/trace.h"

static void problem(void *ctx, const struct pv_trace_problem *p)
{
	fprintf(stderr, "%s: at %" PRIu64 ": %s\n", (const char *)ctx, p->file_offset, p->what);
}

int main(int argc, char **argv)
{
	struct pv_trace_options options = {.problem = problem, .ctx = argv[1]};
	struct pv_trace_record r;
	struct pv_error e;
	struct pv_trace *t;
	unsigned bus, device, function;
	int more;

	if (argc != 3 || sscanf(argv[2], "%x:%x.%x", &bus, &device, &function) != 3)
		return 2;
	t = pv_trace_open(argv[1], &options, &e);
	if (!t) {
		fprintf(stderr, "%s\n", e.text);
		return 2;
	}
	while ((more = pv_trace_next(t, &r)) > 0) {
		const struct pv_tlp *tlp = &r.record.tlp;

		if ((tlp->kind == PV_TLP_MWR32 || tlp->kind == PV_TLP_MWR64) &&
		    tlp->requester == (bus << 8 | device << 3 | function))
			printf("%" PRIu64 " 0x%" PRIx64 " %u\n", r.time, tlp->address, 4 * tlp->length_dw);
	}
	more = more || pv_trace_problems(t);
	pv_trace_close(t);
	return more ? 1 : 0;
}
