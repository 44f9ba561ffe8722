/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hand-made machine for the tests of the user-space driver: configuration spaces as bytes that the test
 * fills, one PTT that puts running numbers into its DMA buffers, interrupts that wait while they are off.
 */
#ifndef PV_TESTS_FAKE_MACHINE_H
#define PV_TESTS_FAKE_MACHINE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "drivers/regs/ptt.h"
#include "drivers/user/bus.h"
#include "drivers/user/pmu.h"
#include "drivers/user/sys.h"

enum { FAKE_FUNCS = 48, FAKE_PCIE_CAP = 0x40, FAKE_RECORD = 32, FAKE_LOG = 128 };

struct fake_func {
	pv_bdf bdf;
	bool present;
	uint8_t cfg[PCI_CFG_BYTES];
};

struct fake_ptt_device {
	pv_bdf bdf;
	uint32_t ctrl, int_stat, int_mask, tune_data, size, range, location;
	uint64_t addr[PTT_DMA_BUFFERS];
	uint32_t current, written, produced;
	bool busy, tune_stuck;
	bool endless; /* writes on, whatever TRACE_CTRL says */
};

struct fake_machine {
	struct pv_bus bus;
	struct fake_func func[FAKE_FUNCS];
	unsigned count;
	struct fake_ptt_device ptt;
	uint64_t now_ns;
	bool translates, no_dma, no_irq;
	unsigned dma_live;
	int mapped; /* BARs */
	/* one interrupt function is enough */
	void (*irq)(void *arg, unsigned vector);
	void *irq_arg;
	pv_bdf irq_bdf;
	unsigned irq_vectors, irq_off;
	bool irq_waits;
	char log[FAKE_LOG][256];
	unsigned log_count;
};

static inline struct fake_func *fake_func(struct fake_machine *m, pv_bdf bdf)
{
	unsigned i;

	for (i = 0; i < m->count; i++)
		if (m->func[i].bdf == bdf)
			return &m->func[i];
	return NULL;
}

static inline void fake_put16(struct fake_func *f, uint32_t off, uint16_t value)
{
	memcpy(f->cfg + off, &value, 2);
}

/* A function of this port type; type < 0: a conventional one. */
static inline struct fake_func *fake_add(struct fake_machine *m, pv_bdf bdf, int type)
{
	struct fake_func *f = &m->func[m->count++];

	memset(f, 0, sizeof(*f));
	f->bdf = bdf;
	f->present = true;
	fake_put16(f, PCI_VENDOR_ID, 0x1234);
	fake_put16(f, PCI_DEVICE_ID, 0x0001);
	f->cfg[PCI_HEADER_TYPE] = PCI_HEADER_MULTI_FUNCTION;
	if (type < 0)
		return f;
	fake_put16(f, PCI_STATUS, PCI_STATUS_CAP_LIST);
	f->cfg[PCI_CAPABILITIES] = FAKE_PCIE_CAP;
	fake_put16(f, FAKE_PCIE_CAP, PCI_CAP_ID_EXP);
	fake_put16(f, FAKE_PCIE_CAP + PCI_EXP_FLAGS, (uint16_t)(type << PCI_EXP_FLAGS_TYPE_SHIFT | 2));
	f->cfg[FAKE_PCIE_CAP + PCI_EXP_DEVCAP] = 2; /* 512 */
	fake_put16(f, FAKE_PCIE_CAP + PCI_EXP_DEVCTL, 0x2000);
	return f;
}

static inline struct fake_func *fake_add_bridge(struct fake_machine *m, pv_bdf bdf, int type, unsigned secondary,
						unsigned subordinate)
{
	struct fake_func *f = fake_add(m, bdf, type);

	f->cfg[PCI_HEADER_TYPE] |= PCI_HEADER_TYPE_BRIDGE;
	f->cfg[PCI_SECONDARY_BUS] = (uint8_t)secondary;
	f->cfg[PCI_SUBORDINATE_BUS] = (uint8_t)subordinate;
	return f;
}

/* hisi_ptt3_1, for the Root Ports 00:10.0 to 00:12.0. */
static inline void fake_add_ptt(struct fake_machine *m, pv_bdf bdf)
{
	struct fake_func *f = fake_add(m, bdf, PCI_EXP_TYPE_RC_END);

	fake_put16(f, PCI_VENDOR_ID, PTT_VENDOR_ID);
	fake_put16(f, PCI_DEVICE_ID, PTT_DEVICE_ID);
	m->ptt.bdf = bdf;
	m->ptt.range = 0x00900080;
	m->ptt.location = 0x00030001;
	m->ptt.int_mask = PTT_TRACE_INT_MASK_ALL;
}

