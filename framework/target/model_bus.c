/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bus over a model. An MSI of the model waits for its latency, then the driver's handler runs on the only thread,
 * as an interrupt does on the only CPU.
 */
#include "framework/target/model_bus.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "drivers/regs/pcie.h"

#define DMA_FIRST      0x100000000ull /* above 4 GiB: detects drivers that drop the high half ... */
#define DMA_STRIDE     0x100000000ull /* ... or use the same high half for two blocks */
#define DMA_ALIGN      0x10000ull
#define DMA_MMIO       0x8000000000ull /* the models' MMIO above 4 GiB, which is no memory */
#define DMA_MMIO_END   0x10000000000ull
#define MSI_ADDRESS    0xfee00000u
#define IRQ_LATENCY_PS (2 * PV_PS_PER_US)
#define STORM	       64 /* interrupts in a row, at most, before the interrupted program goes on */

/* ---- interrupts ---- */

static bool deliverable(const struct pv_model_bus *b)
{
	return !b->irq_off && !b->in_isr && b->delay.n;
}

static struct pv_irq_line *line_of(struct pv_model_bus *b, pv_bdf bdf)
{
	for (size_t i = 0; i < b->lines; i++)
		if (b->line[i].bdf == bdf)
			return &b->line[i];
	return NULL;
}

static void deliver(struct pv_model_bus *b, const struct pv_delayed_msi *msi)
{
	struct pv_irq_line *line = line_of(b, msi->bdf);

	if (!line || !line->fn || msi->vector >= line->vectors) {
		b->lost++;
		return;
	}
	b->delivered++;
	b->in_isr = true;
	line->fn(line->arg, msi->vector);
	b->in_isr = false;
}

/* A device that raises its interrupt faster than the handler ends does not stop the program that is interrupted. */
static void deliver_due(struct pv_model_bus *b)
{
	struct pv_delayed_msi msi;

	for (unsigned n = 0; n < STORM && deliverable(b); n++) {
		if (!pv_msi_delay_take(&b->delay, pv_model_now_ps(b->model), &msi))
			return;
		deliver(b, &msi);
	}
}

void pv_model_bus_msi(struct pv_model_bus *b, pv_bdf bdf, unsigned vector)
{
	pv_msi_delay_add(&b->delay, pv_model_now_ps(b->model), bdf, vector);
}

void pv_model_bus_latency(struct pv_model_bus *b, uint64_t latency_ps)
{
	pv_msi_delay_set(&b->delay, pv_model_now_ps(b->model), latency_ps);
}

void pv_model_bus_run(struct pv_model_bus *b, uint64_t until_ps)
{
	for (;;) {
		deliver_due(b);
		uint64_t stop = deliverable(b) ? pv_msi_delay_next_ps(&b->delay) : until_ps;
		if (pv_model_now_ps(b->model) >= until_ps)
			return;
		pv_model_run(b->model, stop < until_ps ? stop : until_ps);
	}
}

/* ---- accesses ---- */

static uint32_t bus_cfg_read(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	struct pv_model_bus *b = ctx;
	uint32_t v = (uint32_t)pv_model_cfg_read(b->model, bdf, off, bytes);

	deliver_due(b);
	return v;
}

static void bus_cfg_write(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value)
{
	struct pv_model_bus *b = ctx;

	pv_model_cfg_write(b->model, bdf, off, bytes, value);
	deliver_due(b);
}

static bool is_mapped(const struct pv_model_bus *b, const struct pv_bar_map *a)
{
	for (size_t i = 0; i < b->maps; i++) {
		const struct pv_bar_map *m = &b->map[i];

		if (m->bdf == a->bdf && m->bar == a->bar && a->off >= m->off && a->off - m->off < m->bytes &&
		    a->bytes <= m->bytes - (a->off - m->off))
			return true;
	}
	return false;
}

/* Notes an access outside of mapped BARs: on a real machine a page fault, or another device's registers. */
static bool is_stray(struct pv_model_bus *b, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes)
{
	struct pv_bar_map access = {bdf, bar, off, bytes};

	if (is_mapped(b, &access))
		return false;
	if (!b->stray++)
		b->stray_first = access;
	return true;
}

