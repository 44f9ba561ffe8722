/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CXL PMUs as the Linux ABI shows them: cxl_pmu_mem<X>.<Y>, number Y of the Register Locator of CXL
 * memory device X. The work is done by drivers/core/cpmu.c.
 *
 * An event takes a counter when it is enabled, as in Linux: more events may be open than there are counters, and
 * enabling too many is -ENOSPC. Opening an event fails if its group could never run, or if all counters that the event
 * could use are in use.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/core/cpmu.h"
#include "drivers/core/cpmu_events.h"
#include "drivers/regs/pcie.h"
#include "drivers/user/pmu.h"

struct cpmu {
	struct pv_bar bar;
	struct pv_cpmu core;
};

static struct pv_cpmu *core_of(const struct pv_pmu *pmu)
{
	return &((struct cpmu *)pmu->priv)->core;
}

static bool cpmu_match(const struct pv_func *func)
{
	return func->class == CXL_MEM_CLASS;
}

static int cpmu_instances(struct pv_func *func, char why[PV_WHY_MAX])
{
	struct pv_cfg cfg = pv_func_cfg(func);

	return (int)pv_cpmu_count(&cfg);
}

/*
 * Register accesses and messages need these bits, which firmware may have left off. They stay on: the function is a
 * memory device first, and its other CPMUs may still run.
 */
static void enable_function(const struct pv_pmu *pmu)
{
	struct pv_cfg cfg = pv_func_cfg(pmu->func);
	uint32_t command = cfg.read(cfg.ctx, cfg.bdf, PCI_COMMAND, 2);
	uint32_t wanted = command | PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;

	if (command != wanted)
		cfg.write(cfg.ctx, cfg.bdf, PCI_COMMAND, 2, wanted);
}

static int map_block(struct pv_pmu *pmu, const struct pv_cpmu_block *block, struct pv_bar *bar)
{
	int err;

	*bar = (struct pv_bar){pmu->bus, pmu->func->bdf, block->bar, block->offset, CPMU_BLOCK_BYTES};
	err = pv_bar_map(bar);
	if (err == -PV_EINVAL)
		return pv_pmu_why(pmu, -PV_ENODEV, "the registers at 0x%x lie beyond the end of BAR %u", block->offset,
				  block->bar);
	return err ? pv_pmu_why(pmu, err, "BAR %u, which the Register Locator names, is not there", block->bar) : 0;
}

/* Initialises the core on registers that are mapped, and unmaps them if that fails. */
static int init_block(struct pv_pmu *pmu, struct cpmu *cpmu)
{
	struct pv_mmio io = pv_bar_mmio(&cpmu->bar);
	const char *why;
	int err;

	enable_function(pmu);
	err = pv_cpmu_init(&cpmu->core, &io, &why);
	if (err)
		pv_bar_unmap(&cpmu->bar);
	return err ? pv_pmu_why(pmu, err, "%s", why) : 0;
}

static int cpmu_probe(struct pv_pmu *pmu)
{
	struct pv_cfg cfg = pv_func_cfg(pmu->func);
	struct pv_cpmu_block block;
	const char *why;
	struct cpmu *cpmu;
	int err;

	err = pv_cpmu_find(&cfg, pmu->instance, &block, &why);
	if (err)
		return pv_pmu_why(pmu, err, "%s", why);
	cpmu = calloc(1, sizeof(*cpmu));
	if (!cpmu)
		return pv_pmu_why(pmu, -PV_ENOMEM, "no memory");

	err = map_block(pmu, &block, &cpmu->bar);
	if (!err)
		err = init_block(pmu, cpmu);
	if (err) {
		free(cpmu);
		return err;
	}
	pmu->priv = cpmu;
	if (cpmu->core.interrupt)
		pmu->vector = (int)cpmu->core.msi;
	pv_attr_printf(pmu->name, sizeof(pmu->name), "cxl_pmu_mem%u.%u", pmu->func->ordinal, pmu->instance);
	return 0;
}

static void cpmu_remove(struct pv_pmu *pmu)
{
	struct cpmu *cpmu = pmu->priv;

	if (!pmu->func->gone)
		pv_cpmu_idle(&cpmu->core);
	pv_bar_unmap(&cpmu->bar);
	free(cpmu);
	pmu->priv = NULL;
}

/* Attribute files */

static bool has_hdm_filter(const struct pv_pmu *pmu, const struct pv_attr *a)
{
	return core_of(pmu)->filter_hdm;
}

static bool has_crb_filter(const struct pv_pmu *pmu, const struct pv_attr *a)
{
	return core_of(pmu)->filter_crb;
}

static const struct pv_attr cpmu_attrs[] = {
	{.dir = "format", .name = "mask", .text = "config:0-31"},
	{.dir = "format", .name = "gid", .text = "config:32-47"},
	{.dir = "format", .name = "vid", .text = "config:48-63"},
	{.dir = "format", .name = "threshold", .text = "config1:0-15"},
	{.dir = "format", .name = "invert", .text = "config1:16"},
	{.dir = "format", .name = "edge", .text = "config1:17"},
	{.dir = "format", .name = "hdm_filter_en", .text = "config1:18", .visible = has_hdm_filter},
	{.dir = "format", .name = "crb_filter_en", .text = "config1:19", .visible = has_crb_filter},
	{.dir = "format", .name = "hdm", .text = "config2:0-15", .visible = has_hdm_filter},
	{.dir = "format", .name = "crb", .text = "config2:32-63", .visible = has_crb_filter},
	{NULL},
};