static inline uint32_t fake_cfg_read(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	struct fake_func *f = fake_func(ctx, bdf);
	uint32_t value = 0;

	if (!f || !f->present)
		return bytes == 4 ? 0xffffffff : (1u << 8 * bytes) - 1;
	memcpy(&value, f->cfg + off, bytes);
	return value;
}

static inline void fake_cfg_write(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value)
{
	struct fake_func *f = fake_func(ctx, bdf);

	if (f && f->present)
		memcpy(f->cfg + off, &value, bytes);
}

static inline uint64_t fake_mmio_read(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes)
{
	struct fake_machine *m = ctx;
	const struct fake_ptt_device *p = &m->ptt;
	struct fake_func *f = fake_func(m, bdf);

	m->now_ns += 100;
	if (bdf != p->bdf || bar != PTT_BAR || !f || !f->present)
		return 0xffffffff;
	switch (off) {
	case PTT_DEVICE_RANGE:
		return p->range;
	case PTT_LOCATION:
		return p->location;
	case PTT_TRACE_STS:
		return p->busy || p->endless ? 0 : PTT_TRACE_STS_IDLE;
	case PTT_TRACE_INT_STAT:
		return p->int_stat;
	case PTT_TRACE_WR_STS:
		return p->current << PTT_TRACE_WR_STS_BUFFER_SHIFT | p->written;
	case PTT_TUNING_INT_STAT:
		return p->tune_stuck;
	case PTT_TUNING_DATA:
		return p->tune_data;
	}
	return 0;
}

static inline void fake_mmio_write(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes, uint64_t value)
{
	struct fake_machine *m = ctx;
	struct fake_ptt_device *p = &m->ptt;
	unsigned n;

	m->now_ns += 100;
	if (bdf != p->bdf || bar != PTT_BAR)
		return;
	for (n = 0; n < PTT_DMA_BUFFERS; n++) {
		if (off == PTT_TRACE_ADDR_BASE_LO(n))
			p->addr[n] = (p->addr[n] & ~0xffffffffull) | value;
		else if (off == PTT_TRACE_ADDR_BASE_HI(n))
			p->addr[n] = (p->addr[n] & 0xffffffffull) | value << 32;
	}
	if (off == PTT_TRACE_ADDR_SIZE)
		p->size = (uint32_t)value;
	else if (off == PTT_TRACE_INT_STAT)
		p->int_stat &= ~(uint32_t)value;
	else if (off == PTT_TRACE_INT_MASK)
		p->int_mask = (uint32_t)value;
	else if (off == PTT_TUNING_DATA && value != PTT_TUNING_DATA_READ)
		p->tune_data = (uint32_t)(value > PTT_TUNE_LEVEL_MAX ? PTT_TUNE_LEVEL_MAX : value);
	else if (off == PTT_TRACE_CTRL) {
		p->ctrl = (uint32_t)value;
		if (value & PTT_TRACE_CTRL_RST)
			p->current = p->written = 0;
	}
}

static inline void fake_irq(struct fake_machine *m)
{
	if (m->irq_off)
		m->irq_waits = true;
	else if (m->irq)
		m->irq(m->irq_arg, PTT_MSI_VECTOR);
}

/* Lets the PTT write this number of records of 32 bytes, each beginning with its running number. */
static inline void fake_trace(struct fake_machine *m, unsigned records)
{
	struct fake_ptt_device *p = &m->ptt;

	if (!(fake_func(m, p->bdf)->cfg[PCI_COMMAND] & PCI_COMMAND_MASTER))
		return;
	while (records-- && (p->endless || p->ctrl & PTT_TRACE_CTRL_EN)) {
		uint8_t *at = (uint8_t *)(uintptr_t)p->addr[p->current] + p->written;

		memset(at, 0, FAKE_RECORD);
		memcpy(at, &p->produced, sizeof(p->produced));
		p->produced++;
		p->written += FAKE_RECORD;
		if (p->written < p->size)
			continue;
		p->int_stat |= 1u << p->current;
		p->current = (p->current + 1) % PTT_DMA_BUFFERS;
		p->written = 0;
		if (!p->int_mask)
			fake_irq(m);
	}
}

static inline void *fake_dma_alloc(void *ctx, pv_bdf bdf, size_t bytes, uint64_t *dma)
{
	struct fake_machine *m = ctx;
	void *cpu = m->no_dma ? NULL : calloc(1, bytes);

	*dma = (uintptr_t)cpu;
	m->dma_live += cpu != NULL;
	return cpu;
}

