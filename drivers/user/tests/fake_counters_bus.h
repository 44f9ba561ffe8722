/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small machine for the tests of the counter PMUs, from the register files of the core's tests:
 *
 *	00:00.0 Root Port, RAS DES ---- 01:00.0 CXL memory: CPMU 0 as usual with HDM filter and interrupt,
 *	                                CPMU 1 whose counters are not writable when frozen
 *	00:01.0 Root Port of a vendor that is not known for RAS DES
 *	00:02.0 Root Port, RAS DES ---- 02:00.0 CXL memory: CPMU 0 without HDM filter and without interrupt
 *	30:03.0 Root Port, RAS DES
 */
#ifndef PV_TEST_FAKE_COUNTERS_BUS_H
#define PV_TEST_FAKE_COUNTERS_BUS_H

#include "drivers/core/tests/fake_cfg.h"
#include "drivers/core/tests/fake_cpmu.h"
#include "drivers/regs/dwc.h"
#include "drivers/user/bus.h"
#include "drivers/user/sys.h"

enum {
	BDF_PORT0 = PCI_BDF(0, 0, 0),
	BDF_FOREIGN = PCI_BDF(0, 1, 0),
	BDF_PORT2 = PCI_BDF(0, 2, 0),
	BDF_MEM0 = PCI_BDF(1, 0, 0),
	BDF_MEM1 = PCI_BDF(2, 0, 0),
	BDF_FAR = PCI_BDF(0x30, 3, 0),
	RAS_DES = 0x200,
	LOCATOR = 0x140,
};

struct fake_machine {
	struct {
		pv_bdf bdf;
		struct fake_cfg cfg;
	} func[6];
	struct fake_cpmu cpmu[3]; /* mem0.0, mem0.1, mem1.0 */
	void (*irq)(void *arg, unsigned vector);
	void *irq_arg;
	pv_bdf irq_bdf;
	unsigned irq_vectors, irq_depth;
	int mapped; /* register blocks */
	uint64_t now_ns;
};

static inline struct fake_cfg *machine_cfg(struct fake_machine *m, pv_bdf bdf)
{
	size_t i;

	for (i = 0; i < sizeof(m->func) / sizeof(m->func[0]); i++)
		if (m->func[i].bdf == bdf)
			return &m->func[i].cfg;
	return NULL;
}

static inline uint32_t machine_cfg_read(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	struct fake_cfg *cfg = machine_cfg(ctx, bdf);

	return cfg ? fake_read(cfg, bdf, off, bytes) : 0xffffffff >> (32 - 8 * bytes);
}

static inline void machine_cfg_write(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value)
{
	struct fake_cfg *cfg = machine_cfg(ctx, bdf);

	if (cfg)
		fake_write(cfg, bdf, off, bytes, value);
}

/* mem0: CPMU 0 at 0x10000 in BAR 0, CPMU 1 at the start of BAR 2. mem1: CPMU 0 at 0x20000 in BAR 0. */
static inline struct fake_cpmu *machine_cpmu(struct fake_machine *m, pv_bdf bdf, unsigned bar, uint32_t *off)
{
	static const struct {
		pv_bdf bdf;
		uint8_t bar;
		uint32_t base;
	} at[] = {{BDF_MEM0, 0, 0x10000}, {BDF_MEM0, 2, 0}, {BDF_MEM1, 0, 0x20000}};
	unsigned i;

	for (i = 0; i < 3; i++)
		if (at[i].bdf == bdf && at[i].bar == bar && *off - at[i].base < CPMU_BLOCK_BYTES) {
			*off -= at[i].base;
			return &m->cpmu[i];
		}
	return NULL;
}

static inline uint64_t machine_mmio_read(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes)
{
	struct fake_cpmu *f = machine_cpmu(ctx, bdf, bar, &off);

	if (!f)
		return ~0ull;
	return bytes == 8 ? fake_read64(f, off) : fake_read32(f, off);
}

static inline void machine_mmio_write(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes, uint64_t value)
{
	struct fake_cpmu *f = machine_cpmu(ctx, bdf, bar, &off);

	if (f && bytes == 8)
		fake_write64(f, off, value);
	else if (f)
		fake_write32(f, off, (uint32_t)value);
}

/* BARs of 1 MiB: what lies beyond is refused. */
static inline int machine_bar_map(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, uint32_t bytes)
{
	if (bar > 2)
		return -PV_ENODEV;
	if (off + bytes > 1u << 20)
		return -PV_EINVAL;
	((struct fake_machine *)ctx)->mapped++;
	return 0;
}

static inline void machine_bar_unmap(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, uint32_t bytes)
{
	((struct fake_machine *)ctx)->mapped--;
}

static inline int machine_irq_set(void *ctx, pv_bdf bdf, unsigned vectors, void (*fn)(void *, unsigned), void *arg)
{
	struct fake_machine *m = ctx;

	m->irq = fn;
	m->irq_arg = arg;
	m->irq_bdf = bdf;
	m->irq_vectors = vectors;
	return 0;
}

