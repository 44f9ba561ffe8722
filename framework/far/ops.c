/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ops and members of the tables. */
#include "framework/far/ops.h"

#include "framework/target/driver.h"
#include "framework/target/machine.h"
#include "framework/target/shell.h"

#define DRIVER(name, need)                                                \
	{                                                                 \
		PV_FAR_DRIVER, offsetof(struct pv_driver_ops, name), need \
	}
#define MACHINE(name, need)                                                 \
	{                                                                   \
		PV_FAR_MACHINE, offsetof(struct pv_machine_ops, name), need \
	}
#define SHELL(name)                                                      \
	{                                                                \
		PV_FAR_SHELL, offsetof(struct pv_shell_ops, name), false \
	}

_Static_assert(PV_FAR_OPS <= 64, "the hello has a bit for each op");

const struct pv_far_member pv_far_members[PV_FAR_OPS] = {
	[PV_FAR_PROBE_STATUS] = DRIVER(probe_status, true),
	[PV_FAR_PMU_NAME] = DRIVER(pmu_name, true),
	[PV_FAR_PMU_PARENT] = DRIVER(pmu_parent, false),
	[PV_FAR_ATTR_READ] = DRIVER(attr_read, true),
	[PV_FAR_ATTR_WRITE] = DRIVER(attr_write, true),
	[PV_FAR_ATTR_LIST] = DRIVER(attr_list, true),
	[PV_FAR_EVENT_OPEN] = DRIVER(event_open, true),
	[PV_FAR_EVENT_ENABLE] = DRIVER(event_enable, true),
	[PV_FAR_EVENT_DISABLE] = DRIVER(event_disable, true),
	[PV_FAR_EVENT_READ] = DRIVER(event_read, true),
	[PV_FAR_EVENT_CLOSE] = DRIVER(event_close, true),
	[PV_FAR_EVENT_TIMES] = DRIVER(event_times, false),
	[PV_FAR_EVENT_HOLD] = DRIVER(event_hold, false),
	[PV_FAR_EVENT_TAKE] = DRIVER(event_take, false),
	[PV_FAR_EVENT_RECORDS] = DRIVER(event_records, false),
	[PV_FAR_GET_SIZE] = DRIVER(get_size, true),
	[PV_FAR_SET_SIZE] = DRIVER(set_size, true),
	[PV_FAR_SLOT_EVENT] = DRIVER(slot_event, false),
	[PV_FAR_GONE] = DRIVER(gone, false),
	[PV_FAR_RESCAN] = DRIVER(rescan, false),
	[PV_FAR_REMOVE] = DRIVER(remove, false),
	[PV_FAR_LOG_LINE] = DRIVER(log_line, true),
	[PV_FAR_PTT_BUFFER] = DRIVER(ptt_buffer, false),
	[PV_FAR_REG_READ] = MACHINE(reg_read, false),
	[PV_FAR_REG_WRITE] = MACHINE(reg_write, false),
	[PV_FAR_WAIT] = MACHINE(wait, true),
	[PV_FAR_NOW] = MACHINE(now_ps, false),
	[PV_FAR_RUN] = SHELL(run),
	[PV_FAR_FILE_READ] = SHELL(file_read),
	[PV_FAR_FILE_WRITE] = SHELL(file_write),
	[PV_FAR_MODULE_LOAD] = SHELL(module_load),
	[PV_FAR_MODULE_UNLOAD] = SHELL(module_unload),
};
