/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The driver table over the reference driver in this process, on any bus. */
#include <errno.h>
#include <stddef.h>

#include "framework/target/reference.h"

#define PTT_BUFFER_DEFAULT (4u << 20)

/* Both name the same bits. */
_Static_assert(PV_PERF_AUX_TRUNCATED == PV_AUX_TRUNCATED && PV_PERF_AUX_COLLISION == PV_AUX_COLLISION, "AUX flags");
_Static_assert((int)PV_PERF_EXCLUDE_GUEST == (int)PV_EXCLUDE_GUEST, "exclude bits");

/* ---- life ---- */

int pv_reference_boot(struct pv_reference *r, const struct pv_bus *bus, enum pv_mps_policy policy)
{
	r->sys = pv_sys_boot(bus, policy);
	return r->sys ? 0 : -ENOMEM;
}

void pv_reference_shutdown(struct pv_reference *r)
{
	pv_sys_shutdown(r->sys);
	r->sys = NULL;
}

static struct pv_sys *sys(struct pv_driver *d)
{
	return ((struct pv_reference *)((char *)d - offsetof(struct pv_reference, driver)))->sys;
}

static struct pv_event *event(struct pv_perf_event *ev)
{
	return (struct pv_event *)ev;
}

static int op_probe_status(struct pv_driver *d, pv_bdf bdf, unsigned n, const char **why)
{
	return pv_sys_probe_status(sys(d), bdf, n, why);
}

/* ---- PMUs ---- */

static const char *op_pmu_name(struct pv_driver *d, size_t n)
{
	return pv_sys_pmu_name(sys(d), n);
}

static int op_pmu_parent(struct pv_driver *d, const char *pmu, pv_bdf *bdf)
{
	return pv_sys_pmu_parent(sys(d), pmu, bdf);
}

static int op_attr_read(struct pv_driver *d, const char *pmu, const char *path, char *buf, size_t size)
{
	return pv_sys_attr_read(sys(d), pmu, path, buf, size);
}

static int op_attr_write(struct pv_driver *d, const char *pmu, const char *path, const char *text)
{
	return pv_sys_attr_write(sys(d), pmu, path, text);
}

static int op_attr_list(struct pv_driver *d, const char *pmu, const char *dir, void (*fn)(void *, const char *),
			void *ctx)
{
	return pv_sys_attr_list(sys(d), pmu, dir, fn, ctx);
}

/* ---- events ---- */

static int op_event_open(struct pv_driver *d, const char *pmu, const struct pv_perf_attr *a,
			 struct pv_perf_event *leader, pv_perf_aux_fn aux, void *aux_ctx, struct pv_perf_event **out)
{
	const struct pv_event_attr attr = {
		.config = a->config,
		.config1 = a->config1,
		.config2 = a->config2,
		.type = a->type,
		.on_cpu = a->on_cpu,
		.cpu = a->cpu,
		.per_task = a->per_task,
		.sampling = a->sampling,
		.exclude = a->exclude,
		.aux = a->aux,
		.aux_bytes = a->aux_bytes,
		.aux_overwrite = a->aux_overwrite,
	};
	struct pv_event *ev = NULL;

	/*
	 * As in perf_event_open(2): only a group leader can be pinned. Each event here has its counter from open to
	 * close.
	 */
	if (leader && a->pinned)
		return -EINVAL;
	/* No PMU here can be paused (PERF_PMU_CAP_AUX_PAUSE). */
	if (a->aux_action)
		return a->aux_action & PV_PERF_AUX_START_PAUSED ? -EOPNOTSUPP : -EINVAL;
	int err = leader ? pv_event_open_group(sys(d), pmu, &attr, event(leader), &ev)
			 : pv_event_open(sys(d), pmu, &attr, aux, aux_ctx, &ev);

	*out = (struct pv_perf_event *)ev;
	return err;
}

static int op_event_enable(struct pv_driver *d, struct pv_perf_event *ev)
{
	return pv_event_enable(event(ev));
}

static int op_event_disable(struct pv_driver *d, struct pv_perf_event *ev)
{
	return pv_event_disable(event(ev));
}

static int op_event_read(struct pv_driver *d, struct pv_perf_event *ev, uint64_t *value)
{
	return pv_event_read(event(ev), value);
}

static void op_event_close(struct pv_driver *d, struct pv_perf_event *ev)
{
	pv_event_close(event(ev));
}

/* ---- MPS, MRRS, hot-plug ---- */

static int op_get_size(struct pv_driver *d, pv_bdf bdf, bool mrrs)
{
	return mrrs ? pv_sys_get_mrrs(sys(d), bdf) : pv_sys_get_mps(sys(d), bdf);
}

static int op_set_size(struct pv_driver *d, pv_bdf bdf, bool mrrs, int bytes)
{
	return mrrs ? pv_sys_set_mrrs(sys(d), bdf, bytes) : pv_sys_set_mps(sys(d), bdf, bytes);
}

static int op_slot_event(struct pv_driver *d, pv_bdf port)
{
	return pv_sys_device_plugged(sys(d), port);
}

static int op_removed(struct pv_driver *d, pv_bdf bdf)
{
	return pv_sys_device_removed(sys(d), bdf);
}

static int op_gone(struct pv_driver *d, pv_bdf bdf)
{
	return pv_sys_device_gone(sys(d), bdf);
}

static int op_rescan(struct pv_driver *d)
{
	return pv_sys_rescan(sys(d));
}

static int op_set_vfs(struct pv_driver *d, pv_bdf pf, unsigned n)
{
	return pv_sys_set_vfs(sys(d), pf, n);
}

/* ---- the rest ---- */

static const char *op_log_line(struct pv_driver *d, size_t n)
{
	return pv_sys_log_line(sys(d), n);
}

static int op_ptt_buffer(struct pv_driver *d, uint64_t bytes)
{
	if (bytes > UINT32_MAX)
		return -EINVAL;
	return pv_sys_set_ptt_buffer_bytes(sys(d), bytes ? (uint32_t)bytes : PTT_BUFFER_DEFAULT);
}

const struct pv_driver_ops pv_reference_ops = {
	.probe_status = op_probe_status,
	.pmu_name = op_pmu_name,
	.pmu_parent = op_pmu_parent,
	.attr_read = op_attr_read,
	.attr_write = op_attr_write,
	.attr_list = op_attr_list,
	.event_open = op_event_open,
	.event_enable = op_event_enable,
	.event_disable = op_event_disable,
	.event_read = op_event_read,
	.event_close = op_event_close,
	.get_size = op_get_size,
	.set_size = op_set_size,
	.slot_event = op_slot_event,
	.gone = op_gone,
	.rescan = op_rescan,
	.remove = op_removed,
	.set_vfs = op_set_vfs,
	.log_line = op_log_line,
	.ptt_buffer = op_ptt_buffer,
};
