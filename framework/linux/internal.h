/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of framework/linux. */
#ifndef PV_LINUX_INTERNAL_H
#define PV_LINUX_INTERNAL_H

#include <stdio.h>

#include "framework/linux/kmsg.h"
#include "framework/linux/sysfs.h"
#include "framework/target/driver.h"
#include "framework/target/machine.h"
#include "framework/target/shell.h"
#include "framework/undo/undolog.h"
#include "framework/util/bdf.h"

/* A PMU under test in /sys/bus/event_source/devices. */
struct pv_linux_pmu {
	char name[PV_LINUX_NAME_MAX];
	uint32_t type;
};

struct pv_linux {
	struct pv_driver driver;
	struct pv_machine machine;
	struct pv_shell shell;
	char root[128];
	struct pv_linux_pmu *pmu; /* as of the last pv_linux_find_pmus() */
	size_t n_pmus, pmus_room;
	char why[512];		      /* of probe_status */
	struct pv_perf_event *events; /* list of open events */
	struct pv_kmsg log;
	struct pv_kmsg_news news;
	struct pv_undolog undo; /* fd -1: changes are not recorded */
	char undo_path[512];
	int lock_fd; /* -1: not locked */
	int asker;   /* descriptor of pv_linux_serve(); -1: none */
};

struct pv_linux *pv_linux_of_driver(struct pv_driver *d);

/* ---- pmus.c ---- */

/* Finds the PMUs under test, in the order of their registration. */
void pv_linux_find_pmus(struct pv_linux *l);
/* Returns the last PCI function in the target of a sysfs link; -ENODEV if there is none. */
int pv_linux_function_of(const char *link, pv_bdf *bdf);
int pv_linux_pmu_parent(struct pv_linux *l, const char *pmu, pv_bdf *bdf);

/* ---- kconfig.c ---- */

/* Prints the MPS policy of the kernel's configuration as a fact "MPS policy built in", if that can be read. */
void pv_linux_put_policy(struct pv_linux *l, FILE *out);

/* ---- events.c ---- */

extern const struct pv_driver_ops pv_linux_driver_ops;
int pv_linux_event_open(struct pv_driver *d, const char *pmu, const struct pv_perf_attr *attr,
			struct pv_perf_event *leader, pv_perf_aux_fn aux, void *aux_ctx, struct pv_perf_event **out);
int pv_linux_event_enable(struct pv_driver *d, struct pv_perf_event *ev);
int pv_linux_event_disable(struct pv_driver *d, struct pv_perf_event *ev);
int pv_linux_event_read(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *value);
void pv_linux_event_close(struct pv_driver *d, struct pv_perf_event *ev);
int pv_linux_event_times(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *enabled_ns, uint64_t *running_ns);
int pv_linux_event_poll(struct pv_driver *d, struct pv_perf_event *ev, uint32_t *revents);
int pv_linux_event_mmap(struct pv_driver *d, struct pv_perf_event *ev);
int pv_linux_event_hold(struct pv_driver *d, struct pv_perf_event *ev, bool hold);
int pv_linux_event_take_bytes(struct pv_driver *d, struct pv_perf_event *ev, uint64_t bytes);
int pv_linux_event_records(struct pv_driver *d, struct pv_perf_event *ev, struct pv_perf_records *out);

/* ---- poll.c ---- */

/* Delivers AUX data as they arrive for `ns`; 0: only those available now. */
int pv_linux_wait(struct pv_linux *l, uint64_t ns);

/* ---- machine.c, shell.c ---- */

#define PV_LINUX_CONFIG_BYTES 256 /* of configuration space that capabilities are in; users other than root read 64 */

/*
 * Reads them, and finds the PCI Express capability (PCIe 5.0 7.5.3). Returns its offset; -ENODEV: no such function;
 * -EPERM: fewer bytes can be read; -ENOENT: it has no such capability; -errno.
 */
int pv_linux_read_express(struct pv_linux *l, pv_bdf bdf, uint8_t space[PV_LINUX_CONFIG_BYTES]);

/* Returns 16 bits of configuration space. */
static inline unsigned pv_linux_config_word(const uint8_t *space, int at)
{
	return space[at] | (unsigned)space[at + 1] << 8;
}

extern const struct pv_machine_ops pv_linux_machine_ops;
extern const struct pv_shell_ops pv_linux_shell_ops;

#endif
