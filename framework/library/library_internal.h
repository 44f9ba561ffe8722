/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reader of the library, for its files. */
#ifndef PV_LIBRARY_INTERNAL_H
#define PV_LIBRARY_INTERNAL_H

#include "framework/analysis/stat_bars.h"
#include "framework/analysis/where.h"
#include "framework/library/pcieval.h"
#include "framework/trace/trace.h"

struct pcieval_trace {
	struct pv_trace *reader;
	struct pv_where where;
	struct pv_trace_record record; /* the last one; its stream is NULL before the first */
	bool is_read;		       /* a record was asked for, or all were counted */
	struct pv_stat_bar *bars;      /* n_bars, in any order */
	size_t n_bars;
	pcieval_problem_fn *problem;
	void *ctx;
};

/* `out` may be NULL. */
void pv_library_error(struct pcieval_error *out, const struct pv_error *e);

#endif