static uint64_t bus_mmio_read(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes)
{
	struct pv_model_bus *b = ctx;

	if (is_stray(b, bdf, bar, off, bytes))
		return UINT64_MAX;
	uint64_t v = pv_model_mmio_read(b->model, bdf, bar, off, bytes);
	deliver_due(b);
	return v;
}

static void bus_mmio_write(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes, uint64_t value)
{
	struct pv_model_bus *b = ctx;

	if (is_stray(b, bdf, bar, off, bytes))
		return;
	pv_model_mmio_write(b->model, bdf, bar, off, bytes, value);
	deliver_due(b);
}

static int bus_bar_map(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, uint32_t bytes)
{
	struct pv_model_bus *b = ctx;
	uint64_t size = pv_model_bar_bytes(b->model, bdf, bar);

	if (!size)
		return -ENODEV;
	if (!bytes || bytes > size || off > size - bytes)
		return -EINVAL;
	if (b->maps == PV_BUS_MAPS)
		return -ENOMEM;
	b->map[b->maps++] = (struct pv_bar_map){bdf, bar, off, bytes};
	return 0;
}

static void bus_bar_unmap(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, uint32_t bytes)
{
	struct pv_model_bus *b = ctx;

	for (size_t i = 0; i < b->maps; i++) {
		const struct pv_bar_map *m = &b->map[i];

		if (m->bdf != bdf || m->bar != bar || m->off != off || m->bytes != bytes)
			continue;
		b->map[i] = b->map[--b->maps];
		return;
	}
}

/* ---- DMA memory ---- */

static void *bus_dma_alloc(void *ctx, pv_bdf bdf, size_t bytes, uint64_t *dma)
{
	struct pv_model_bus *b = ctx;

	if (!bytes || b->blocks == PV_BUS_DMA_BLOCKS)
		return NULL;
	void *cpu = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (cpu == MAP_FAILED)
		return NULL;
	if (b->next_dma < DMA_MMIO_END && b->next_dma + bytes > DMA_MMIO)
		b->next_dma = DMA_MMIO_END;
	*dma = b->next_dma;
	b->block[b->blocks++] = (struct pv_dma_block){cpu, b->next_dma, bytes, bdf};
	/* A gap after each block: an access past its end maps to nothing. */
	b->next_dma += DMA_STRIDE + ((bytes + 2 * DMA_ALIGN - 1) & ~(DMA_ALIGN - 1));
	return cpu;
}

static void bus_dma_free(void *ctx, pv_bdf bdf, void *cpu, size_t bytes, uint64_t dma)
{
	struct pv_model_bus *b = ctx;

	for (size_t i = 0; i < b->blocks; i++) {
		if (b->block[i].cpu != cpu)
			continue;
		pv_model_dma_gone(b->model, b->block[i].dma, b->block[i].bytes);
		munmap(cpu, b->block[i].bytes);
		b->block[i] = b->block[--b->blocks];
		b->last = NULL;
		return;
	}
}

static bool within(const struct pv_dma_block *d, uint64_t addr, size_t bytes)
{
	return addr >= d->dma && addr - d->dma < d->bytes && bytes <= d->bytes - (addr - d->dma);
}

void *pv_model_bus_dma_map(struct pv_model_bus *b, uint64_t addr, size_t bytes)
{
	if (!b->last || !within(b->last, addr, bytes)) {
		b->last = NULL;
		for (size_t i = 0; i < b->blocks && !b->last; i++)
			if (within(&b->block[i], addr, bytes))
				b->last = &b->block[i];
	}
	return b->last ? (char *)b->last->cpu + (addr - b->last->dma) : NULL;
}

static bool bus_iommu_translates(void *ctx, pv_bdf bdf)
{
	const struct pv_topology *t = ((struct pv_model_bus *)ctx)->topology;

	return t && t->iommu == PV_IOMMU_TRANSLATES;
}

static uint64_t bus_local_cpus(void *ctx, pv_bdf bdf)
{
	const struct pv_topology *t = ((struct pv_model_bus *)ctx)->topology;

	return t ? pv_topology_local_cpus(t, bdf) : 0;
}

/* ---- MSI ---- */

