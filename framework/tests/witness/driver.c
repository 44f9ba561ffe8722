/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks the reference driver: a bus that is configuration space and nothing else. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "drivers/user/sys.h"
#include "framework/tests/witness/subjects.h"

struct bus {
	const struct pv_witness_machine *m;
	struct pv_cfg_image *image; /* by the index of the function */
	bool there[PV_WITNESS_FUNCTIONS];
	int16_t *by_bdf; /* index + 1 */
	uint64_t now_ns;
};

static struct pv_cfg_image *image_at(struct bus *b, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	int i = b->by_bdf[bdf] - 1;

	return i >= 0 && b->there[i] && off + bytes <= PCI_CFG_BYTES ? &b->image[i] : NULL;
}

static uint32_t cfg_read(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes)
{
	const struct pv_cfg_image *c = image_at(ctx, bdf, off, bytes);
	uint32_t v = 0xffffffff;

	if (c)
		memcpy(&v, c->data + off, bytes);
	return bytes == 4 ? v : v & ((1u << 8 * bytes) - 1);
}

static uint16_t devctl_of(const struct pv_cfg_image *c, unsigned at)
{
	return (uint16_t)(c->data[at] | c->data[at + 1] << 8);
}

static unsigned mps_field(uint16_t ctl)
{
	return (ctl & PCI_EXP_DEVCTL_MPS) >> PCI_EXP_DEVCTL_MPS_SHIFT;
}

static unsigned mrrs_field(uint16_t ctl)
{
	return (ctl & PCI_EXP_DEVCTL_MRRS) >> PCI_EXP_DEVCTL_MRRS_SHIFT;
}

static void settle_devctl(const struct pv_witness_function *f, struct pv_cfg_image *c, uint16_t old)
{
	unsigned at = f->cap + PCI_EXP_DEVCTL;
	uint16_t v = (uint16_t)((old & f->devctl_ro) | (devctl_of(c, at) & ~f->devctl_ro));

	if (mrrs_field(v) > f->mrrs_max)
		v = (uint16_t)((v & ~PCI_EXP_DEVCTL_MRRS) | (old & PCI_EXP_DEVCTL_MRRS));
	memcpy(c->data + at, &v, sizeof(v));
}

static void cfg_write(void *ctx, pv_bdf bdf, uint32_t off, unsigned bytes, uint32_t value)
{
	struct bus *b = ctx;
	struct pv_cfg_image *c = image_at(b, bdf, off, bytes);

	if (!c || off == PCI_STATUS)
		return;
	const struct pv_witness_function *f = &b->m->f[b->by_bdf[bdf] - 1];
	uint16_t old = devctl_of(c, f->cap + PCI_EXP_DEVCTL);
	memcpy(c->data + off, &value, bytes);
	if (pv_witness_is_pcie(f))
		settle_devctl(f, c, old);
}

static int bar_map(void *ctx, pv_bdf bdf, unsigned bar, uint32_t offset, uint32_t bytes)
{
	return -ENODEV;
}

static void bar_unmap(void *ctx, pv_bdf bdf, unsigned bar, uint32_t offset, uint32_t bytes)
{
}

static uint64_t mmio_read(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes)
{
	return ~0ull;
}

static void mmio_write(void *ctx, pv_bdf bdf, unsigned bar, uint32_t off, unsigned bytes, uint64_t value)
{
}

static void *dma_alloc(void *ctx, pv_bdf bdf, size_t bytes, uint64_t *dma)
{
	return NULL;
}

static void dma_free(void *ctx, pv_bdf bdf, void *cpu, size_t bytes, uint64_t dma)
{
}

static bool iommu_translates(void *ctx, pv_bdf bdf)
{
	return false;
}

static int irq_set(void *ctx, pv_bdf bdf, unsigned vectors, void (*fn)(void *arg, unsigned vector), void *arg)
{
	return -ENOSYS;
}

static void irq_nothing(void *ctx)
{
}

