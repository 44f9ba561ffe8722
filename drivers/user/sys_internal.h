/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the user-space driver: the system that sys.c, scan.c, event.c and attr.c work on.
 */
#ifndef PV_USER_SYS_INTERNAL_H
#define PV_USER_SYS_INTERNAL_H

#include "drivers/user/pmu.h"

enum { PV_LOG_LINES = 256 };

/* How the probe of one instance ended. */
struct pv_probe {
	struct pv_probe *next;
	pv_bdf bdf;
	unsigned instance;
	int status;
	char why[PV_WHY_MAX];
};

struct pv_host {
	struct pv_host *next;
	pv_bdf bus; /* its first function's place */
	struct pv_mps_host mps;
};

struct pv_sys {
	const struct pv_bus *bus;
	const struct pv_pmu_kind *const *kinds;
	struct pv_mps mps;
	struct pv_host *hosts;
	struct pv_func *funcs;
	struct pv_pmu *pmus; /* in order of registration */
	struct pv_probe *probes;
	struct pv_event *orphans; /* handles whose PMU was removed */
	unsigned next_type;
	uint64_t polled_ns; /* time of the last pv_sys_poll() */
	unsigned cpus;
	uint64_t online; /* of them, a bit each */
	uint32_t ptt_buffer_bytes;
	bool booting;
	char *log[PV_LOG_LINES]; /* a ring */
	size_t log_first, log_count;
};

/* scan.c */
/*
 * Finds every function that is not known yet, step 1 of the MPS policy at each. Calls found() in the order of the scan.
 */
void pv_scan(struct pv_sys *sys, void (*found)(struct pv_sys *sys, struct pv_func *func));
/* Scans the bus below a port that was empty. */
void pv_scan_below(struct pv_sys *sys, struct pv_func *port, void (*found)(struct pv_sys *sys, struct pv_func *func));
/* Finds the VFs that are enabled. */
void pv_scan_vfs(struct pv_sys *sys, struct pv_func *pf, void (*found)(struct pv_sys *sys, struct pv_func *func));
struct pv_func *pv_scan_func(const struct pv_sys *sys, pv_bdf bdf);
/* Returns the BDF of the first function below a bridge. */
pv_bdf pv_scan_bus_below(const struct pv_func *bridge);
/* Removes the function from the tree and frees it. */
void pv_scan_forget(struct pv_sys *sys, struct pv_func *func);
void pv_scan_free_hosts(struct pv_sys *sys);
/* Returns true if the function answers. */
bool pv_scan_present(const struct pv_func *func);

/* bind.c */
/* Asks the kinds, registers the function's PMUs, and stores the results of the probes. */
void pv_bind(struct pv_func *func);
void pv_unbind(struct pv_func *func);

/* sys.c */
struct pv_pmu *pv_sys_pmu(const struct pv_sys *sys, const char *name);

/* cpus.c */
enum { PV_CPUS_MAX = 64 };
bool pv_cpu_is_online(const struct pv_sys *sys, unsigned cpu);
/* Returns the online CPUs of the PMU's NUMA node, one bit each; all online CPUs if there are none. Never 0. */
uint64_t pv_cpus_of(const struct pv_pmu *pmu);
/* The lowest of them. */
unsigned pv_cpu_of(const struct pv_pmu *pmu);

/* event.c */
/* Stops an event whose CPU went offline. */
void pv_event_cpu_gone(struct pv_event *ev);
/* The PMU is about to be removed: stops and releases its events; their handles stay until they are closed. */
void pv_event_orphan_all(struct pv_pmu *pmu);
/* Frees all handles that were not closed. */
void pv_event_free_all(struct pv_sys *sys);

#endif
