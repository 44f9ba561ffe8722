/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver under test as a case sees it: what Linux shows through event_source, perf_event_open(2) and the PCI
 * core. Names, paths, text and errno values are those of the Linux ABI. The reference driver fills this table in
 * process (model_driver.c), a running Linux through sysfs and perf (framework/linux), a far one through the
 * protocol (framework/far).
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

/* What perf_event_attr would say. */
struct pv_perf_attr {
	uint64_t config, config1, config2;
	uint32_t type; /* 0: the PMU's own; else that of another PMU, or of none */
	bool on_cpu;   /* opened on `cpu`, whatever the PMU's cpumask says; else on the first of it */
	uint32_t cpu;
	bool per_task, sampling;
	uint32_t exclude;   /* 1 << enum pv_perf_exclude */
	bool aux;	    /* with an AUX area ... */
	uint64_t aux_bytes; /* ... of this many bytes (0: 16 MiB) */
	bool aux_overwrite; /* snapshot mode */
};

/* Flags of an AUX commit, as in PERF_RECORD_AUX. */
#define PV_PERF_AUX_TRUNCATED 0x01u /* data was lost: overrun, or no room */
#define PV_PERF_AUX_OVERWRITE 0x02u /* snapshot: the newest data of an area that is written round and round */
#define PV_PERF_AUX_PARTIAL   0x04u /* has gaps */
#define PV_PERF_AUX_COLLISION 0x08u
/* Not the kernel's: PERF_RECORD_LOST came before, so that AUX records (with their data and flags) are missing. */
#define PV_PERF_AUX_LOST      0x10000u

/*
 * Takes AUX data as it is committed, in order. `len` may be 0 with flags set. Returning non-zero means that the
 * consumer has no room: what it did not take is lost, or stays in the AUX area until it fills, as the driver has it.
 */
typedef int (*pv_perf_aux_fn)(void *ctx, const void *data, size_t len, uint32_t flags);

/* Records of an event's buffer so far, by kind. */
struct pv_perf_records {
	uint64_t aux, itrace_start, lost, other;
	uint64_t lost_records; /* the sum that the LOST records tell */
};

struct pv_perf_event; /* the driver's own */

struct pv_driver {
	const struct pv_driver_ops *ops;
};

/* Members that may be NULL say so. */
struct pv_driver_ops {
	/*
	 * Result of probing the device `bdf` (CXL: its instance `n`; others: n = 0): 0, or -errno with the reason in *why
	 * (valid until the next call). -ENOENT: no driver matches, or there is no such device.
	 */
	int (*probe_status)(struct pv_driver *d, pv_bdf bdf, unsigned n, const char **why);

	/* PMUs, in the order of registration; NULL beyond the last. Valid until the next call. */
	const char *(*pmu_name)(struct pv_driver *d, size_t n);
	/* The function that a PMU belongs to: the parent of its device in sysfs. 0 or -ENODEV. NULL: not known. */
	int (*pmu_parent)(struct pv_driver *d, const char *pmu, pv_bdf *bdf);
	/*
	 * Attribute files of a PMU, by their path below its folder ("format/filter"). read: text without the newline, its
	 * length or -errno; write: 0 or -errno; list: calls fn for each entry of folder `dir` ("" is the PMU's own), sorted.
	 */
	int (*attr_read)(struct pv_driver *d, const char *pmu, const char *path, char *buf, size_t size);
	int (*attr_write)(struct pv_driver *d, const char *pmu, const char *path, const char *text);
	int (*attr_list)(struct pv_driver *d, const char *pmu, const char *dir, void (*fn)(void *, const char *),
			 void *ctx);

	/* Checks and reserves, does not start. `leader`: opens as a member of its group. 0 or -errno. */
	int (*event_open)(struct pv_driver *d, const char *pmu, const struct pv_perf_attr *attr,
			  struct pv_perf_event *leader, pv_perf_aux_fn aux, void *aux_ctx, struct pv_perf_event **out);
	int (*event_enable)(struct pv_driver *d, struct pv_perf_event *ev); /* a leader: its whole group */
	/* AUX: hands the last data over before it returns. */
	int (*event_disable)(struct pv_driver *d, struct pv_perf_event *ev);
	int (*event_read)(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *value);
	/* An event with an AUX area that still runs is disabled first. */
	void (*event_close)(struct pv_driver *d, struct pv_perf_event *ev);
	/*
	 * Returns the times that came with the last event_read(). Running less than enabled: the event was multiplexed,
	 * and its value, which is never scaled, counts only a part. NULL: the driver does not multiplex.
	 */
	int (*event_times)(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *enabled_ns, uint64_t *running_ns);
	/*
	 * Stops (true) or resumes taking AUX data, as a slow consumer does: what is committed meanwhile stays in the AUX
	 * area until that is full. Resuming hands over what is there. NULL: only the consumer's refusal does it.
	 */
	int (*event_hold)(struct pv_driver *d, struct pv_perf_event *ev, bool hold);
	/*
	 * Takes at most `bytes` of the AUX data that wait, also of an event that is held: the consumer gets them before this
	 * returns, commits in pieces where that cuts them. NULL: as event_hold.
	 */
	int (*event_take)(struct pv_driver *d, struct pv_perf_event *ev, uint64_t bytes);
	/* Counts the records that the kernel wrote for an event with an AUX area. NULL: there are no records. */
	int (*event_records)(struct pv_driver *d, struct pv_perf_event *ev, struct pv_perf_records *out);

	/* MPS or MRRS of one function in bytes, or -errno. */
	int (*get_size)(struct pv_driver *d, pv_bdf bdf, bool mrrs);
	int (*set_size)(struct pv_driver *d, pv_bdf bdf, bool mrrs, int bytes);

	/* Hot-plug. NULL: cannot be told. */
	int (*slot_event)(struct pv_driver *d, pv_bdf port); /* pciehp: something is in the slot of `port` */
	int (*gone)(struct pv_driver *d, pv_bdf bdf);	     /* pciehp: the function is not there any more */
	int (*rescan)(struct pv_driver *d);
	int (*remove)(struct pv_driver *d, pv_bdf bdf); /* driver-side removal only (echo 1 > remove) */

	/* Warnings and errors that were logged since boot, oldest first; NULL beyond the last. Valid until the next call. */
	const char *(*log_line)(struct pv_driver *d, size_t n);
	/* Bytes of each PTT DMA buffer of the sessions opened from now on; 0: the driver's default. NULL: fixed. */
	int (*ptt_buffer)(struct pv_driver *d, uint64_t bytes);
};

#endif
