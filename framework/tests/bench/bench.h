/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of pcieval-bench that are measured by themselves. */
#ifndef PV_TESTS_BENCH_H
#define PV_TESTS_BENCH_H

#include "framework/util/error.h"

/* Prints the figures of the trace tools; an enum pv_exit. */
int bench_trace(void);
/* Prints the figures of `pcieval mps`; an enum pv_exit. */
int bench_mps(void);

#endif
