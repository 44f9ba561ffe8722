/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of `pcieval bench` that measures the trace tools. */
#ifndef PV_CLI_BENCH_TRACE_H
#define PV_CLI_BENCH_TRACE_H

/* Prints the figures; an exit status. */
int pv_bench_trace(void);

#endif
