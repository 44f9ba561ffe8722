/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What steps ask of the model target: the driver's interface passed through, the machine's own works
 * (traffic, faults, hot-plug) passed to the model. The table of the target is at the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/target/model.h"

#define MODEL(t)	   (pv_model_target(t)->model)
#define SYS(t)		   (pv_model_target(t)->sys)
#define PTT_BUFFER_DEFAULT (4u << 20)
#define TIME_END_PS	   (UINT64_MAX / 2)    /* beyond it, what is to come could not be told in 64 bits */
#define POLL_PS		   (50 * PV_PS_PER_MS) /* pv_sys_poll() asks for 100 ms at most */

/* ---- machine ---- */

static int op_reset_images(struct pv_target *t, struct pv_cfg_image **out, size_t *n)
{
	struct pv_model_target *m = pv_model_target(t);
	if (!m->reset)
		return -ENODATA;
	*out = calloc(m->n_reset + 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	memcpy(*out, m->reset, m->n_reset * sizeof(**out));
	*n = m->n_reset;
	return 0;
}

static int op_reg_read(struct pv_target *t, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	*value = bar < 0 ? pv_model_cfg_read(MODEL(t), bdf, off, bytes)
			 : pv_model_mmio_read(MODEL(t), bdf, (unsigned)bar, off, bytes);
	return 0;
}

static int op_reg_write(struct pv_target *t, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	if (bar < 0)
		pv_model_cfg_write(MODEL(t), bdf, off, bytes, value);
	else
		pv_model_mmio_write(MODEL(t), bdf, (unsigned)bar, off, bytes, value);
	return 0;
}

static uint64_t op_now_ps(struct pv_target *t)
{
	return pv_model_now_ps(MODEL(t));
}

/* Time passes; the driver is woken now and then, as the kernel's timers would, for counters that can only be polled. */
static void pass(struct pv_model_target *m, uint64_t until_ps)
{
	for (;;) {
		uint64_t now = pv_model_now_ps(m->model), wake = m->polled_ps + POLL_PS;
		if (now >= until_ps)
			return;
		pv_model_bus_run(&m->bus, wake > now && wake < until_ps ? wake : until_ps);
		if (pv_model_now_ps(m->model) < wake)
			continue;
		m->polled_ps = pv_model_now_ps(m->model);
		if (m->sys)
			pv_sys_poll(m->sys);
	}
}

/* The time in `ns` from now: 0, or -EOVERFLOW where the clock does not go so far (106 days). */
static int later(struct pv_target *t, uint64_t ns, uint64_t *ps)
{
	uint64_t now = op_now_ps(t);
	if (now > TIME_END_PS || ns > (TIME_END_PS - now) / PV_PS_PER_NS)
		return -EOVERFLOW;
	*ps = now + ns * PV_PS_PER_NS;
	return 0;
}

static int op_wait(struct pv_target *t, uint64_t ns)
{
	uint64_t until;
	int err = later(t, ns, &until);
	if (!err)
		pass(pv_model_target(t), until);
	return err;
}

/* ---- driver ---- */

static int op_probe_status(struct pv_target *t, pv_bdf bdf, unsigned n, const char **why)
{
	return pv_sys_probe_status(SYS(t), bdf, n, why);
}

static const char *op_pmu_name(struct pv_target *t, size_t n)
{
	return pv_sys_pmu_name(SYS(t), n);
}

static int op_pmu_parent(struct pv_target *t, const char *pmu, pv_bdf *bdf)
{
	return pv_sys_pmu_parent(SYS(t), pmu, bdf);
}

static int op_attr_read(struct pv_target *t, const char *pmu, const char *path, char *buf, size_t size)
{
	return pv_sys_attr_read(SYS(t), pmu, path, buf, size);
}

static int op_attr_write(struct pv_target *t, const char *pmu, const char *path, const char *text)
{
	return pv_sys_attr_write(SYS(t), pmu, path, text);
}

static int op_attr_list(struct pv_target *t, const char *pmu, const char *dir, void (*fn)(void *, const char *),
			void *ctx)
{
	return pv_sys_attr_list(SYS(t), pmu, dir, fn, ctx);
}

static int op_event_open(struct pv_target *t, const char *pmu, const struct pv_event_attr *attr,
			 struct pv_event *leader, pv_aux_fn aux, void *aux_ctx, struct pv_event **out)
{
	return leader ? pv_event_open_group(SYS(t), pmu, attr, leader, out)
		      : pv_event_open(SYS(t), pmu, attr, aux, aux_ctx, out);
}

static int op_event_enable(struct pv_target *t, struct pv_event *ev)
{
	return pv_event_enable(ev);
}

static int op_event_disable(struct pv_target *t, struct pv_event *ev)
{
	return pv_event_disable(ev);
}

static int op_event_read(struct pv_target *t, struct pv_event *ev, uint64_t *value)
{
	return pv_event_read(ev, value);
}

static void op_event_close(struct pv_target *t, struct pv_event *ev)
{
	pv_event_close(ev);
}

static int op_get_size(struct pv_target *t, pv_bdf bdf, bool mrrs)
{
	return mrrs ? pv_sys_get_mrrs(SYS(t), bdf) : pv_sys_get_mps(SYS(t), bdf);
}

static int op_set_size(struct pv_target *t, pv_bdf bdf, bool mrrs, int bytes)
{
	return mrrs ? pv_sys_set_mrrs(SYS(t), bdf, bytes) : pv_sys_set_mps(SYS(t), bdf, bytes);
}

static const char *op_log_line(struct pv_target *t, size_t n)
{
	return pv_sys_log_line(SYS(t), n);
}

static int op_ptt_buffer(struct pv_target *t, uint64_t bytes)
{
	if (bytes > UINT32_MAX)
		return -EINVAL;
	return pv_sys_set_ptt_buffer_bytes(SYS(t), bytes ? (uint32_t)bytes : PTT_BUFFER_DEFAULT);
}

/* ---- workload ---- */

static int op_traffic(struct pv_target *t, const struct pv_traffic_conf *conf)
{
	return pv_model_traffic(MODEL(t), conf);
}

static int op_cxl_traffic(struct pv_target *t, const struct pv_cxl_traffic_conf *conf)
{
	return pv_model_cxl_traffic(MODEL(t), conf);
}

static int op_traffic_stop(struct pv_target *t, int stream)
{
	pv_model_traffic_stop(MODEL(t), stream);
	return 0;
}

static int op_traffic_stats(struct pv_target *t, int stream, struct pv_traffic_stats *out)
{
	return pv_model_traffic_stats(MODEL(t), stream, out);
}

/* Looks again after ever longer stretches: short traffic ends soon after its last TLP, long traffic costs few looks. */
static int op_drain(struct pv_target *t, uint64_t max_ns)
{
	uint64_t step = PV_PS_PER_US, end;
	int err = later(t, max_ns, &end);
	if (err)
		return err;
	while (!pv_model_traffic_idle(MODEL(t))) {
		uint64_t now = op_now_ps(t);
		if (now >= end)
			return -ETIMEDOUT;
		pass(pv_model_target(t), now + (step < end - now ? step : end - now));
		if (step < 100 * PV_PS_PER_US)
			step += step / 4;
	}
	return 0;
}

static int op_link_state(struct pv_target *t, pv_bdf port, enum pv_wire_ltssm state, uint64_t ns)
{
	uint64_t ps;
	return __builtin_mul_overflow(ns, PV_PS_PER_NS, &ps) ? -EOVERFLOW
							     : pv_model_link_state(MODEL(t), port, state, ps);
}

static int op_fault(struct pv_target *t, enum pv_fault f, pv_bdf bdf, uint64_t arg)
{
	return pv_model_fault(MODEL(t), f, bdf, arg);
}

static int op_irq_latency(struct pv_target *t, uint64_t ns)
{
	uint64_t due;
	int err = later(t, ns, &due);
	if (!err)
		pv_model_bus_latency(&pv_model_target(t)->bus, ns * PV_PS_PER_NS);
	return err;
}

/* ---- hot-plug ---- */

static void forget_removed(struct pv_model_target *m, const struct pv_topo_node *root)
{
	uint8_t image[4096];
	for (size_t i = 0; i < m->topo->n; i++) {
		const struct pv_topo_node *node = &m->topo->nodes[i];
		if (m->model_id[i] >= 0 && pv_topology_below(m->topo, node, root) &&
		    pv_model_cfg_snapshot(m->model, node->conf.bdf, image) == -ENODEV)
			m->model_id[i] = -1;
	}
}

/* The function that is really there at a BDF: a spare may stand where another was. */
static const struct pv_topo_node *present_at(const struct pv_model_target *m, pv_bdf bdf)
{
	for (size_t i = 0; i < m->topo->n; i++)
		if (m->model_id[i] >= 0 && m->topo->nodes[i].conf.bdf == bdf)
			return &m->topo->nodes[i];
	return NULL;
}

static int op_unplug(struct pv_target *t, pv_bdf bdf, bool notify)
{
	struct pv_model_target *m = pv_model_target(t);
	const struct pv_topo_node *node = present_at(m, bdf);
	int err = node ? pv_model_remove(m->model, bdf) : -ENODEV;
	if (err)
		return err;
	forget_removed(m, node);
	return notify && m->sys ? pv_sys_device_removed(m->sys, bdf) : 0;
}

/* Everything that hangs together is plugged at once: the functions of a device and what is below them. */
static int op_plug(struct pv_target *t, const struct pv_node_conf *conf)
{
	struct pv_model_target *m = pv_model_target(t);
	const struct pv_topo_node *root = NULL;
	for (size_t i = 0; i < m->topo->n; i++)
		if (&m->topo->nodes[i].conf == conf)
			root = &m->topo->nodes[i];
	if (!root)
		return -ENODEV;
	for (size_t i = 0; i < m->topo->n; i++) {
		const struct pv_topo_node *node = &m->topo->nodes[i];
		if (m->model_id[i] >= 0 || node->spare != root->spare || !pv_topology_below(m->topo, node, root))
			continue;
		int err = pv_model_target_add(m, i);
		if (err)
			return err;
	}
	return 0;
}

static int op_slot_event(struct pv_target *t, pv_bdf port)
{
	return pv_sys_device_plugged(SYS(t), port);
}

static int op_rescan(struct pv_target *t)
{
	return pv_sys_rescan(SYS(t));
}

static int op_remove(struct pv_target *t, pv_bdf bdf)
{
	return pv_sys_device_removed(SYS(t), bdf);
}

static struct pv_dma_lost op_dma_lost(struct pv_target *t)
{
	return pv_model_target(t)->bus.dma_lost;
}

static struct pv_ledger *op_ledger(struct pv_target *t)
{
	return pv_model_target(t)->ledger;
}

const struct pv_target_ops pv_target_model = {
	.name = "model",
	.help = "the bundled models, in this process and in simulated time; nothing to install or boot",
	.drivers = pv_model_target_drivers,
	.open = pv_model_target_open,
	.close = pv_model_target_close,
	.boot = pv_model_target_boot,
	.shutdown = pv_model_target_shutdown,
	.cfg_images = pv_model_target_images,
	.reset_images = op_reset_images,
	.reg_read = op_reg_read,
	.reg_write = op_reg_write,
	.wait = op_wait,
	.now_ps = op_now_ps,
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
	.log_line = op_log_line,
	.ptt_buffer = op_ptt_buffer,
	.traffic = op_traffic,
	.cxl_traffic = op_cxl_traffic,
	.traffic_stop = op_traffic_stop,
	.traffic_stats = op_traffic_stats,
	.drain = op_drain,
	.link_state = op_link_state,
	.fault = op_fault,
	.irq_latency = op_irq_latency,
	.unplug = op_unplug,
	.plug = op_plug,
	.slot_event = op_slot_event,
	.rescan = op_rescan,
	.remove = op_remove,
	.dma_lost = op_dma_lost,
	.ledger = op_ledger,
	.save_artefacts = pv_model_target_save,
};
