/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many bytes a workload command says that it moved, for the programs whose output is known. */
#ifndef PV_BOARD_COUNTS_H
#define PV_BOARD_COUNTS_H

#include <stdint.h>

/*
 * `counts`: what of which program, one of the words of the type "counts"; `out`, `err`: what it wrote. 0; -ENOENT: no such program; -EBADMSG: the
 * number is not there.
 */
int pv_counts_read(const char *counts, const char *out, const char *err, uint64_t *bytes);

#endif
