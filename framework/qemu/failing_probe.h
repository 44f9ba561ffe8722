/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes of a driver whose allocations fail, by the kernel's fault injection. */
#ifndef PV_QEMU_FAILING_PROBE_H
#define PV_QEMU_FAILING_PROBE_H

#include "drivers/regs/pcie.h"
#include "framework/target/machine.h"
#include "framework/target/shell.h"

/*
 * Unbinds the driver of `pmu`, a PMU of the function `parent`, and binds it again and again. In the n-th probe, the
 * n-th allocation fails, be it the driver's or the driver core's, up to the first probe that has no n-th allocation:
 * first of those from slabs, then of those of pages. *failed: allocations that failed; *refused: probes that returned
 * an error for it. With a `loader`, which has modules, the driver's module is unloaded and loaded instead, and what its
 * init allocates fails, with its probes.
 *
 * 0, or -errno of the last probe, in which nothing failed; the driver is bound again, also after an error. -ENOTSUP:
 * the kernel has no fail-nth, or no failslab with a stack trace filter; nothing was unbound. -ENODEV: no driver is
 * known for this PMU, or the kernel has no symbols. -ENOENT: the driver is not loaded. -E2BIG: there is no end.
 * Document: Documentation/fault-injection/fault-injection.rst.
 */
int pv_failing_probes(struct pv_shell *shell, const char *pmu, pv_bdf parent, struct pv_machine *loader,
		      unsigned *failed, unsigned *refused);

#endif
