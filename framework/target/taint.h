/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The taint of a running kernel (Documentation/admin-guide/tainted-kernels.rst): its bits that mean a bug. Unsigned and
 * out-of-tree modules are none.
 */
#ifndef PV_TARGET_TAINT_H
#define PV_TARGET_TAINT_H

#include "framework/target/machine.h"
#include "framework/target/shell.h"

#define PV_TAINT_FILE "/proc/sys/kernel/tainted"

/* Reads the bits. 0 or -errno. */
int pv_taint_read(struct pv_shell *shell, uint64_t *bits);

/*
 * Reads the bits, and reports each one that means a bug and is not in `before` as "taint". A file that cannot be read
 * is reported as "guest".
 */
void pv_taint_report(struct pv_shell *shell, uint64_t before, pv_report_fn told, void *ctx);

#endif
