/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hardware access of the freestanding driver core: small tables of function pointers, filled by drivers/user
 * (models, mapped BARs) or drivers/linux (kernel). No function here allocates or sleeps. Errors are negative errno
 * values of the Linux ABI.
 */
#ifndef PV_CORE_HW_H
#define PV_CORE_HW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/regs/pcie.h"

enum {
	PV_EPERM = 1,
	PV_ENOENT = 2,
	PV_EIO = 5,
	PV_EAGAIN = 11,
	PV_ENOMEM = 12,
	PV_EACCES = 13,
	PV_EBUSY = 16,
	PV_EEXIST = 17,
	PV_ENODEV = 19,
	PV_EINVAL = 22,
	PV_ENOSPC = 28,
	PV_ERANGE = 34,
	PV_EOVERFLOW = 75,
	PV_EOPNOTSUPP = 95,
	PV_ETIMEDOUT = 110,
};

/* Registers of one memory-mapped block. 64-bit accesses exist if the block needs them. */
struct pv_mmio {
	void *ctx;
	uint32_t (*read32)(void *ctx, uint32_t off);
	void (*write32)(void *ctx, uint32_t off, uint32_t value);
	uint64_t (*read64)(void *ctx, uint32_t off);
	void (*write64)(void *ctx, uint32_t off, uint64_t value);
};

/* Configuration space of one function. Reads of nothing return all ones. */
struct pv_cfg {
	void *ctx;
	pv_bdf bdf;
	uint32_t (*read)(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes);
	void (*write)(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value);
};

struct pv_clock {
	void *ctx;
	uint64_t (*now_ns)(void *ctx); /* monotonic */
	void (*delay_ns)(void *ctx, uint64_t ns);
};

#endif