static uint32_t find_msi(struct pv_model_bus *b, pv_bdf bdf)
{
	if (!(bus_cfg_read(b, bdf, PCI_STATUS, 2) & PCI_STATUS_CAP_LIST))
		return 0;
	uint32_t pos = bus_cfg_read(b, bdf, PCI_CAPABILITIES, 1) & 0xfc;
	for (unsigned hops = 0; pos >= 0x40 && hops < 48; hops++) {
		uint32_t head = bus_cfg_read(b, bdf, pos, 2);

		if ((head & 0xff) == PCI_CAP_ID_MSI)
			return pos;
		pos = head >> 8 & 0xfc;
	}
	return 0;
}

static void program_msi(struct pv_model_bus *b, pv_bdf bdf, uint32_t cap, uint32_t flags, unsigned order)
{
	bool wide = flags & PCI_MSI_FLAGS_64BIT;

	bus_cfg_write(b, bdf, cap + PCI_MSI_ADDRESS_LO, 4, MSI_ADDRESS);
	if (wide)
		bus_cfg_write(b, bdf, cap + PCI_MSI_ADDRESS_HI, 4, 0);
	bus_cfg_write(b, bdf, cap + (wide ? PCI_MSI_DATA_64 : PCI_MSI_ADDRESS_HI), 2, 0);
	flags = (flags & ~(uint32_t)PCI_MSI_FLAGS_QSIZE) | order << 4 | PCI_MSI_FLAGS_ENABLE;
	bus_cfg_write(b, bdf, cap + PCI_MSI_FLAGS, 2, flags);
}

static int msi_on(struct pv_model_bus *b, pv_bdf bdf, unsigned vectors)
{
	uint32_t cap = find_msi(b, bdf);

	if (!cap)
		return -ENODEV;
	uint32_t flags = bus_cfg_read(b, bdf, cap + PCI_MSI_FLAGS, 2);
	unsigned order = 0;
	while (1u << order < vectors)
		order++;
	if (order > (flags & PCI_MSI_FLAGS_QMASK) >> 1)
		return -ENOSPC;
	program_msi(b, bdf, cap, flags, order);
	return 0;
}

static void msi_off(struct pv_model_bus *b, pv_bdf bdf)
{
	uint32_t cap = find_msi(b, bdf);

	if (!cap)
		return;
	uint32_t flags = bus_cfg_read(b, bdf, cap + PCI_MSI_FLAGS, 2);
	bus_cfg_write(b, bdf, cap + PCI_MSI_FLAGS, 2, flags & ~(uint32_t)PCI_MSI_FLAGS_ENABLE);
}

static void line_drop(struct pv_model_bus *b, struct pv_irq_line *line)
{
	pv_msi_delay_drop(&b->delay, line->bdf);
	*line = b->line[--b->lines];
}

static int bus_irq_set(void *ctx, pv_bdf bdf, unsigned vectors, void (*fn)(void *, unsigned), void *arg)
{
	struct pv_model_bus *b = ctx;
	struct pv_irq_line *line = line_of(b, bdf);

	if (line)
		line_drop(b, line);
	if (!fn) {
		msi_off(b, bdf);
		return 0;
	}
	if (b->lines == PV_BUS_IRQS || !vectors || vectors > 32)
		return -ENOSPC;
	/* Install the handler before the hardware may raise interrupts. */
	b->line[b->lines++] = (struct pv_irq_line){bdf, vectors, fn, arg};
	int err = msi_on(b, bdf, vectors);
	line = line_of(b, bdf);
	if (err && line)
		line_drop(b, line);
	return err;
}

static void bus_irq_save(void *ctx)
{
	((struct pv_model_bus *)ctx)->irq_off++;
}

static void bus_irq_restore(void *ctx)
{
	struct pv_model_bus *b = ctx;

	if (b->irq_off && !--b->irq_off)
		deliver_due(b);
}

/* ---- time and log ---- */

static uint64_t bus_now_ns(void *ctx)
{
	return pv_model_now_ps(((struct pv_model_bus *)ctx)->model) / PV_PS_PER_NS;
}

