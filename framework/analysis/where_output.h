/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text output of selected records, for pv_trace_output(): decode and dump with --where. */
#ifndef PV_ANALYSIS_WHERE_OUTPUT_H
#define PV_ANALYSIS_WHERE_OUTPUT_H

#include "framework/analysis/where.h"
#include "framework/trace/output.h"

struct pv_chosen_output {
	const struct pv_where *where;
	const struct pv_format *format; /* NULL: the dump */
};

/* ctx: const struct pv_chosen_output *. */
pv_output_fn pv_output_chosen;

#endif
