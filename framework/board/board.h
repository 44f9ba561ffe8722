/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The targets "local" and "ssh:HOST": a real machine with the drivers of its kernel, accessed through pcieval-far. The
 * case message has the descriptors of the far side ("far": {"streams": [...]}, docs/protocol.md). The runner keeps the
 * far side from case to case (line.h) and has matched the plan's topology with the machine (match.h). The target has
 * neither truth nor workload, as nothing observes its links or sends traffic, unless the message names the socket of a
 * tap ("tap"; framework/tap). The far side runs with --read-only, or with --undo for <writes/> and --allow-unbind.
 */
#ifndef PV_BOARD_BOARD_H
#define PV_BOARD_BOARD_H

#include "drivers/regs/mps.h"
#include "framework/target/target.h"

extern const struct pv_target_ops pv_target_local, pv_target_ssh;

#define PV_BOARD_POLICY_UNKNOWN                                                                                  \
	"the kernel's MPS policy is unknown: neither pci=pcie_bus_* on its command line, nor its configuration " \
	"(/proc/config.gz, /boot/config-RELEASE)"

/*
 * Finds the MPS policy of a kernel from its command line (Documentation/admin-guide/kernel-parameters.txt, pci=), else
 * from its configuration: the fact "MPS policy built in" of its environment, NULL or "": unknown. False: unknown.
 */
bool pv_board_policy_of(const char *cmdline, const char *built_in, enum pv_mps_policy *policy);

#endif
