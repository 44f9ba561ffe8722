/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of `pcieval bench` that measures pcieval mps. */
#ifndef PV_CLI_BENCH_MPS_H
#define PV_CLI_BENCH_MPS_H

/* Prints the figures; an exit status. */
int pv_bench_mps(void);

#endif