static inline void fake_dma_free(void *ctx, pv_bdf bdf, void *cpu, size_t bytes, uint64_t dma)
{
	((struct fake_machine *)ctx)->dma_live--;
	free(cpu);
}

static inline bool fake_translates(void *ctx, pv_bdf bdf)
{
	return ((struct fake_machine *)ctx)->translates;
}

static inline int fake_irq_set(void *ctx, pv_bdf bdf, unsigned vectors, void (*fn)(void *arg, unsigned vector),
			       void *arg)
{
	struct fake_machine *m = ctx;

	if (m->no_irq && fn)
		return -28;
	m->irq = fn;
	m->irq_arg = arg;
	m->irq_bdf = bdf;
	m->irq_vectors = vectors;
	return 0;
}

static inline void fake_irq_save(void *ctx)
{
	((struct fake_machine *)ctx)->irq_off++;
}

static inline void fake_irq_restore(void *ctx)
{
	struct fake_machine *m = ctx;

	if (--m->irq_off || !m->irq_waits)
		return;
	m->irq_waits = false;
	fake_irq(m);
}

static inline uint64_t fake_now(void *ctx)
{
	return ((struct fake_machine *)ctx)->now_ns;
}

static inline void fake_delay(void *ctx, uint64_t ns)
{
	((struct fake_machine *)ctx)->now_ns += ns;
}

static inline void fake_bus_log(void *ctx, int level, const char *text)
{
	struct fake_machine *m = ctx;

	strncpy(m->log[m->log_count++ % FAKE_LOG], text, sizeof(m->log[0]) - 1);
}

static inline int fake_bar_map(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, uint32_t bytes)
{
	((struct fake_machine *)ctx)->mapped++;
	return 0;
}

static inline void fake_bar_unmap(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, uint32_t bytes)
{
	((struct fake_machine *)ctx)->mapped--;
}

static inline void fake_init(struct fake_machine *m)
{
	memset(m, 0, sizeof(*m));
	m->bus = (struct pv_bus){
		.ctx = m,
		.cfg_read = fake_cfg_read,
		.cfg_write = fake_cfg_write,
		.bar_map = fake_bar_map,
		.bar_unmap = fake_bar_unmap,
		.mmio_read = fake_mmio_read,
		.mmio_write = fake_mmio_write,
		.dma_alloc = fake_dma_alloc,
		.dma_free = fake_dma_free,
		.iommu_translates = fake_translates,
		.irq_set = fake_irq_set,
		.irq_save = fake_irq_save,
		.irq_restore = fake_irq_restore,
		.now_ns = fake_now,
		.delay_ns = fake_delay,
		.log = fake_bus_log,
	};
}

/*
 * PTT 00:01.0 for 00:10.0-00:12.0; 00:10.0 with a card of two functions, 00:11.0 with a switch and a card
 * below it, 00:12.0 empty; 00:13.0 of another core with a card.
 */
static inline void fake_core(struct fake_machine *m)
{
	fake_init(m);
	fake_add_ptt(m, PCI_BDF(0, 0x01, 0));
	fake_add_bridge(m, PCI_BDF(0, 0x10, 0), PCI_EXP_TYPE_ROOT_PORT, 1, 1);
	fake_add(m, PCI_BDF(1, 0, 0), PCI_EXP_TYPE_ENDPOINT);
	fake_add(m, PCI_BDF(1, 0, 1), PCI_EXP_TYPE_ENDPOINT);
	fake_add_bridge(m, PCI_BDF(0, 0x11, 0), PCI_EXP_TYPE_ROOT_PORT, 2, 4);
	fake_add_bridge(m, PCI_BDF(2, 0, 0), PCI_EXP_TYPE_UPSTREAM, 3, 4);
	fake_add_bridge(m, PCI_BDF(3, 0, 0), PCI_EXP_TYPE_DOWNSTREAM, 4, 4);
	fake_add(m, PCI_BDF(4, 0, 0), PCI_EXP_TYPE_ENDPOINT);
	fake_add_bridge(m, PCI_BDF(0, 0x12, 0), PCI_EXP_TYPE_ROOT_PORT, 5, 5);
	fake_add_bridge(m, PCI_BDF(0, 0x13, 0), PCI_EXP_TYPE_ROOT_PORT, 6, 6);
	fake_add(m, PCI_BDF(6, 0, 0), PCI_EXP_TYPE_ENDPOINT);
}

/* BDFs of the functions in the order of the scan, four hex digits and a space each. */
static inline const char *fake_order(struct pv_sys *sys)
{
	static char text[512];
	const struct pv_func *func;

	text[0] = '\0';
	for (func = pv_sys_funcs(sys); func; func = func->next)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%04x ", func->bdf);
	return text;
}

#endif
