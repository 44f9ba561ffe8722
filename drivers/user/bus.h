/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine interface of the user-space reference driver: configuration space, BARs, DMA memory, interrupts and time. The
 * model target implements it with the models, framework/vfio with sysfs and VFIO.
 */
#ifndef PV_USER_BUS_H
#define PV_USER_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/regs/pcie.h"

struct pv_bus {
	void *ctx;
	/* Function 0 of each bus that may be a root bus, in ascending order; none: all buses of domain 0 may be. */
	const pv_bdf *buses;
	size_t n_buses;
	unsigned cpus; /* 0: one */
	/* All ones: no response. bytes: 1, 2, 4. */
	uint32_t (*cfg_read)(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes);
	void (*cfg_write)(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value);
	/*
	 * Maps `bytes` of a BAR from `off` on: 0; -ENODEV: no such BAR, -EINVAL: it ends before. bar_unmap takes the
	 * same place back.
	 */
	int (*bar_map)(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, uint32_t bytes);
	void (*bar_unmap)(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, uint32_t bytes);
	/* Access registers that are mapped. bytes: 4 or 8. */
	uint64_t (*mmio_read)(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes);
	void (*mmio_write)(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes, uint64_t value);
	/* Zeroed memory for DMA by `bdf`, NULL: none. */
	void *(*dma_alloc)(void *ctx, pv_bdf bdf, size_t bytes, uint64_t *dma);
	void (*dma_free)(void *ctx, pv_bdf bdf, void *cpu, size_t bytes, uint64_t dma);
	bool (*iommu_translates)(void *ctx, pv_bdf bdf);
	/* CPUs of the function's NUMA node, a bit each; 0: it has none. NULL: the machine has none. */
	uint64_t (*local_cpus)(void *ctx, pv_bdf bdf);
	/* Enables MSI vectors 0..vectors-1 of the function (the bus programs its MSI capability) and calls
	 * fn(arg, vector) when one arrives; never while irq_save() holds. fn NULL: disables. 0 or -errno. */
	int (*irq_set)(void *ctx, pv_bdf bdf, unsigned vectors, void (*fn)(void *arg, unsigned vector), void *arg);
	void (*irq_save)(void *ctx); /* interrupts off, nests */
	void (*irq_restore)(void *ctx);
	uint64_t (*now_ns)(void *ctx);
	void (*delay_ns)(void *ctx, uint64_t ns);	     /* interrupts may arrive meanwhile */
	void (*log)(void *ctx, int level, const char *text); /* level as syslog: 3 error, 4 warning, 6 info */
};

#endif
