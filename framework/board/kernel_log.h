/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges the kernel log that a board wrote during a case. A board may be shared, so a report fails the case only if it
 * concerns the case: it names a driver under test, a function of the plan, or the far side as the current task.
 */
#ifndef PV_BOARD_KERNEL_LOG_H
#define PV_BOARD_KERNEL_LOG_H

#include <stdio.h>

#include "framework/target/machine.h"
#include "framework/target/shell.h"
#include "framework/topology/topology.h"

/*
 * Reads the log from byte `from` on, through the far side. *n: its length in bytes, 0: nothing new. The caller frees
 * *text in any case. 0; -EFBIG: more than 4 MiB; -EOPNOTSUPP: the shell has no files; -errno.
 */
int pv_kernel_log_read(struct pv_shell *shell, uint64_t from, char **text, size_t *n);

/*
 * Reports each kernel report (oops, WARNING, lockdep, ...) and the first AER error that concern the case as "kernel",
 * or as "guest" if the kernel has panicked or lacked memory or a module. An oops or panic that does not concern the
 * case is also "guest", as it has damaged the kernel under the driver, and so is a gap in the log (docs/far.md). Prints
 * the first line of every other report and AER error to `notes`. If the case has sent TLPs (`sent`), all AER errors go
 * there, as the case may have provoked them.
 */
void pv_kernel_log_judge(const char *text, size_t n, const struct pv_topology *plan, bool sent, pv_report_fn told,
			 void *ctx, FILE *notes);

#endif
