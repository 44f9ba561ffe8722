/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a function's CPMUs are (Register Locator DVSEC, CXL 3.0 8.1.9) and what they can do (8.2.7).
 * Everything that a device says about itself is checked.
 */
#include "drivers/core/cpmu.h"
#include "drivers/core/pcie.h"
#include "drivers/regs/pcie.h"

enum { BARS_ENDPOINT = 6, BARS_BRIDGE = 2 };

/* Walks the entries of the Register Locator. */
struct locator {
	const struct pv_cfg *cfg;
	uint32_t next, end;
};

struct locator_entry {
	uint32_t lo, hi;
};

static struct locator locator_open(const struct pv_cfg *cfg)
{
	struct locator l = {.cfg = cfg};
	unsigned bytes;
	uint32_t pos = pv_pcie_find_dvsec(cfg, CXL_DVSEC_VENDOR_ID, CXL_DVSEC_REG_LOCATOR_ID, &bytes);

	if (!pos)
		return l;
	l.next = pos + CXL_REG_LOCATOR_FIRST;
	l.end = pos + bytes;
	if (l.end > PCI_CFG_BYTES)
		l.end = PCI_CFG_BYTES;
	return l;
}

static unsigned block_id(const struct locator_entry *e)
{
	return (e->lo & CXL_REG_LOCATOR_ID_MASK) >> CXL_REG_LOCATOR_ID_SHIFT;
}

static bool locator_next(struct locator *l, struct locator_entry *e)
{
	if (l->next + CXL_REG_LOCATOR_ENTRY_BYTES > l->end)
		return false;
	e->lo = pv_cfg_read32(l->cfg, l->next);
	e->hi = pv_cfg_read32(l->cfg, l->next + 4);
	l->next += CXL_REG_LOCATOR_ENTRY_BYTES;
	return true;
}

/* The next entry of block id CPMU. */
static bool locator_next_cpmu(struct locator *l, struct locator_entry *e)
{
	while (locator_next(l, e))
		if (block_id(e) == CXL_REG_BLOCK_CPMU)
			return true;
	return false;
}

static bool same_block(const struct locator_entry *a, const struct locator_entry *b)
{
	uint32_t where = CXL_REG_LOCATOR_BIR_MASK | CXL_REG_LOCATOR_OFF_LO_MASK;

	return (a->lo & where) == (b->lo & where) && a->hi == b->hi;
}

/* NULL: `bar` is a memory BAR, as far as configuration space tells. */
static const char *bar_fault(const struct pv_cfg *cfg, unsigned bar)
{
	uint8_t header = pv_cfg_read8(cfg, PCI_HEADER_TYPE) & PCI_HEADER_TYPE_MASK;
	unsigned bars = header == PCI_HEADER_TYPE_BRIDGE ? BARS_BRIDGE : BARS_ENDPOINT;
	unsigned i;

	if (bar >= bars)
		return "the Register Locator names a BAR that cannot exist";

	for (i = 0; i < bar; i++) {
		uint32_t value = pv_cfg_read32(cfg, PCI_BAR(i));

		if (!(value & PCI_BAR_IO) && (value & PCI_BAR_64) && ++i == bar)
			return "the Register Locator names the upper half of a 64-bit BAR";
	}
	if (pv_cfg_read32(cfg, PCI_BAR(bar)) & PCI_BAR_IO)
		return "the Register Locator names an I/O BAR";
	return NULL;
}

unsigned pv_cpmu_count(const struct pv_cfg *cfg)
{
	struct locator l = locator_open(cfg);
	struct locator_entry e;
	unsigned n = 0;

	while (locator_next_cpmu(&l, &e))
		n++;
	return n;
}

/* Returns NULL if no other block overlaps CPMU number `n`; later CPMUs are not considered. */
static const char *place_fault(const struct pv_cfg *cfg, unsigned n, const struct locator_entry *e)
{
	struct locator l = locator_open(cfg);
	struct locator_entry other;
	unsigned cpmus = 0;

	while (locator_next(&l, &other)) {
		bool is_cpmu = block_id(&other) == CXL_REG_BLOCK_CPMU;

		if (same_block(e, &other) && is_cpmu && cpmus < n)
			return "the Register Locator lists these registers twice";
		if (same_block(e, &other) && !is_cpmu && block_id(&other))
			return "the Register Locator gives these registers to another block too";
		cpmus += is_cpmu;
	}
	return NULL;
}

static bool nth_cpmu(const struct pv_cfg *cfg, unsigned n, struct locator_entry *e)
{
	struct locator l = locator_open(cfg);
	unsigned i;

	for (i = 0; i <= n; i++)
		if (!locator_next_cpmu(&l, e))
			return false;
	return true;
}

