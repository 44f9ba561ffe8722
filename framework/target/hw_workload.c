/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The workload of the emulated hardware: what a case does to it, in the models' words. */
#include <errno.h>

#include "framework/target/hw.h"

#define MODEL(w) (pv_hw_touch(w)->model)

/* ---- traffic ---- */

static int op_traffic(struct pv_workload *w, const struct pv_traffic_conf *c)
{
	return pv_model_traffic(MODEL(w), c);
}

static int op_cxl_traffic(struct pv_workload *w, const struct pv_cxl_traffic_conf *c)
{
	return pv_model_cxl_traffic(MODEL(w), c);
}

static int op_traffic_stop(struct pv_workload *w, int stream)
{
	pv_model_traffic_stop(MODEL(w), stream);
	return 0;
}

static int op_traffic_stats(struct pv_workload *w, int stream, struct pv_traffic_stats *out)
{
	return pv_model_traffic_stats(MODEL(w), stream, out);
}

static bool op_idle(struct pv_workload *w)
{
	return pv_model_traffic_idle(MODEL(w));
}

/* ---- links and faults ---- */

static int op_link_state(struct pv_workload *w, pv_bdf port, enum pv_wire_ltssm state, uint64_t ns)
{
	uint64_t ps;

	return __builtin_mul_overflow(ns, PV_PS_PER_NS, &ps) ? -EOVERFLOW
							     : pv_model_link_state(MODEL(w), port, state, ps);
}

static int op_fault(struct pv_workload *w, enum pv_fault f, pv_bdf bdf, uint64_t arg)
{
	return pv_model_fault(MODEL(w), f, bdf, arg);
}

static int op_phy_event(struct pv_workload *w, pv_bdf port, const struct pv_phy_event *e)
{
	return pv_model_phy_event(MODEL(w), port, e);
}

/* The host's affair: the hardware is as it was. */
static int op_irq_latency(struct pv_workload *w, uint64_t ns)
{
	const struct pv_hw *hw = pv_hw_of_workload(w);
	uint64_t due;
	int err = hw->host.irq_latency ? pv_hw_later(hw, ns, &due) : -EOPNOTSUPP;

	if (!err)
		hw->host.irq_latency(hw->host.ctx, ns * PV_PS_PER_NS);
	return err;
}

/* ---- hot-plug ---- */

static void forget_removed(struct pv_hw *hw)
{
	uint8_t image[4096];

	for (size_t i = 0; i < hw->topo->n; i++)
		if (hw->model_id[i] >= 0 && pv_model_cfg_snapshot(hw->model, hw->topo->nodes[i].bdf, image) == -ENODEV)
			hw->model_id[i] = -1;
}

static int op_unplug(struct pv_workload *w, pv_bdf bdf)
{
	struct pv_hw *hw = pv_hw_touch(w);
	int err = pv_model_remove(hw->model, bdf);

	if (!err)
		forget_removed(hw);
	return err;
}

/* Everything that hangs together is plugged at once: the functions of a device and what is below them. */
static int op_plug(struct pv_workload *w, const struct pv_topo_node *root)
{
	struct pv_hw *hw = pv_hw_touch(w);

	for (size_t i = 0; i < hw->topo->n; i++) {
		const struct pv_topo_node *node = &hw->topo->nodes[i];

		if (hw->model_id[i] >= 0 || node->spare != root->spare || !pv_topology_below(hw->topo, node, root))
			continue;
		int err = pv_hw_add(hw, i);
		if (err)
			return err;
	}
	return 0;
}

const struct pv_workload_ops pv_hw_workload = {
	.traffic = op_traffic,
	.cxl_traffic = op_cxl_traffic,
	.traffic_stop = op_traffic_stop,
	.traffic_stats = op_traffic_stats,
	.idle = op_idle,
	.link_state = op_link_state,
	.fault = op_fault,
	.phy_event = op_phy_event,
	.irq_latency = op_irq_latency,
	.plug = op_plug,
	.unplug = op_unplug,
};
