/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration space of one function as an array, for the tests of the core: builders for the
 * capabilities they need, and a hook on each access for scripted behaviour.
 */
#ifndef PV_TEST_FAKE_CFG_H
#define PV_TEST_FAKE_CFG_H

#include <string.h>

#include "drivers/core/hw.h"
#include "drivers/regs/pcie.h"

#define FAKE_EXP 0x40u /* the PCI Express capability */

struct fake_cfg {
	uint8_t byte[PCI_CFG_BYTES];
	unsigned writes, bad_accesses;
	uint32_t last_ext; /* the newest extended capability */
	void (*on_read)(struct fake_cfg *f, uint32_t off);
	void (*on_write)(struct fake_cfg *f, uint32_t off, uint32_t value);
};

static inline uint32_t fake_get(const struct fake_cfg *f, uint32_t off, unsigned bytes)
{
	uint32_t value = 0;

	memcpy(&value, &f->byte[off], bytes);
	return value;
}

static inline void fake_put(struct fake_cfg *f, uint32_t off, unsigned bytes, uint32_t value)
{
	memcpy(&f->byte[off], &value, bytes);
}

static inline uint32_t fake_read(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	struct fake_cfg *f = ctx;

	(void)bdf;
	if (off + bytes > sizeof(f->byte)) {
		f->bad_accesses++;
		return 0xffffffff;
	}
	if (f->on_read)
		f->on_read(f, off);
	return fake_get(f, off, bytes);
}

static inline void fake_write(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value)
{
	struct fake_cfg *f = ctx;

	(void)bdf;
	f->writes++;
	if (f->on_write)
		f->on_write(f, off, value);
	else
		fake_put(f, off, bytes, value);
}

static inline struct pv_cfg fake_cfg(struct fake_cfg *f)
{
	return (struct pv_cfg){.ctx = f, .bdf = 0x0080, .read = fake_read, .write = fake_write};
}

/* A PCI Express function: identity, one capability. */
static inline void fake_function(struct fake_cfg *f, uint16_t vendor, unsigned port_type, unsigned width)
{
	memset(f, 0, sizeof(*f));
	fake_put(f, PCI_VENDOR_ID, 2, vendor);
	fake_put(f, PCI_DEVICE_ID, 2, 0x8000);
	fake_put(f, PCI_STATUS, 2, PCI_STATUS_CAP_LIST);
	fake_put(f, PCI_CAPABILITIES, 1, FAKE_EXP);
	fake_put(f, FAKE_EXP, 2, PCI_CAP_ID_EXP);
	fake_put(f, FAKE_EXP + PCI_EXP_FLAGS, 2, port_type << PCI_EXP_FLAGS_TYPE_SHIFT | 2);
	fake_put(f, FAKE_EXP + PCI_EXP_LNKCAP, 4, width << PCI_EXP_LNKCAP_WIDTH_SHIFT | 4);
}

/* Appends an extended capability at `pos`. */
static inline void fake_ext_cap(struct fake_cfg *f, uint32_t pos, uint16_t id)
{
	if (f->last_ext)
		fake_put(f, f->last_ext, 4, (fake_get(f, f->last_ext, 4) & 0xfffff) | pos << 20);
	fake_put(f, pos, 4, id | 1u << 16);
	f->last_ext = pos;
}

#endif
