/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Extracts the byte count that a workload command printed, for known programs. */
#ifndef PV_BOARD_COUNTS_H
#define PV_BOARD_COUNTS_H

#include <stdint.h>

/*
 * `counts` names the program and the number, by a word of the type "counts"; `out` and `err` are its standard output
 * and standard error. 0; -ENOENT: unknown word; -EBADMSG: the output lacks the number.
 */
int pv_counts_read(const char *counts, const char *out, const char *err, uint64_t *bytes);

#endif
