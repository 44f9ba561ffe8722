/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel of a board logs during a case, and whether it fails the case. A board may be shared, so that a report
 * has to concern the case: it names a driver under test or a function of the plan, or the far side was running when it
 * happened.
 */
#ifndef PV_BOARD_KERNEL_LOG_H
#define PV_BOARD_KERNEL_LOG_H

#include <stdio.h>

#include "framework/target/machine.h"
#include "framework/target/shell.h"
#include "framework/topology/topology.h"

/*
 * The log from byte `from` of what the far side has of it, or NULL: nothing new, or it cannot be read. *n: its bytes.
 */
char *pv_kernel_log_read(struct pv_shell *shell, uint64_t from, size_t *n);

/*
 * Tells each report (oops, WARNING, lockdep, ...) and the first AER error that concern the case as "kernel", an oops
 * that does not as "guest": the kernel that the driver runs in is damaged. Prints the first line of all other reports
 * to `notes`, of AER errors, too, when the case has sent TLPs (`sent`): it may have asked for them.
 */
void pv_kernel_log_judge(const char *text, size_t n, const struct pv_topology *plan, bool sent, pv_report_fn told,
			 void *ctx, FILE *notes);

#endif
