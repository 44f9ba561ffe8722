/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver under test: the interface that Linux exposes through event_source, perf_event_open(2) and the PCI core.
 * Names, paths, text and errno values are those of the Linux ABI. Implementations: the reference driver, in process
 * (reference.c); a running Linux through sysfs and perf (framework/linux); a remote Linux through the protocol
 * (framework/far).
 */
#ifndef PV_TARGET_DRIVER_H
#define PV_TARGET_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/regs/pcie.h"

/* Bits of struct pv_perf_attr's `exclude`: exclude_user and so on. */
enum pv_perf_exclude {
	PV_PERF_EXCLUDE_USER,
	PV_PERF_EXCLUDE_KERNEL,
	PV_PERF_EXCLUDE_HV,
	PV_PERF_EXCLUDE_IDLE,
	PV_PERF_EXCLUDE_HOST,
	PV_PERF_EXCLUDE_GUEST,
};

/* The relevant fields of perf_event_attr. */
struct pv_perf_attr {
	uint64_t config, config1, config2;
	uint32_t type; /* 0: the PMU's own type; else the type of another PMU, or an unused one */
	bool on_cpu;   /* open on `cpu`, regardless of the PMU's cpumask; else on its first CPU */
	uint32_t cpu;
	bool per_task, sampling;
	bool pinned;	     /* always on a counter, or in error: no turns */
	uint32_t exclude;    /* 1 << enum pv_perf_exclude */
	bool aux;	     /* with an AUX area ... */
	uint64_t aux_bytes;  /* ... of this size (0: 16 MiB) */
	bool aux_overwrite;  /* snapshot mode */
	uint32_t aux_action; /* PV_PERF_AUX_START_PAUSED and so on */
};

/* perf_event_attr.aux_action. */
#define PV_PERF_AUX_START_PAUSED 0x1u
#define PV_PERF_AUX_PAUSE	 0x2u
#define PV_PERF_AUX_RESUME	 0x4u
#define PV_PERF_AUX_ACTIONS	 0x7u

/* Flags of an AUX commit, as in PERF_RECORD_AUX. */
#define PV_PERF_AUX_TRUNCATED 0x01u /* data was lost: overrun, or no room */
#define PV_PERF_AUX_OVERWRITE 0x02u /* snapshot: the newest data of a circular buffer */
#define PV_PERF_AUX_PARTIAL   0x04u /* has gaps */
#define PV_PERF_AUX_COLLISION 0x08u
/* Not a kernel flag: a PERF_RECORD_LOST came before, so AUX records (with their data and flags) are missing. */
#define PV_PERF_AUX_LOST      0x10000u

/*
 * Receives AUX data in the order of commits. `len` may be 0 with flags set. Return non-zero if there is no room: the
 * data is lost, or stays in the AUX area until that is full, depending on the driver.
 */
typedef int (*pv_perf_aux_fn)(void *ctx, const void *data, size_t len, uint32_t flags);

/* Records of an event's buffer so far, by kind. */
struct pv_perf_records {
	uint64_t aux, itrace_start, lost, other;
	uint64_t lost_records; /* sum of the LOST records */
};

struct pv_perf_event; /* opaque: each driver defines its own */

struct pv_driver {
	const struct pv_driver_ops *ops;
};

/* Members may be NULL only where noted. */
struct pv_driver_ops {
	/*
	 * Returns the result of probing the device `bdf` (CXL: its instance `n`; others: n = 0): 0, or -errno with the
	 * reason in *why, valid until the next call. -ENOENT: no driver matches, or there is no such device.
	 */
	int (*probe_status)(struct pv_driver *d, pv_bdf bdf, unsigned n, const char **why);

	/* Returns the i-th PMU in the order of registration; NULL after the last. Valid until the next call. */
	const char *(*pmu_name)(struct pv_driver *d, size_t n);
	/*
	 * Finds the function that a PMU belongs to: the parent of its device in sysfs. 0 or -ENODEV. NULL: unsupported.
	 */
	int (*pmu_parent)(struct pv_driver *d, const char *pmu, pv_bdf *bdf);
	/*
	 * Attribute files of a PMU, by path below its folder ("format/filter"). read: returns the length of the text
	 * without its newline, or -errno; write: 0 or -errno; list: calls fn for each entry of folder `dir` ("": the
	 * PMU's), sorted.
	 */
	int (*attr_read)(struct pv_driver *d, const char *pmu, const char *path, char *buf, size_t size);
	int (*attr_write)(struct pv_driver *d, const char *pmu, const char *path, const char *text);
	int (*attr_list)(struct pv_driver *d, const char *pmu, const char *dir, void (*fn)(void *, const char *),
			 void *ctx);

