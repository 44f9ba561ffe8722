/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The targets "local" and "ssh:HOST": a real machine with the drivers of its kernel, asked through pcieval-far. The
 * descriptors that lead to it stand in the case message ("far": {"streams": [...]}, docs/protocol.md); the runner,
 * which keeps it from case to case (line.h), has matched the plan's topology with the machine (match.h). Nobody knows
 * what is on its links and nothing sends traffic: no truth, no workload, unless the message names a tap ("tap": its
 * socket; framework/tap). The far side is started read-only, and refuses what would change the machine.
 */
#ifndef PV_BOARD_BOARD_H
#define PV_BOARD_BOARD_H

#include "framework/target/target.h"

extern const struct pv_target_ops pv_target_local, pv_target_ssh;

#endif