static uint64_t now_ns(void *ctx)
{
	return ((struct bus *)ctx)->now_ns++;
}

static void delay_ns(void *ctx, uint64_t ns)
{
	((struct bus *)ctx)->now_ns += ns;
}

static void drop_log(void *ctx, int level, const char *text)
{
}

/* ---- events ---- */

static void arrive(struct bus *b, int e)
{
	for (int i = 0; i < b->m->n; i++)
		if (b->m->f[i].arrives & 1u << e) {
			pv_witness_image(b->m, i, &b->image[i]);
			b->there[i] = true;
		}
}

static int plug(struct pv_sys *sys, struct bus *b, int slot)
{
	return pv_sys_device_plugged(sys, pv_witness_bdf(&b->m->f[slot]));
}

/* The functions below a slot leave, the deepest first; VFs with their PF. Some were never found. */
static int unplug(struct pv_sys *sys, struct bus *b, int slot)
{
	int err = 0;

	for (int i = b->m->n - 1; i >= 0; i--) {
		if (!b->there[i] || !pv_witness_is_below(b->m, i, slot))
			continue;
		b->there[i] = false;
		int r = pv_sys_device_removed(sys, pv_witness_bdf(&b->m->f[i]));
		err = err || r == -ENODEV ? err : r;
	}
	return err;
}

static int happen(struct pv_sys *sys, struct bus *b, int e)
{
	int slot = b->m->event[e].slot;

	if (b->m->event[e].how == PV_MPS_UNPLUG)
		return unplug(sys, b, slot);
	arrive(b, e);
	return b->m->event[e].how == PV_MPS_AT_HOTPLUG ? plug(sys, b, slot) : pv_sys_rescan(sys);
}

static void run(struct bus *b, const struct pv_bus *face, struct pv_witness_answer *a)
{
	arrive(b, 0);
	struct pv_sys *sys = pv_sys_boot(face, b->m->policy);
	for (int e = 1; sys && e < b->m->events; e++) {
		int err = happen(sys, b, e);

		if (err < 0)
			snprintf(a->problem, sizeof(a->problem), "event %d: %s", e, strerror(-err));
	}
	if (sys)
		pv_sys_shutdown(sys);
	else
		snprintf(a->problem, sizeof(a->problem), "no memory");
}

void pv_witness_ask_driver(const struct pv_witness_machine *m, struct pv_witness_answer *a)
{
	static struct pv_cfg_image images[PV_WITNESS_FUNCTIONS];
	static int16_t by_bdf[0x10000];
	struct bus b = {.m = m, .image = images, .by_bdf = by_bdf};
	const struct pv_bus face = {
		.ctx = &b,
		.cfg_read = cfg_read,
		.cfg_write = cfg_write,
		.bar_map = bar_map,
		.bar_unmap = bar_unmap,
		.mmio_read = mmio_read,
		.mmio_write = mmio_write,
		.dma_alloc = dma_alloc,
		.dma_free = dma_free,
		.iommu_translates = iommu_translates,
		.irq_set = irq_set,
		.irq_save = irq_nothing,
		.irq_restore = irq_nothing,
		.now_ns = now_ns,
		.delay_ns = delay_ns,
		.log = drop_log,
	};

	memset(a, 0, sizeof(*a));
	memset(by_bdf, 0, sizeof(by_bdf));
	for (int i = 0; i < m->n; i++)
		by_bdf[pv_witness_bdf(&m->f[i])] = (int16_t)(i + 1);
	run(&b, &face, a);
	for (int i = 0; i < m->n; i++) {
		uint16_t ctl = devctl_of(&images[i], m->f[i].cap + PCI_EXP_DEVCTL);
		bool pcie = pv_witness_is_pcie(&m->f[i]);

		a->f[i] = (struct pv_witness_sizes){b.there[i], pcie ? PCI_EXP_SIZE_BYTES(mps_field(ctl)) : 0,
						    pcie ? PCI_EXP_SIZE_BYTES(mrrs_field(ctl)) : 0};
	}
}
