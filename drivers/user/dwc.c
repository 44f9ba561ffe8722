/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DesignWare PCIe PMUs as the Linux ABI shows them: one dwc_rootport_<bdf> for each Root Port with a
 * RAS D.E.S. capability. The work is done by drivers/core/dwc.c.
 *
 * An event takes a counter when it is enabled, as in Linux. Each lane event has its own; time-based events share one.
 * Opening a time-based event fails if its group already has one, or while another one runs.
 */
#include <stdlib.h>
#include <string.h>

#include "drivers/core/dwc.h"
#include "drivers/user/pmu.h"

static bool dwc_match(const struct pv_func *func)
{
	struct pv_cfg cfg = pv_func_cfg(func);
	struct pv_dwc dwc;

	return pv_dwc_init(&dwc, &cfg) == 0;
}

static int dwc_probe(struct pv_pmu *pmu)
{
	struct pv_cfg cfg = pv_func_cfg(pmu->func);
	struct pv_dwc *dwc = calloc(1, sizeof(*dwc));
	int err;

	if (!dwc)
		return pv_pmu_why(pmu, -PV_ENOMEM, "no memory");
	err = pv_dwc_init(dwc, &cfg);
	if (err) {
		free(dwc);
		return pv_pmu_why(pmu, err, "the RAS DES capability is gone");
	}
	pv_dwc_idle(dwc);
	pmu->priv = dwc;
	pv_attr_printf(pmu->name, sizeof(pmu->name), "dwc_rootport_%x", (unsigned)pmu->func->bdf);
	return 0;
}

static void dwc_remove(struct pv_pmu *pmu)
{
	if (!pmu->func->gone)
		pv_dwc_idle(pmu->priv);
	free(pmu->priv);
	pmu->priv = NULL;
}

static const struct pv_attr dwc_attrs[] = {
	{.dir = "format", .name = "eventid", .text = "config:0-15"},
	{.dir = "format", .name = "type", .text = "config:16-19"},
	{.dir = "format", .name = "lane", .text = "config:20-27"},
	{NULL},
};

static int dwc_dyn_list(struct pv_pmu *pmu, const char *dir, pv_name_fn fn, void *ctx)
{
	size_t i;

	if (!dir[0])
		fn(ctx, "events");
	else if (strcmp(dir, "events") != 0)
		return -PV_ENOENT;
	for (i = 0; dir[0] && i < pv_dwc_events_count; i++)
		fn(ctx, pv_dwc_events[i].name);
	return 0;
}

static int dwc_dyn_show(struct pv_pmu *pmu, const char *dir, const char *name, char *buf, size_t size)
{
	size_t i;

	if (strcmp(dir, "events") != 0)
		return -PV_ENOENT;
	for (i = 0; i < pv_dwc_events_count; i++) {
		const struct pv_dwc_named_event *e = &pv_dwc_events[i];

		if (strcmp(e->name, name) == 0)
			return pv_attr_printf(buf, size, "eventid=0x%x,type=0x%x%s", e->eventid, e->type,
					      e->type == PV_DWC_LANE ? ",lane=?" : "");
	}
	return -PV_ENOENT;
}

static bool is_time_based(const struct pv_event *ev)
{
	const struct pv_dwc_event *core = ev->priv;

	return core && core->type == PV_DWC_TIME_BASED;
}

/* Returns true if the only counter of time-based events is free, and no other event of the group needs it. */
static int check_room(const struct pv_event *ev)
{
	const struct pv_dwc *dwc = ev->pmu->priv;
	const struct pv_event *e;

	if (!is_time_based(ev))
		return 0;
	if (dwc->time)
		return -PV_ENOSPC;
	for (e = ev->leader; e; e = e->member)
		if (e != ev && is_time_based(e))
			return -PV_ENOSPC;
	return 0;
}

static int dwc_event_check(struct pv_event *ev)
{
	int err = pv_dwc_event_init(ev->pmu->priv, ev->attr.config, ev->priv);

	if (!err)
		err = check_room(ev);
	return err ? err : pv_dwc_event_probe(ev->pmu->priv, ev->priv);
}

static int dwc_event_init(struct pv_event *ev)
{
	const struct pv_event_attr *a = &ev->attr;

	if (a->type != ev->pmu->type)
		return -PV_ENOENT;
	if (a->sampling || a->per_task || a->aux || a->config1 || a->config2)
		return -PV_EINVAL;
	ev->cpu = ev->pmu->cpu;
	return pv_event_reserve(ev, sizeof(struct pv_dwc_event), dwc_event_check);
}

static int dwc_start(struct pv_event *ev)
{
	return pv_dwc_start(ev->pmu->priv, ev->priv);
}

static void dwc_stop(struct pv_event *ev)
{
	struct pv_dwc_event *core = ev->priv;

	pv_dwc_stop(ev->pmu->priv, core);
	ev->count = core->total;
}

/* Also pv_sys_poll()'s way to absorb the wraps of the 32-bit counter. */
static void dwc_read(struct pv_event *ev)
{
	struct pv_dwc_event *core = ev->priv;
	int err = pv_dwc_update(ev->pmu->priv, core);

	if (err && !ev->index++) /* once per event, however often it is polled */
		pv_sys_log(ev->pmu->sys, 4, "%s: counter cannot be read (%d)", ev->pmu->name, err);
	ev->count = core->total;
}

const struct pv_pmu_kind pv_pmu_dwc = {
	.name = "dwc_rootport",
	.match = dwc_match,
	.probe = dwc_probe,
	.remove = dwc_remove,
	.attrs = dwc_attrs,
	.dyn_list = dwc_dyn_list,
	.dyn_show = dwc_dyn_show,
	.event_init = dwc_event_init,
	.event_exit = pv_event_unreserve,
	.start = dwc_start,
	.stop = dwc_stop,
	.read = dwc_read,
};
