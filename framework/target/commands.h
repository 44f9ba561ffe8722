/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workload commands of a real machine: programs that move data over a link, and print the amount. */
#ifndef PV_TARGET_COMMANDS_H
#define PV_TARGET_COMMANDS_H

#include <stdint.h>

#include "drivers/regs/pcie.h"
#include "framework/util/error.h"

#define PV_COMMAND_CPU 0xffffffffu /* from the CPU, or to host memory */

struct pv_command_result {
	uint64_t bytes; /* as the program counted them */
	double seconds; /* from its start to its end */
};

struct pv_commands {
	const struct pv_commands_ops *ops;
	double tolerance; /* between counters and programs, as a share */
};

struct pv_commands_ops {
	/*
	 * Runs the command that moves data from one to the other, to its end. 0; -ENOENT: there is none; -EPERM:
	 * programs are not allowed; otherwise it failed. *e has the message.
	 */
	int (*run)(struct pv_commands *c, pv_bdf from, pv_bdf to, struct pv_command_result *out, struct pv_error *e);
};

#endif