	/* Checks and reserves, but does not start. `leader`: open as a member of its group. 0 or -errno. */
	int (*event_open)(struct pv_driver *d, const char *pmu, const struct pv_perf_attr *attr,
			  struct pv_perf_event *leader, pv_perf_aux_fn aux, void *aux_ctx, struct pv_perf_event **out);
	int (*event_enable)(struct pv_driver *d, struct pv_perf_event *ev); /* a leader: its whole group */
	/* AUX: delivers the last data before it returns. */
	int (*event_disable)(struct pv_driver *d, struct pv_perf_event *ev);
	int (*event_read)(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *value);
	/* Disables a running event with an AUX area first. */
	void (*event_close)(struct pv_driver *d, struct pv_perf_event *ev);
	/*
	 * Returns the times that came with the last event_read(). Running less than enabled: the event was multiplexed,
	 * and its value, which is never scaled, counts only a part. NULL: the driver does not multiplex.
	 */
	int (*event_times)(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *enabled_ns, uint64_t *running_ns);
	/*
	 * Returns what poll(2) says of the event's file at once: POLLIN, POLLERR, POLLHUP. NULL: events are no files.
	 */
	int (*event_poll)(struct pv_driver *d, struct pv_perf_event *ev, uint32_t *revents);
	/* Maps the page of the event's file and unmaps it. NULL: events are no files. */
	int (*event_mmap)(struct pv_driver *d, struct pv_perf_event *ev);
	/*
	 * Pauses (true) or resumes the consumption of AUX data, to emulate a slow consumer: data committed while paused
	 * stays in the AUX area until that is full. Resuming delivers it. NULL: only a consumer that refuses data can
	 * do this.
	 */
	int (*event_hold)(struct pv_driver *d, struct pv_perf_event *ev, bool hold);
	/*
	 * Delivers at most `bytes` of pending AUX data before it returns, even if the event is held. May split commits.
	 * NULL: as event_hold.
	 */
	int (*event_take)(struct pv_driver *d, struct pv_perf_event *ev, uint64_t bytes);
	/* Counts the records that the kernel wrote for an event with an AUX area. NULL: it writes none. */
	int (*event_records)(struct pv_driver *d, struct pv_perf_event *ev, struct pv_perf_records *out);

	/* MPS or MRRS of one function in bytes, or -errno. */
	int (*get_size)(struct pv_driver *d, pv_bdf bdf, bool mrrs);
	int (*set_size)(struct pv_driver *d, pv_bdf bdf, bool mrrs, int bytes);

	/* Hot-plug notifications. NULL: unsupported. */
	int (*slot_event)(struct pv_driver *d, pv_bdf port); /* pciehp: a device is in the slot of `port` */
	int (*gone)(struct pv_driver *d, pv_bdf bdf);	     /* pciehp: the device of this function is gone */
	int (*rescan)(struct pv_driver *d);
	int (*remove)(struct pv_driver *d, pv_bdf bdf); /* driver-side removal only (echo 1 > remove) */
	/*
	 * Enables the first n VFs of a PF, as a write of sriov_numvfs does; 0 disables all. -ENOENT: it has none,
	 * -ERANGE: more than it has, -EBUSY: others are enabled. NULL: unsupported.
	 */
	int (*set_vfs)(struct pv_driver *d, pv_bdf pf, unsigned n);

	/*
	 * Returns the i-th warning or error since boot, oldest first; NULL after the last. Valid until the next call.
	 */
	const char *(*log_line)(struct pv_driver *d, size_t n);
	/* Sets the size of each PTT DMA buffer for new sessions; 0: the driver's default. NULL: fixed. */
	int (*ptt_buffer)(struct pv_driver *d, uint64_t bytes);
};

#endif
