/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ops and members of the tables. */
#include "framework/far/ops.h"

#include "framework/target/driver.h"
#include "framework/target/machine.h"
#include "framework/target/shell.h"

#define DRIVER(name, flags)                                                \
	{                                                                  \
		PV_FAR_DRIVER, offsetof(struct pv_driver_ops, name), flags \
	}
#define MACHINE(name, flags)                                                 \
	{                                                                    \
		PV_FAR_MACHINE, offsetof(struct pv_machine_ops, name), flags \
	}
#define SHELL(name, flags)                                               \
	{                                                                \
		PV_FAR_SHELL, offsetof(struct pv_shell_ops, name), flags \
	}
#define NEEDED	PV_FAR_NEEDED
#define CHANGES PV_FAR_CHANGES

_Static_assert(PV_FAR_OPS <= 64, "the hello has a bit for each op");

const struct pv_far_member pv_far_members[PV_FAR_OPS] = {
	[PV_FAR_PROBE_STATUS] = DRIVER(probe_status, NEEDED),
	[PV_FAR_PMU_NAME] = DRIVER(pmu_name, NEEDED),
	[PV_FAR_PMU_PARENT] = DRIVER(pmu_parent, 0),
	[PV_FAR_ATTR_READ] = DRIVER(attr_read, NEEDED),
	[PV_FAR_ATTR_WRITE] = DRIVER(attr_write, CHANGES | PV_FAR_UNDOES),
	[PV_FAR_ATTR_LIST] = DRIVER(attr_list, NEEDED),
	[PV_FAR_EVENT_OPEN] = DRIVER(event_open, NEEDED),
	[PV_FAR_EVENT_ENABLE] = DRIVER(event_enable, NEEDED),
	[PV_FAR_EVENT_DISABLE] = DRIVER(event_disable, NEEDED),
	[PV_FAR_EVENT_READ] = DRIVER(event_read, NEEDED),
	[PV_FAR_EVENT_CLOSE] = DRIVER(event_close, NEEDED),
	[PV_FAR_EVENT_TIMES] = DRIVER(event_times, 0),
	[PV_FAR_EVENT_POLL] = DRIVER(event_poll, 0),
	[PV_FAR_EVENT_MMAP] = DRIVER(event_mmap, 0),
	[PV_FAR_EVENT_HOLD] = DRIVER(event_hold, 0),
	[PV_FAR_EVENT_TAKE] = DRIVER(event_take, 0),
	[PV_FAR_EVENT_RECORDS] = DRIVER(event_records, 0),
	[PV_FAR_GET_SIZE] = DRIVER(get_size, NEEDED),
	[PV_FAR_SET_SIZE] = DRIVER(set_size, CHANGES),
	[PV_FAR_SLOT_EVENT] = DRIVER(slot_event, 0),
	[PV_FAR_GONE] = DRIVER(gone, 0),
	[PV_FAR_RESCAN] = DRIVER(rescan, CHANGES),
	[PV_FAR_REMOVE] = DRIVER(remove, CHANGES),
	[PV_FAR_SET_VFS] = DRIVER(set_vfs, CHANGES),
	[PV_FAR_LOG_LINE] = DRIVER(log_line, NEEDED),
	[PV_FAR_PTT_BUFFER] = DRIVER(ptt_buffer, 0),
	[PV_FAR_REG_READ] = MACHINE(reg_read, 0),
	[PV_FAR_REG_WRITE] = MACHINE(reg_write, CHANGES | PV_FAR_UNDOES),
	[PV_FAR_WAIT] = MACHINE(wait, NEEDED),
	[PV_FAR_NOW] = MACHINE(now_ps, 0),
	[PV_FAR_RUN] = SHELL(run, CHANGES | PV_FAR_EXECUTES),
	[PV_FAR_FILE_READ] = SHELL(file_read, 0),
	[PV_FAR_FILE_WRITE] = SHELL(file_write, CHANGES),
	[PV_FAR_MODULE_LOAD] = SHELL(module_load, CHANGES),
	[PV_FAR_MODULE_UNLOAD] = SHELL(module_unload, CHANGES),
};