static bool event_visible(const struct pv_pmu *pmu, const struct pv_cpmu_named_event *e)
{
	return pv_cpmu_supports(core_of(pmu), PV_CPMU_VID_CXL, e->gid, 1u << e->bit);
}

static int cpmu_dyn_list(struct pv_pmu *pmu, const char *dir, pv_name_fn fn, void *ctx)
{
	size_t i;

	if (!dir[0])
		fn(ctx, "events");
	else if (strcmp(dir, "events") != 0)
		return -PV_ENOENT;
	for (i = 0; dir[0] && i < pv_cpmu_events_count; i++)
		if (event_visible(pmu, &pv_cpmu_events[i]))
			fn(ctx, pv_cpmu_events[i].name);
	return 0;
}

/* The text that Linux has: the whole config word, which perf resolves without the format files. */
static int cpmu_dyn_show(struct pv_pmu *pmu, const char *dir, const char *name, char *buf, size_t size)
{
	size_t i;

	if (strcmp(dir, "events") != 0)
		return -PV_ENOENT;
	for (i = 0; i < pv_cpmu_events_count; i++) {
		const struct pv_cpmu_named_event *e = &pv_cpmu_events[i];

		if (strcmp(e->name, name) == 0 && event_visible(pmu, e))
			return pv_attr_printf(buf, size, "config=0x%" PRIx64,
					      PV_CPMU_CONFIG(PV_CPMU_VID_CXL, e->gid, 1u << e->bit));
	}
	return -PV_ENOENT;
}

/* Events */

/* Returns 0 if the group with `ev` as its newest member can run, and a counter for `ev` is free now. */
static int check_room(struct pv_event *ev)
{
	struct pv_cpmu_event *events[CPMU_COUNTERS_MAX];
	struct pv_event *e;
	unsigned n = 0;
	int err;

	events[n++] = ev->priv;
	for (e = ev->leader; e; e = e->member) {
		if (e == ev || !e->priv)
			continue;
		if (n == CPMU_COUNTERS_MAX)
			return -PV_ENOSPC;
		events[n++] = e->priv;
	}
	err = pv_cpmu_group_fits(core_of(ev->pmu), events, n);
	return err ? err : pv_cpmu_has_room(core_of(ev->pmu), ev->priv);
}

static int cpmu_event_check(struct pv_event *ev)
{
	const struct pv_event_attr *a = &ev->attr;
	int err = pv_cpmu_event_init(core_of(ev->pmu), a->config, a->config1, a->config2, ev->priv);

	return err ? err : check_room(ev);
}

static int cpmu_event_init(struct pv_event *ev)
{
	if (ev->attr.type != ev->pmu->type)
		return -PV_ENOENT;
	if (ev->attr.sampling || ev->attr.per_task)
		return -PV_EOPNOTSUPP;
	if (ev->attr.aux)
		return -PV_EINVAL;
	ev->cpu = ev->pmu->cpu;
	return pv_event_reserve(ev, sizeof(struct pv_cpmu_event), cpmu_event_check);
}

static int cpmu_start(struct pv_event *ev)
{
	return pv_cpmu_start(core_of(ev->pmu), ev->priv);
}

/* A leader is the first of its group to stop. It stops the others that stop, too, so that one write freezes them all.
 */
static void hold_group(struct pv_event *ev)
{
	uint64_t counters = pv_cpmu_bit(ev->priv);
	struct pv_event *e;

	if (ev->leader == ev)
		for (e = ev->member; e; e = e->member)
			counters |= e->chosen ? pv_cpmu_bit(e->priv) : 0;
	pv_cpmu_hold(core_of(ev->pmu), counters);
}

static void cpmu_stop(struct pv_event *ev)
{
	struct pv_cpmu_event *core = ev->priv;

	ev->pmu->bus->irq_save(ev->pmu->bus->ctx);
	hold_group(ev);
	pv_cpmu_stop(core_of(ev->pmu), core);
	ev->count = core->total;
	ev->pmu->bus->irq_restore(ev->pmu->bus->ctx);
}

static void cpmu_read(struct pv_event *ev)
{
	ev->pmu->bus->irq_save(ev->pmu->bus->ctx);
	ev->count = pv_cpmu_read(core_of(ev->pmu), ev->priv);
	ev->pmu->bus->irq_restore(ev->pmu->bus->ctx);
}

static void cpmu_enable(struct pv_pmu *pmu)
{
	pv_cpmu_release(core_of(pmu));
}

static void cpmu_irq(struct pv_pmu *pmu)
{
	pv_cpmu_service(core_of(pmu));
}

const struct pv_pmu_kind pv_pmu_cpmu = {
	.name = "cxl_pmu",
	.match = cpmu_match,
	.instances = cpmu_instances,
	.probe = cpmu_probe,
	.remove = cpmu_remove,
	.attrs = cpmu_attrs,
	.dyn_list = cpmu_dyn_list,
	.dyn_show = cpmu_dyn_show,
	.event_init = cpmu_event_init,
	.event_exit = pv_event_unreserve,
	.start = cpmu_start,
	.stop = cpmu_stop,
	.read = cpmu_read,
	.pmu_enable = cpmu_enable,
	.irq = cpmu_irq,
};
