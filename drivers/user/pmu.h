/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface between sys.c and the PMU kinds (ptt.c, cpmu.c, dwc.c). A kind is ONE static table of methods; a new kind
 * takes a file, a line in kinds.c and a line in meson.build.
 *
 * Life: for each function that the scan finds (depth first), sys.c asks each kind match(); the first that returns true
 * owns the function. instances() returns the number of its PMUs; then sys.c calls probe() for n = 0.. with a zeroed
 * struct pv_pmu (a probe() that fails releases what it took). A PMU whose probe() returns 0 is registered under
 * pmu->name; otherwise pv_sys_probe_status() returns its errno and the text of pv_pmu_why(). After the last instance
 * sys.c asks the bus for the vectors that the PMUs want (pmu->vector). remove() undoes probe(): at shutdown, or when
 * the function is gone (then func->gone is set and registers read all ones). Its events are stopped and released
 * before.
 *
 * Events: sys.c makes struct pv_event, fills the upper half, and calls event_init(), which checks the attributes and
 * reserves hardware. Enable and disable act on whole groups:
 * 	pmu_disable(pmu)  start(ev) for each event of the group, leader first  pmu_enable(pmu)
 * 	pmu_disable(pmu)  stop(ev) for each, in the same order  pmu_enable(pmu)
 * so that a PMU that can freeze its counters starts and stops the group in one instant. pmu_enable() is called also
 * when no event runs any more. Both skip members that already run or do not run (ev->chosen). read(ev) is called
 * while the event runs, back to back for the whole group, and adds what was counted to ev->count; stop(ev) does so too.
 * ev->count is what pv_event_read() shows: cumulative over stops and starts, from 0 at opening, as perf's.
 */
#ifndef PV_USER_PMU_H
#define PV_USER_PMU_H

#include "drivers/core/hw.h"
#include "drivers/core/mps.h"
#include "drivers/user/bus.h"
#include "drivers/user/event_attr.h"

#define PV_PMU_NAME_MAX	 48
#define PV_WHY_MAX	 192
#define PV_PMU_NO_VECTOR (-1)

struct pv_pmu;
struct pv_sys;

/* One function that the scan found. Read-only for the kinds. */
struct pv_func {
	struct pv_func *next;	  /* in the order of the scan: depth first, a bridge before the functions below it */
	struct pv_func *parent;	  /* the bridge above; NULL: on a root bus */
	const struct pv_func *pf; /* of a VF: its physical function, a neighbour on the same bus */
	pv_bdf bdf;
	uint16_t vendor, device;
	uint32_t class;			/* 24 bits */
	uint8_t pcie;			/* offset of the PCI Express capability, 0: a conventional function */
	uint8_t type;			/* PCI_EXP_TYPE_*, where pcie != 0 */
	uint8_t secondary, subordinate; /* of a bridge (is_bridge), else 0 */
	bool is_bridge;
	bool is_vf;
	bool gone;	  /* the hardware has been removed */
	unsigned ordinal; /* number among the functions of its kind, the lowest free one: X of mem<X> */
	struct pv_sys *sys;
	/* private to sys.c and scan.c */
	const struct pv_pmu_kind *kind;
	struct pv_mps_func mps;
	struct pv_cfg cfg;
	bool irq_on;
	bool is_new;
};

/* One registered PMU. A kind's probe() fills name, priv and, if it wants, vector. */
struct pv_pmu {
	char name[PV_PMU_NAME_MAX]; /* of the event_source: "hisi_ptt0_0" */
	void *priv;		    /* the kind's private data; its remove() frees it */
	int vector;		    /* MSI vector that calls kind->irq(), PV_PMU_NO_VECTOR at first; may be shared */
	/* filled by sys.c before probe() */
	struct pv_sys *sys;
	const struct pv_bus *bus;
	struct pv_func *func;
	const struct pv_pmu_kind *kind;
	unsigned instance;
	uint64_t local; /* CPUs of its NUMA node, a bit each; all, if it has none */
	unsigned cpu;	/* that counts */
	/* private to sys.c */
	struct pv_pmu *next;
	struct pv_event *events;
	unsigned type;
	char *why;
};

/* One open event. */
struct pv_event {
	/* filled by sys.c before event_init() */
	struct pv_pmu *pmu; /* NULL: the PMU has been removed */
	struct pv_event_attr attr;
	struct pv_event *leader; /* itself, or the leader of its group (on the same PMU) */
	struct pv_event *member; /* the group in order of opening: leader -> member -> ... -> NULL */
	pv_aux_fn aux;
	void *aux_ctx;
	unsigned cpu; /* on which it runs: where it was opened; event_init() may choose another */
	bool running;
	bool chosen; /* the enable or disable that is under way starts or stops it */
	/* the kind's */
	uint64_t count; /* total so far */
	uint64_t prev;	/* last raw value of the hardware counter */
	int index;	/* counter in the hardware, or another number that the kind needs */
	void *priv;
	/* private to event.c */
	struct pv_event *next;
	struct pv_sys *sys;
};

/*
 * One attribute file. show() writes the text without a newline (pv_attr_printf) and returns its length
 * or -errno; NULL: `text` is shown. store() gets the text as written; NULL: the file cannot be written
 * (-EACCES). visible NULL: always there. `arg` is for show, store and visible.
 */
