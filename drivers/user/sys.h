/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The public interface of the reference driver in user space. It offers what Linux offers through event_source, perf
 * and the PCI core: PMUs with attribute files, events that are opened, enabled, read and closed, AUX data, MPS and
 * MRRS. Names, paths, text and errno values are those of the Linux ABI (docs/hardware-notes.md), so that a plan judges
 * this driver and the kernel's alike.
 */
#ifndef PV_USER_SYS_H
#define PV_USER_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/regs/mps.h"
#include "drivers/user/bus.h"
#include "drivers/user/event_attr.h"

struct pv_sys;
struct pv_event;

/*
 * Boots the driver on a machine: finds every function (buses from 0 on, through the bridges), applies the
 * MPS/MRRS policy in the two steps of Linux, and registers the PMUs. The bus must outlive it.
 * A refused device gets no PMU; pv_sys_probe_status() returns the reason. NULL: no memory, or no such policy.
 */
struct pv_sys *pv_sys_boot(const struct pv_bus *bus, enum pv_mps_policy policy);
/* Closes open events, puts the devices into their idle state, and frees the system. */
void pv_sys_shutdown(struct pv_sys *sys);

/*
 * Returns the result of probing the device `bdf` (CXL: its instance `n`; others: n = 0): 0, or -errno with the reason
 * in *why (valid until shutdown). -ENOENT: no driver matches.
 */
int pv_sys_probe_status(const struct pv_sys *sys, pv_bdf bdf, unsigned n, const char **why);

/* Hot-plug, as the PCI core would notify it. */
/*
 * Tells that a device is in the slot of `port`, as pciehp does: the policy is applied to each function found, then to
 * the slot's bus as a whole. -ENODEV: no such port, no hot-plug capable slot, or nothing there.
 */
int pv_sys_device_plugged(struct pv_sys *sys, pv_bdf port);
/* Removes a function, its VFs and all functions below it, like "remove" in sysfs. -ENODEV: there is none. */
int pv_sys_device_removed(struct pv_sys *sys, pv_bdf bdf);
/* Tells that the device of function `bdf` left its slot: all its functions are removed. -ENODEV: none is known. */
int pv_sys_device_gone(struct pv_sys *sys, pv_bdf bdf);
/*
 * Enables the first n VFs of the physical function `pf`, as a write to sriov_numvfs does, and makes them bus masters,
 * as their drivers do; 0 disables all. -ENODEV: no such function, -ENOENT: no SR-IOV capability, -ERANGE: it has fewer,
 * -EBUSY: another number is enabled.
 */
int pv_sys_set_vfs(struct pv_sys *sys, pv_bdf pf, unsigned n);
int pv_sys_rescan(struct pv_sys *sys); /* finds new functions anywhere; only step 1 of the policy is applied to them */

/*
 * Takes a CPU of the machine off line, or on line again, as a write to its file `online` does. PMUs that count on it
 * move to another one with their events. -EINVAL: no such CPU, -EBUSY: it is the last.
 */
int pv_sys_cpu_online(struct pv_sys *sys, unsigned cpu, bool online);

/*
 * Suspends the system and resumes it: each function goes to D3hot and back, and its header and standard capabilities
 * are restored. Events stay open; what their registers lose is not counted. asleep(ctx) is called, unless it is NULL,
 * when all are in D3hot. 0 or -ENOMEM.
 */
int pv_sys_suspend(struct pv_sys *sys, void (*asleep)(void *ctx), void *ctx);

/* Returns the name of PMU number `n` in the order of registration; NULL: beyond the last. */
const char *pv_sys_pmu_name(const struct pv_sys *sys, size_t n);
/* Finds the function that a PMU belongs to (Linux: the parent of its device in sysfs). 0 or -ENODEV. */
int pv_sys_pmu_parent(const struct pv_sys *sys, const char *pmu, pv_bdf *bdf);

/*
 * Attribute files of a PMU: `path` is relative to its folder ("tune/qos_tx_p", "format/filter",
 * "events/clock_ticks", "root_port_filters/0000:00:10.0", "cpumask", "type").
 * read: text without the newline, length or -errno (-ENODEV no such PMU, -ENOENT no such file).
 * write: `text` may have a trailing newline; 0 or -errno.
 * list: calls fn for each entry of folder `dir` ("" is the PMU's own), sorted; 0 or -errno.
 */
int pv_sys_attr_read(struct pv_sys *sys, const char *pmu, const char *path, char *buf, size_t size);
int pv_sys_attr_write(struct pv_sys *sys, const char *pmu, const char *path, const char *text);
int pv_sys_attr_list(struct pv_sys *sys, const char *pmu, const char *dir, void (*fn)(void *ctx, const char *name),
		     void *ctx);

/* Both functions check and reserve, but do not start. 0 or -errno. */
/*
 * Opens an event of a PMU. If attr.type is not this PMU's, `pmu` is ignored and each PMU is tried; -ENOENT: none
 * accepts the event.
 */
int pv_event_open(struct pv_sys *sys, const char *pmu, const struct pv_event_attr *attr, pv_aux_fn aux, void *aux_ctx,
		  struct pv_event **out);
/* Opens as a member of `leader`'s group: enabled, disabled and read together. */
int pv_event_open_group(struct pv_sys *sys, const char *pmu, const struct pv_event_attr *attr, struct pv_event *leader,
			struct pv_event **out);
int pv_event_enable(struct pv_event *ev);  /* a leader: the whole group, atomically where the hardware can */
int pv_event_disable(struct pv_event *ev); /* PTT: hands the last buffer over before it returns */
int pv_event_read(struct pv_event *ev, uint64_t *value);
void pv_event_close(struct pv_event *ev);

#define PV_SYS_POLL_NS 50000000u
/*
 * Brings the totals of all running counters up to date, so that wraps of hardware counters without an overflow
 * interrupt (DWC lane events of up to 32 bits; some CPMUs) are not missed while nobody reads. Call it each
 * PV_SYS_POLL_NS: ample for 32 bits on any link. Readers see no other change.
 */
void pv_sys_poll(struct pv_sys *sys);
uint64_t pv_sys_poll_due_ns(const struct pv_sys *sys); /* PV_SYS_POLL_NS after the last call, delays included */

/* MPS and MRRS of one function, in bytes, as pcie_get_mps() and friends. */
int pv_sys_get_mps(struct pv_sys *sys, pv_bdf bdf);
int pv_sys_set_mps(struct pv_sys *sys, pv_bdf bdf, int bytes);
int pv_sys_get_mrrs(struct pv_sys *sys, pv_bdf bdf);
int pv_sys_set_mrrs(struct pv_sys *sys, pv_bdf bdf, int bytes);

/*
 * Size of each of the four PTT DMA buffers, for PTTs that have no trace open: a multiple of 32, from 4 KiB
 * to 128 MiB; 4 MiB at first, as under Linux. An AUX area must hold four of them. 0, -EINVAL, or -EBUSY.
 */
int pv_sys_set_ptt_buffer_bytes(struct pv_sys *sys, uint32_t bytes);

/* Warnings and errors that the driver logged since boot, oldest first; NULL beyond the last. */
const char *pv_sys_log_line(const struct pv_sys *sys, size_t n);

#endif
