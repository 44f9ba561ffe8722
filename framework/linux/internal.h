/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of framework/linux. */
#ifndef PV_LINUX_INTERNAL_H
#define PV_LINUX_INTERNAL_H

#include "framework/linux/kmsg.h"
#include "framework/linux/linux.h"
#include "framework/util/bdf.h"
#include "framework/util/undolog.h"

#define PV_LINUX_NAME_MAX 64u

/* A PMU under test in /sys/bus/event_source/devices. */
struct pv_linux_pmu {
	char name[PV_LINUX_NAME_MAX];
	uint32_t type;
};

#define PV_LINUX_PMUS_MAX 256u

struct pv_linux {
	struct pv_driver driver;
	struct pv_machine machine;
	struct pv_shell shell;
	char root[128];
	struct pv_linux_pmu pmu[PV_LINUX_PMUS_MAX]; /* as of the last pv_linux_find_pmus() */
	size_t n_pmus;
	char why[512];		      /* of probe_status */
	struct pv_perf_event *events; /* that are open */
	struct pv_kmsg log;
	struct pv_kmsg_news news;
	struct pv_undolog undo; /* fd -1: what is changed stays */
	bool settling;		/* a driver is there to put functions at rest, which takes none from the kernel */
	char undo_path[512];
	/* Settles what a reference driver has left (reference.h), before the undo journal is restored. */
	int (*settle)(struct pv_linux *l, const char *text, struct pv_error *e);
	int lock_fd; /* -1: not locked */
	int asker;   /* pv_linux_serve(); -1: nobody */
};

struct pv_linux *pv_linux_of_driver(struct pv_driver *d);
struct pv_linux *pv_linux_of_machine(struct pv_machine *m);

/* ---- paths.c ---- */

struct pv_linux_path {
	char s[512]; /* "" if longer than this: any use of it then fails with ENOENT */
};
struct pv_linux_path pv_linux_path(const struct pv_linux *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
#define PV_LINUX_PATH(l, ...) (pv_linux_path(l, __VA_ARGS__).s)

/* ---- sysfs.c ---- */

/* Reads a file as text, without the final newline. Returns its length or -errno (-ENOSPC: longer than the buffer). */
int pv_sysfs_read(const char *path, char *buf, size_t size);
int pv_sysfs_read_number(const char *path, uint32_t *value);
/* Writes all of `text` at once. */
int pv_sysfs_write(const char *path, const char *text);
/* Calls fn for each entry of a folder, sorted by bytes. */
int pv_sysfs_list(const char *path, void (*fn)(void *, const char *), void *ctx);

/* ---- writes that are not noted ---- */

int pv_linux_write_attr(struct pv_linux *l, const char *pmu, const char *path, const char *text);
int pv_linux_write_config(struct pv_linux *l, pv_bdf bdf, uint32_t off, unsigned bytes, uint64_t value);
int pv_linux_write_bar(struct pv_linux *l, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value);

/* ---- orphans.c ---- */

/*
 * Returns the environment of a program, by which pv_linux_end_programs() finds it, what it starts, and its files in
 * TMPDIR. The caller frees it, and *mine, which holds some of its strings. NULL: no memory.
 */
char **pv_linux_program_env(const struct pv_linux *l, char **mine);

/* ---- pmus.c ---- */

/* Finds the PMUs under test, in the order of their registration. */
void pv_linux_find_pmus(struct pv_linux *l);
/* Returns the last PCI function in the target of a sysfs link; -ENODEV if there is none. */
int pv_linux_function_of(const char *link, pv_bdf *bdf);
int pv_linux_pmu_parent(struct pv_linux *l, const char *pmu, pv_bdf *bdf);

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
/* Returns true if the client hung up or sent another request: nobody waits for this one. */
bool pv_linux_is_abandoned(const struct pv_linux *l);

/* ---- pci.c, machine.c, shell.c ---- */

int pv_linux_probe_status(struct pv_driver *d, pv_bdf bdf, unsigned n, const char **why);
/* Returns the offset of the PCI Express capability or -errno (-ENOENT: there is none). */
int pv_linux_express(struct pv_linux *l, pv_bdf bdf);
int pv_linux_get_size(struct pv_driver *d, pv_bdf bdf, bool mrrs);
int pv_linux_set_size(struct pv_driver *d, pv_bdf bdf, bool mrrs, int bytes);
int pv_linux_slot_event(struct pv_driver *d, pv_bdf port);
int pv_linux_gone(struct pv_driver *d, pv_bdf bdf);
int pv_linux_rescan(struct pv_driver *d);
int pv_linux_remove(struct pv_driver *d, pv_bdf bdf);
int pv_linux_set_vfs(struct pv_driver *d, pv_bdf pf, unsigned n);

extern const struct pv_machine_ops pv_linux_machine_ops;
extern const struct pv_shell_ops pv_linux_shell_ops;

#endif
