/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The workload of the emulated hardware: what a case does to it, in the models' words. */
#include <errno.h>
#include <string.h>

#include "framework/target/hw.h"

#define NOBODY	 0xffff /* the models' word for host memory */
#define MODEL(w) (pv_hw_touch(w)->model)

/* Both enumerations name the same kinds in the same order. */
_Static_assert((int)PV_STREAM_KINDS == (int)PV_T_KINDS && (int)PV_STREAM_CCIX == (int)PV_T_CCIX, "kinds of request");
_Static_assert((int)PV_HW_OTHER_SELECT == (int)PV_FAULT_OTHER_SELECT, "faults");

/* ---- traffic ---- */

static void shape(const struct pv_workload_stream *s, struct pv_traffic_conf *c)
{
	c->size_min = s->size_min;
	c->size_max = s->size_max;
	c->count = s->count;
	c->rate_bytes_per_s = s->rate_bytes_per_s;
	c->burst = s->burst;
	c->burst_gap_ps = s->burst_gap_ns * PV_PS_PER_NS;
	c->start_after_ps = s->start_after_ns * PV_PS_PER_NS;
	c->outstanding = s->outstanding;
	c->addr = s->addr;
	c->span = s->span;
	c->random_addr = s->random_addr;
	c->nullify_every = s->nullify_every;
	c->duplicate_every = s->duplicate_every;
	c->corrupt_every = s->corrupt_every;
	c->oversize = s->oversize;
	c->seed = s->seed;
}

static void header(const struct pv_workload_stream *s, struct pv_traffic_conf *c)
{
	c->has_pasid = s->has_pasid;
	c->pasid_exe = s->pasid_exe;
	c->pasid_pmr = s->pasid_pmr;
	c->pasid = s->pasid;
	c->tc = s->tc;
	c->attr = s->attr;
	c->at = s->at;
	c->th = s->th;
	c->td = s->td;
	c->ep = s->ep;
	c->tag10 = s->tag10;
	c->first_be = s->first_be;
	c->last_be = s->last_be;
	c->status = s->status;
	c->msg_code = s->msg_code;
	c->msg_routing = s->msg_routing;
}

static int op_traffic(struct pv_workload *w, const struct pv_workload_stream *s)
{
	struct pv_traffic_conf c = {.origin = s->origin,
				    .from = s->from,
				    .to = s->to == PV_TO_MEMORY ? NOBODY : s->to,
				    .requester = s->requester};

	memcpy(c.weight, s->weight, sizeof(c.weight));
	shape(s, &c);
	header(s, &c);
	return pv_model_traffic(MODEL(w), &c);
}

static int op_cxl_traffic(struct pv_workload *w, const struct pv_cxl_stream *s)
{
	const struct pv_cxl_traffic_conf c = {
		.bdf = s->bdf,
		.what = s->what,
		.channel = s->channel,
		.opcodes = s->opcodes,
		.count = s->count,
		.gap_cycles = s->gap_cycles,
		.per_cycle = s->per_cycle,
		.decoders = s->decoders,
		.ddr_channels = s->ddr_channels,
		.ddr_ranks = s->ddr_ranks,
		.ddr_groups = s->ddr_groups,
		.ddr_banks = s->ddr_banks,
		.seed = s->seed,
	};

	return pv_model_cxl_traffic(MODEL(w), &c);
}

static int op_traffic_stop(struct pv_workload *w, int stream)
{
	pv_model_traffic_stop(MODEL(w), stream);
	return 0;
}

static int op_traffic_stats(struct pv_workload *w, int stream, struct pv_stream_stats *out)
{
	struct pv_traffic_stats s;
	int err = pv_model_traffic_stats(MODEL(w), stream, &s);

	if (!err)
		*out = (struct pv_stream_stats){s.requests, s.tlps, s.data_bytes, s.timeouts, s.errors};
	return err;
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

static int op_fault(struct pv_workload *w, enum pv_hw_fault f, pv_bdf bdf, uint64_t arg)
{
	return pv_model_fault(MODEL(w), (enum pv_fault)f, bdf, arg);
}

static int op_phy_event(struct pv_workload *w, pv_bdf port, const struct pv_phy_event *e)
{
	return pv_model_fault(MODEL(w), PV_FAULT_PHY, port, PV_FAULT_PHY_ARG(e->what, e->lane, e->count));
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