struct pv_attr {
	const char *dir; /* "format", "events", "tune"; "": the PMU's own folder */
	const char *name;
	const char *text;
	int (*show)(struct pv_pmu *pmu, const struct pv_attr *a, char *buf, size_t size);
	int (*store)(struct pv_pmu *pmu, const struct pv_attr *a, const char *text);
	bool (*visible)(const struct pv_pmu *pmu, const struct pv_attr *a);
	uint64_t arg;
};

typedef void (*pv_name_fn)(void *ctx, const char *name);

/* Optional methods may be NULL; match, probe, event_init, start and stop are required. */
struct pv_pmu_kind {
	const char *name; /* in log lines: "hisi_ptt" */
	bool any_cpu;	  /* events run where they were opened, on a CPU of the PMU's node; else where the PMU counts */

	bool (*match)(const struct pv_func *func);
	/* How many PMUs the function has; -errno: the function is refused (with pv_func_why). NULL: one. */
	int (*instances)(struct pv_func *func, char why[PV_WHY_MAX]);
	int (*probe)(struct pv_pmu *pmu);
	void (*remove)(struct pv_pmu *pmu);

	/* Attribute files, a table ended by name == NULL. "cpumask" and "type" are added by sys.c. */
	const struct pv_attr *attrs;
	/* Files that come and go: dyn_list calls fn for each in `dir` (0, or -ENOENT: no such folder); dyn_show reads
	 * one (-ENOENT: no such file). Used after the table. */
	int (*dyn_list)(struct pv_pmu *pmu, const char *dir, pv_name_fn fn, void *ctx);
	int (*dyn_show)(struct pv_pmu *pmu, const char *dir, const char *name, char *buf, size_t size);

	int (*event_init)(struct pv_event *ev);	 /* check and reserve: 0 or -errno with nothing reserved */
	void (*event_exit)(struct pv_event *ev); /* release; the event is not running */
	int (*start)(struct pv_event
			     *ev); /* 0 or -errno; on an error, the events that this enable started are stopped again */
	void (*stop)(struct pv_event *ev);
	void (*read)(struct pv_event *ev);
	void (*pmu_disable)(struct pv_pmu *pmu); /* freeze the PMU's counters ... */
	void (*pmu_enable)(struct pv_pmu *pmu);	 /* ... and unfreeze them; not nested */

	/* An interrupt of the PMU's vector, never while irq_save() holds. Vectors may be shared: check the device
	 * first. */
	void (*irq)(struct pv_pmu *pmu);
	/* A function appeared (after its probe), or is about to be removed (still in the list, func->gone set). */
	void (*func_added)(struct pv_pmu *pmu, const struct pv_func *func);
	void (*func_removed)(struct pv_pmu *pmu, const struct pv_func *func);
};

/* All kinds, ended by NULL (kinds.c). */
extern const struct pv_pmu_kind *const pv_pmu_kinds[];
extern const struct pv_pmu_kind pv_pmu_ptt, pv_pmu_cpmu, pv_pmu_dwc;

/* pv_sys_boot() with other kinds than pv_pmu_kinds: for tests. */
struct pv_sys *pv_sys_boot_kinds(const struct pv_bus *bus, enum pv_mps_policy policy,
				 const struct pv_pmu_kind *const *kinds);

/* Sets the reason why probe() fails, for pv_sys_probe_status() and the log. Returns err: `return pv_pmu_why(...)`. */
int pv_pmu_why(struct pv_pmu *pmu, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Same for instances(). */
int pv_func_why(char why[PV_WHY_MAX], int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Writes a line to the driver's log and to bus->log. level as syslog: 3 error, 4 warning, 6 info. */
void pv_sys_log(struct pv_sys *sys, int level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* For event_init(): allocates `bytes` of zeroed memory as ev->priv and calls check(ev); frees it if check() refuses. */
int pv_event_reserve(struct pv_event *ev, size_t bytes, int (*check)(struct pv_event *ev));
/* The event_exit() of a kind whose events pv_event_reserve() made. */
void pv_event_unreserve(struct pv_event *ev);

/* Formats the text of an attribute. Returns its length, or -ENOSPC if it does not fit. */
int pv_attr_printf(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Reads a decimal number and at most one newline, as the kernel's kstrtou16() with base 10 does. -EINVAL: anything
 * else, also a minus, 0x, or more than 65535. *value is written only on success.
 */
int pv_attr_parse_u16(const char *text, uint16_t *value);

/* Returns the first function of the scan; ->next is the next one. */
struct pv_func *pv_sys_funcs(struct pv_sys *sys);
/* Returns true if `func` is below `bridge`, at any depth. */
bool pv_func_is_below(const struct pv_func *func, const struct pv_func *bridge);

/* The driver core's hardware access. The struct pv_bar must live as long as the pv_mmio made from it. */
struct pv_bar {
	const struct pv_bus *bus;
	pv_bdf bdf;
	unsigned bar;
	uint32_t base;	/* added to each offset */
	uint32_t bytes; /* from there on */
};
/* Before the first access. 0; -ENODEV: no such BAR, -EINVAL: it ends before. */
int pv_bar_map(const struct pv_bar *bar);
void pv_bar_unmap(const struct pv_bar *bar);
struct pv_mmio pv_bar_mmio(const struct pv_bar *bar);
struct pv_cfg pv_func_cfg(const struct pv_func *func);
/* Its delays call pv_sys_poll() when that is due. */
struct pv_clock pv_sys_clock(struct pv_sys *sys);

#endif
