/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target: the object of a case. It combines four tables: the machine, the driver under test, the workload, and the
 * truth to judge by; an operating system adds a fifth, its shell. The steps of a case (framework/agent) use only these.
 */
#ifndef PV_TARGET_TARGET_H
#define PV_TARGET_TARGET_H

#include <json-c/json.h>

#include "framework/target/commands.h"
#include "framework/target/driver.h"
#include "framework/target/machine.h"
#include "framework/target/shell.h"
#include "framework/target/truth.h"
#include "framework/target/workload.h"
#include "framework/topology/topology.h"
#include "framework/util/error.h"

struct pv_target {
	const struct pv_target_ops *ops;
	const struct pv_topology *topology;
	struct pv_machine *machine;
	struct pv_driver *driver;
	struct pv_workload *workload; /* NULL: nothing can act on the hardware from outside */
	struct pv_truth *truth;	      /* NULL: only the driver sees the hardware */
	struct pv_commands *commands; /* NULL: there are no workload commands */
	struct pv_shell *shell;	      /* NULL: no operating system, or it is not booted */
	double ptt_tick_hz;	      /* ticks a second in Time of a PTT's records; 0: unknown */
};

struct pv_target_ops {
	const char *name, *help;
	const char *const *drivers; /* names of drivers that it can test, ended by NULL; NULL: any */
	/*
	 * -EOPNOTSUPP: the target cannot have such a machine. Opens from the case message (topology, seed, driver,
	 * defects, folder) and fills the four tables in.
	 */
	int (*open)(struct pv_target **out, json_object *case_msg, struct pv_error *e);
	void (*close)(struct pv_target *t); /* restores everything first */
};

#endif