int pv_cpmu_find(const struct pv_cfg *cfg, unsigned n, struct pv_cpmu_block *block, const char **why)
{
	struct locator_entry e;

	if (!nth_cpmu(cfg, n, &e)) {
		*why = "the Register Locator lists no such CPMU";
		return -PV_ENOENT;
	}

	*why = bar_fault(cfg, e.lo & CXL_REG_LOCATOR_BIR_MASK);
	if (!*why && e.hi)
		*why = "the Register Locator's offset lies beyond any BAR";
	if (!*why)
		*why = place_fault(cfg, n, &e);
	if (*why)
		return -PV_ENODEV;

	block->bar = (uint8_t)(e.lo & CXL_REG_LOCATOR_BIR_MASK);
	block->offset = e.lo & CXL_REG_LOCATOR_OFF_LO_MASK;
	return 0;
}

/* Returns NULL, or why a device with these capabilities cannot be driven. */
static const char *cap_fault(uint64_t cap)
{
	unsigned width = (unsigned)((cap & CPMU_CAP_WIDTH_MASK) >> CPMU_CAP_WIDTH_SHIFT);

	if (cap == ~0ull)
		return "the registers read all ones: nothing answers there";
	if (width == 0 || width > 64)
		return "the counter width is not 1 to 64 bits";
	if (!(cap & CPMU_CAP_FREEZE))
		return "counters cannot be frozen";
	if (!(cap & CPMU_CAP_WRITABLE_WHEN_FROZEN))
		return "counters are not writable when frozen";
	return NULL;
}

static void parse_cap(struct pv_cpmu *pmu, uint64_t cap)
{
	pmu->counters = (unsigned)(cap & CPMU_CAP_COUNTERS_MASK) + 1;
	pmu->width = (unsigned)((cap & CPMU_CAP_WIDTH_MASK) >> CPMU_CAP_WIDTH_SHIFT);
	pmu->event_caps = (unsigned)((cap & CPMU_CAP_EVENT_CAPS_MASK) >> CPMU_CAP_EVENT_CAPS_SHIFT) + 1;
	pmu->filter_hdm = cap & CPMU_CAP_FILTER_HDM;
	pmu->filter_crb = cap & CPMU_CAP_FILTER_CRB;
	pmu->interrupt = cap & CPMU_CAP_INTERRUPT;
	pmu->msi = (unsigned)((cap & CPMU_CAP_MSI_MASK) >> CPMU_CAP_MSI_SHIFT);
	pmu->width_mask = ~0ull >> (64 - pmu->width);
	pmu->counters_mask = ~0ull >> (64 - pmu->counters);
}

static void parse_event_caps(struct pv_cpmu *pmu)
{
	unsigned i;

	for (i = 0; i < pmu->event_caps; i++) {
		uint64_t v = pmu->io.read64(pmu->io.ctx, CPMU_EVENT_CAP(i));

		pmu->cap[i].events = (uint32_t)(v & CPMU_EVENT_CAP_EVENTS_MASK);
		pmu->cap[i].gid = (uint16_t)((v & CPMU_EVENT_CAP_GID_MASK) >> CPMU_EVENT_CAP_GID_SHIFT);
		pmu->cap[i].vid = (uint16_t)((v & CPMU_EVENT_CAP_VID_MASK) >> CPMU_EVENT_CAP_VID_SHIFT);
	}
}

static void parse_counter(struct pv_cpmu *pmu, unsigned i)
{
	struct pv_cpmu_counter *c = &pmu->counter[i];

	c->cfg = pmu->io.read64(pmu->io.ctx, CPMU_COUNTER_CFG(i));
	c->type = (uint8_t)(c->cfg & CPMU_CFG_TYPE_MASK);
	c->usable = c->type == CPMU_CFG_TYPE_CONFIGURABLE;
	if (c->type != CPMU_CFG_TYPE_FIXED && c->type != CPMU_CFG_TYPE_FREE_RUNNING)
		return;

	c->cap = (uint8_t)((c->cfg & CPMU_CFG_GROUP_MASK) >> CPMU_CFG_GROUP_SHIFT);
	c->events = (uint32_t)((c->cfg & CPMU_CFG_EVENTS_MASK) >> CPMU_CFG_EVENTS_SHIFT);
	if (c->cap >= pmu->event_caps)
		return;
	pmu->cap[c->cap].taken = true;
	c->usable = c->type == CPMU_CFG_TYPE_FIXED;
}

int pv_cpmu_init(struct pv_cpmu *pmu, const struct pv_mmio *io, const char **why)
{
	uint64_t cap = io->read64(io->ctx, CPMU_CAP);
	unsigned i;

	*why = cap_fault(cap);
	if (*why)
		return -PV_ENODEV;

	__builtin_memset(pmu, 0, sizeof(*pmu));
	pmu->io = *io;
	parse_cap(pmu, cap);
	parse_event_caps(pmu);
	for (i = 0; i < pmu->counters; i++)
		parse_counter(pmu, i);

	pv_cpmu_idle(pmu);
	return 0;
}
