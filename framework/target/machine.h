/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine that a case runs on: it boots, its registers are read and written, time passes. Implementations: the
 * models with the reference driver, a guest, a board.
 */
#ifndef PV_TARGET_MACHINE_H
#define PV_TARGET_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/regs/mps.h"
#include "drivers/regs/pcie.h"
#include "framework/util/error.h"

/*
 * Reports a problem of the driver: its kind, and a sentence, perhaps followed by more lines. Kind "guest": a problem of
 * the machine, so that the driver cannot be judged.
 */
typedef void (*pv_report_fn)(void *ctx, const char *kind, const char *text);

struct pv_machine {
	const struct pv_machine_ops *ops;
};

/* How the kernel handles an interrupt. */
struct pv_interrupt {
	unsigned number;
	bool movable;	  /* its affinity can be changed from user space */
	unsigned threads; /* number of threads that run its handlers */
};

struct pv_machine_ops {
	/* (Re)starts with a policy; without a boot step, policy default is booted at first use. */
	int (*boot)(struct pv_machine *m, enum pv_mps_policy policy, struct pv_error *e);
	/*
	 * Shuts the driver down, with no event open; boot() may follow. Reports resources that it still holds (DMA
	 * memory, interrupt handlers, mapped BARs), and forbidden accesses. NULL: unsupported.
	 */
	void (*shutdown)(struct pv_machine *m, pv_report_fn told, void *ctx);
	/* Registers of a function; bar -1: configuration space. 0 or -errno. */
	int (*reg_read)(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value);
	int (*reg_write)(struct pv_machine *m, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value);
	/* Lets time pass. 0; -EOVERFLOW: that exceeds the clock; -errno. */
	int (*wait)(struct pv_machine *m, uint64_t ns);
	/*
	 * Takes a CPU offline, or online again, like its file `online` under Linux. 0 or -errno. NULL: the target has
	 * only one CPU.
	 */
	int (*cpu_online)(struct pv_machine *m, unsigned cpu, bool online);
	/*
	 * Suspends the system to RAM and resumes it at once: drivers are notified, the PCI core saves and restores its
	 * registers, and functions are in D3hot meanwhile or, if `power_lost`, without power. 0 or -errno; -ENOTSUP:
	 * its kernel cannot. NULL: it has no such state.
	 */
	int (*suspend)(struct pv_machine *m, bool power_lost);
	/*
	 * Allows the system to suspend a function whenever it is idle (true), or keeps it in D0, like its file
	 * power/control. 0 or -errno. NULL: the target has no run-time power management.
	 */
	int (*runtime_pm)(struct pv_machine *m, pv_bdf bdf, bool allowed);
	/* Loads (true) or unloads a driver's module. 0 or -errno. NULL: the target has no modules. */
	int (*module)(struct pv_machine *m, const char *name, bool load);
	/*
	 * Binds the driver of a PMU, or if `load` loads its module, again and again; in the n-th probe the driver's
	 * n-th allocation fails, until a probe has none. *failed: allocations that failed; *refused: probes that
	 * returned an error for it. 0 or -errno of the last probe, in which none failed; -ENOTSUP: its kernel cannot
	 * let allocations fail. NULL: unsupported.
	 */
	int (*probe_fail_nth)(struct pv_machine *m, const char *pmu, bool load, unsigned *failed, unsigned *refused);
	/* Reads a file of the system under test as text: its length, or -errno. NULL: it has no files. */
	int (*file_read)(struct pv_machine *m, const char *path, char *buf, size_t size);
	/*
	 * Finds an interrupt by the name of its handler; its affinity stays. 0, -ENOENT or -errno. NULL: the target has
	 * no interrupts of a kernel.
	 */
	int (*interrupt)(struct pv_machine *m, const char *name, struct pv_interrupt *out);
	/* The machine's own clock. NULL: it has no meaningful one. */
	uint64_t (*now_ps)(struct pv_machine *m);
};

#endif
