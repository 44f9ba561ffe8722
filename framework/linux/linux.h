/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running Linux as a driver, a machine and a shell: PMUs and attribute files through sysfs, events through
 * perf_event_open(2), configuration space and BARs through sysfs, warnings through /dev/kmsg. Single-threaded: a
 * process has one pv_linux and no other threads (see evsel.h).  Limits: MPS and MRRS can be read, but not set
 * (pcie_set_mps() and pcie_set_readrq() have no user-space interface; writing Device Control with reg_write() bypasses
 * them), the size of the PTT's buffers is fixed, and the policy is chosen at boot.
 */
#ifndef PV_LINUX_LINUX_H
#define PV_LINUX_LINUX_H

#include <stdio.h>

#include "framework/target/driver.h"
#include "framework/target/machine.h"
#include "framework/target/shell.h"

struct pv_linux;

/* `root` is the prefix of /sys and /dev; "" for this system. 0 or -errno. */
int pv_linux_open(struct pv_linux **out, const char *root, struct pv_error *e);
/* Closes all open descriptors. */
void pv_linux_close(struct pv_linux *l);

/*
 * Kills processes left by programs that were run on this machine, including those of an earlier pcieval, and removes
 * the files of their TMPDIR, run/pcieval/programs below the root. 0; -EBUSY: one does not end; -errno.
 */
int pv_linux_end_programs(struct pv_linux *l, struct pv_error *e);
/*
 * Locks this machine against other pcieval processes until this process ends. 0; -EBUSY: another one has the lock.
 * Leaves no files.
 */
int pv_linux_lock(struct pv_linux *l, struct pv_error *e);

/* Prints configuration space of all functions, as `lspci -xxxx` does. 0 or -errno. */
int pv_linux_dump(struct pv_linux *l, FILE *out);

/*
 * Prints facts about this Linux for reports: lines "name<TAB>value". Changes nothing, and needs no privileges. 0
 * or -errno.
 */
int pv_linux_environment(struct pv_linux *l, FILE *out);

/*
 * `fd` is the connection to the client; -1: none. A running program or wait ends when the client hangs up or sends
 * another request.
 */
void pv_linux_serve(struct pv_linux *l, int fd);
/* Returns true if the client hung up or sent another request: it no longer waits for this one. */
bool pv_linux_is_abandoned(const struct pv_linux *l);

struct pv_driver *pv_linux_driver(struct pv_linux *l);
struct pv_machine *pv_linux_machine(struct pv_linux *l);
struct pv_shell *pv_linux_shell(struct pv_linux *l);

#endif