static inline void machine_irq_save(void *ctx)
{
	((struct fake_machine *)ctx)->irq_depth++;
}

static inline void machine_irq_restore(void *ctx)
{
	((struct fake_machine *)ctx)->irq_depth--;
}

static inline uint64_t machine_now(void *ctx)
{
	return ((struct fake_machine *)ctx)->now_ns;
}

static inline void machine_delay(void *ctx, uint64_t ns)
{
	((struct fake_machine *)ctx)->now_ns += ns;
}

static inline void machine_root_port(struct fake_machine *m, unsigned n, pv_bdf bdf, uint16_t vendor, unsigned bus)
{
	struct fake_cfg *cfg = &m->func[n].cfg;

	m->func[n].bdf = bdf;
	fake_function(cfg, vendor, PCI_EXP_TYPE_ROOT_PORT, 8);
	fake_put(cfg, PCI_REVISION, 4, 0x06040001);
	fake_put(cfg, PCI_HEADER_TYPE, 1, PCI_HEADER_TYPE_BRIDGE);
	fake_put(cfg, PCI_PRIMARY_BUS, 4, PCI_BUS(bdf) | bus << 8 | bus << 16);
	fake_ext_cap(cfg, 0x100, PCI_EXT_CAP_ID_AER);
	fake_ext_cap(cfg, RAS_DES, PCI_EXT_CAP_ID_VSEC);
	fake_put(cfg, RAS_DES + PCI_VSEC_HEADER, 4, DWC_VSEC_ID | DWC_VSEC_REV << 16 | DWC_VSEC_BYTES << 20);
}

/* Register Locator entries: the first dword of each, the second is 0. */
static inline void machine_cxl_mem(struct fake_machine *m, unsigned n, pv_bdf bdf, const uint32_t *entry,
				   unsigned entries)
{
	struct fake_cfg *cfg = &m->func[n].cfg;
	uint32_t at = LOCATOR + CXL_REG_LOCATOR_FIRST;
	unsigned i;

	m->func[n].bdf = bdf;
	fake_function(cfg, 0x1234, PCI_EXP_TYPE_ENDPOINT, 8);
	fake_put(cfg, PCI_REVISION, 4, CXL_MEM_CLASS << 8 | 1);
	fake_ext_cap(cfg, 0x100, PCI_EXT_CAP_ID_AER);
	fake_ext_cap(cfg, LOCATOR, PCI_EXT_CAP_ID_DVSEC);
	fake_put(cfg, LOCATOR + PCI_DVSEC_HEADER1, 4, CXL_DVSEC_VENDOR_ID | (12 + 8 * entries) << 20);
	fake_put(cfg, LOCATOR + PCI_DVSEC_HEADER2, 2, CXL_DVSEC_REG_LOCATOR_ID);
	for (i = 0; i < entries; i++)
		fake_put(cfg, at + 8 * i, 4, entry[i]);
}

static inline struct pv_bus machine_boot(struct fake_machine *m)
{
	static const uint32_t mem0[] = {0x00010400, 0x00000402}, mem1[] = {0x00020400};

	memset(m, 0, sizeof(*m));
	machine_root_port(m, 0, BDF_PORT0, DWC_VENDOR_ALIBABA, 1);
	machine_root_port(m, 1, BDF_FOREIGN, 0x19e5, 3);
	machine_root_port(m, 2, BDF_PORT2, DWC_VENDOR_ALIBABA, 2);
	machine_cxl_mem(m, 3, BDF_MEM0, mem0, 2);
	machine_cxl_mem(m, 4, BDF_MEM1, mem1, 1);
	machine_root_port(m, 5, BDF_FAR, DWC_VENDOR_QCOM, 0x31);
	fake_usual(&m->cpmu[0], 8, FAKE_USUAL | CPMU_CAP_FILTER_HDM | 2ull << CPMU_CAP_MSI_SHIFT);
	fake_usual(&m->cpmu[1], 8, FAKE_USUAL & ~CPMU_CAP_WRITABLE_WHEN_FROZEN);
	fake_usual(&m->cpmu[2], 8, FAKE_USUAL & ~CPMU_CAP_INTERRUPT);
	return (struct pv_bus){
		.ctx = m,
		.cfg_read = machine_cfg_read,
		.cfg_write = machine_cfg_write,
		.bar_map = machine_bar_map,
		.bar_unmap = machine_bar_unmap,
		.mmio_read = machine_mmio_read,
		.mmio_write = machine_mmio_write,
		.irq_set = machine_irq_set,
		.irq_save = machine_irq_save,
		.irq_restore = machine_irq_restore,
		.now_ns = machine_now,
		.delay_ns = machine_delay,
	};
}

#endif