static void bus_delay_ns(void *ctx, uint64_t ns)
{
	struct pv_model_bus *b = ctx;

	pv_model_bus_run(b, pv_model_now_ps(b->model) + ns * PV_PS_PER_NS);
}

static void bus_log(void *ctx, int level, const char *text)
{
	fprintf(stderr, "driver: <%d> %s\n", level, text);
}

static const struct pv_bus bus_ops = {
	.cfg_read = bus_cfg_read,
	.cfg_write = bus_cfg_write,
	.bar_map = bus_bar_map,
	.bar_unmap = bus_bar_unmap,
	.mmio_read = bus_mmio_read,
	.mmio_write = bus_mmio_write,
	.dma_alloc = bus_dma_alloc,
	.dma_free = bus_dma_free,
	.iommu_translates = bus_iommu_translates,
	.local_cpus = bus_local_cpus,
	.irq_set = bus_irq_set,
	.irq_save = bus_irq_save,
	.irq_restore = bus_irq_restore,
	.now_ns = bus_now_ns,
	.delay_ns = bus_delay_ns,
	.log = bus_log,
};

void pv_model_bus_init(struct pv_model_bus *b)
{
	memset(b, 0, sizeof(*b));
	b->bus = bus_ops;
	b->bus.ctx = b;
	b->delay.latency_ps = IRQ_LATENCY_PS;
	b->next_dma = DMA_FIRST;
}

void pv_model_bus_reset(struct pv_model_bus *b)
{
	b->lines = b->delay.n = b->maps = 0;
	b->irq_off = 0;
	b->in_isr = false;
}

void pv_model_bus_fini(struct pv_model_bus *b)
{
	while (b->blocks) {
		struct pv_dma_block *d = &b->block[--b->blocks];

		munmap(d->cpu, d->bytes);
	}
	b->last = NULL;
}

/* ---- leaks after the driver's shutdown ---- */

/* Reports the DMA blocks of one function together, at the first of them. */
static void tell_dma(const struct pv_model_bus *b, size_t first, pv_report_fn told, void *ctx)
{
	char text[160];
	size_t blocks = 0, bytes = 0;

	for (size_t i = 0; i < b->blocks; i++) {
		if (b->block[i].bdf != b->block[first].bdf)
			continue;
		if (i < first)
			return;
		blocks++;
		bytes += b->block[i].bytes;
	}
	snprintf(text, sizeof(text), "the driver, shut down, still holds DMA memory of %s: %zu %s, %zu bytes",
		 pv_bdf_text(b->block[first].bdf).s, blocks, blocks == 1 ? "block" : "blocks", bytes);
	told(ctx, "leak", text);
}

static void tell_held(const struct pv_model_bus *b, pv_report_fn told, void *ctx)
{
	char text[160];

	for (size_t i = 0; i < b->blocks; i++)
		tell_dma(b, i, told, ctx);
	for (size_t i = 0; i < b->lines; i++) {
		snprintf(text, sizeof(text), "the driver, shut down, still has an interrupt handler for %s: %u MSI %s",
			 pv_bdf_text(b->line[i].bdf).s, b->line[i].vectors,
			 b->line[i].vectors == 1 ? "vector" : "vectors");
		told(ctx, "leak", text);
	}
	for (size_t i = 0; i < b->maps; i++) {
		snprintf(text, sizeof(text), "the driver, shut down, still has BAR %u of %s mapped: 0x%x bytes at 0x%x",
			 b->map[i].bar, pv_bdf_text(b->map[i].bdf).s, b->map[i].bytes, b->map[i].off);
		told(ctx, "leak", text);
	}
}

void pv_model_bus_account(const struct pv_model_bus *b, pv_report_fn told, void *ctx)
{
	char text[192];

	tell_held(b, told, ctx);
	if (b->irq_off)
		told(ctx, "leak", "the driver, shut down, still holds interrupts off");
	if (!b->stray)
		return;
	snprintf(text, sizeof(text),
		 "registers: expected no access but to what is mapped, got %" PRIu64
		 ", the first to BAR %u of %s at 0x%x",
		 b->stray, b->stray_first.bar, pv_bdf_text(b->stray_first.bdf).s, b->stray_first.off);
	told(ctx, "mmio", text);
}
