/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The emulated hardware of a case: builds it, runs its workload, and takes it down. Everything lives in this process;
 * pv_hw_close() frees it.
 */
#include "framework/target/hw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/util/cleanup.h"

#define REG_RING_FIRST 512		/* accesses that the ring holds at first */
#define TIME_END_PS    (UINT64_MAX / 2) /* beyond it, later times would not fit into 64 bits */

/* ---- services for the models ---- */

struct pv_memory {
	struct pv_memory *next;
	_Alignas(max_align_t) unsigned char bytes[];
};

static void *env_alloc(void *ctx, size_t bytes)
{
	struct pv_hw *hw = ctx;

	if (bytes > SIZE_MAX - sizeof(struct pv_memory))
		return NULL;
	struct pv_memory *mem = calloc(1, sizeof(*mem) + bytes);
	if (!mem)
		return NULL;
	mem->next = hw->memory;
	hw->memory = mem;
	return mem->bytes;
}

static void *env_dma_map(void *ctx, pv_bdf bdf, uint64_t addr, size_t bytes)
{
	const struct pv_hw *hw = ctx;

	return hw->host.dma_map(hw->host.ctx, bdf, addr, bytes);
}

static void env_dma_lost(void *ctx, pv_bdf bdf, uint64_t addr)
{
	struct pv_dma_lost *l = &((struct pv_hw *)ctx)->dma_lost;

	if (!l->writes++) {
		l->bdf = bdf;
		l->addr = addr;
	}
}

static void env_msi(void *ctx, pv_bdf bdf, unsigned vector)
{
	const struct pv_hw *hw = ctx;

	hw->host.msi(hw->host.ctx, bdf, vector);
}

static void env_wire(void *ctx, const struct pv_wire *w)
{
	pv_ledger_add(((struct pv_hw *)ctx)->ledger, w);
}

/* Without memory for more, the ring keeps fewer accesses. */
static void grow_ring(struct pv_reg_ring *r)
{
	struct pv_reg_access *grown = reallocarray(r->access, 2 * r->size, sizeof(*grown));

	if (!grown)
		return;
	r->access = grown;
	r->size *= 2;
}

static void env_reg(void *ctx, const struct pv_reg_access *a)
{
	struct pv_hw *hw = ctx;

	if (!hw->by_plan)
		pv_rules_access(hw->rules, &(struct pv_rule_access){.number = hw->regs.noted,
								    .bdf = a->bdf,
								    .bar = a->space <= 5 ? a->space : PV_RULE_CONFIG,
								    .off = a->offset,
								    .bytes = a->bytes,
								    .value = a->value,
								    .write = a->write});
	if (hw->regs.noted == hw->regs.size && hw->regs.size < PV_REG_RING)
		grow_ring(&hw->regs);
	*pv_reg_ring_at(&hw->regs, hw->regs.noted++) = *a;
}

static uint64_t peek(void *ctx, pv_bdf bdf, int bar, uint32_t off, unsigned bytes)
{
	return pv_model_peek(((struct pv_hw *)ctx)->model, bdf, bar, off, bytes);
}

/* ---- building ---- */

static int open_ledger(struct pv_hw *hw, const char *folder)
{
	const struct pv_wire_file head = {
		.magic = PV_WIRE_MAGIC,
		.record_bytes = sizeof(struct pv_wire),
		.ptt_tick_ps = PV_MODEL_PTT_TICK_PS,
		.dwc_cycle_ps = PV_MODEL_DWC_CYCLE_PS,
		.cpmu_cycle_ps = PV_MODEL_CPMU_CYCLE_PS,
	};
	_autofree_ char *spill = NULL;

	if (folder && asprintf(&spill, "%s/ledger.spill", folder) < 0) {
		spill = NULL;
		return -ENOMEM;
	}
	hw->ledger = pv_ledger_new(spill, PV_LEDGER_MEM_BYTES, &head);
	return hw->ledger ? 0 : -ENOMEM;
}

/* Adds a function of the topology to the machine. 0 or -errno. */
static int add_function(struct pv_hw *hw, size_t index)
{
	struct pv_node_conf conf = hw->topo->nodes[index].conf;

	if (conf.parent >= 0) {
		conf.parent = hw->model_id[conf.parent];
		if (conf.parent < 0)
			return -ENODEV;
	}
	int id = pv_model_add(hw->model, &conf);
	if (id < 0)
		return id;
	hw->model_id[index] = id;
	return 0;
}

static int add_functions(struct pv_hw *hw, struct pv_error *e)
{

	for (size_t i = 0; i < hw->topo->n; i++) {
		const struct pv_topo_node *node = &hw->topo->nodes[i];

		hw->model_id[i] = -1;
		if (node->spare)
			continue;
		int err = add_function(hw, i);
		if (err)
			return pv_error(e, err, "topology: the model refuses function %s at %s: %s", node->name,
					pv_bdf_text(node->bdf).s, pv_errno_name(err));
	}
	int err = pv_model_start(hw->model);
	return err ? pv_error(e, err, "topology: the model cannot start this machine: %s", pv_errno_name(err)) : 0;
}

static int plant_defects(struct pv_hw *hw, json_object *list, struct pv_error *e)
{
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		const char *name = json_object_get_string(json_object_array_get_idx(list, i));

		if (!name || pv_model_defect(hw->model, name))
			return pv_error(e, -ENOENT,
					"defect: expected a name that `pcieval list --defects` knows, got %s",
					name ? name : "nothing");
	}
	return 0;
}

int pv_hw_later(const struct pv_hw *hw, uint64_t ns, uint64_t *ps)
{
	uint64_t now = pv_model_now_ps(hw->model);

	if (now > TIME_END_PS || ns > (TIME_END_PS - now) / PV_PS_PER_NS)
		return -EOVERFLOW;
	*ps = now + ns * PV_PS_PER_NS;
	return 0;
}

/* ---- the workload, translated to the models' calls ---- */

static struct pv_hw *hw_of(struct pv_workload *w)
{
	return (struct pv_hw *)((char *)w - offsetof(struct pv_hw, workload));
}

/* Marks the hardware as changed. */
static struct pv_hw *touch(struct pv_workload *w)
{
	struct pv_hw *hw = hw_of(w);

	hw->touched = true;
	return hw;
}

#define MODEL(w) (touch(w)->model)

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

/* This concerns the host only: the hardware does not change. */
static int op_irq_latency(struct pv_workload *w, uint64_t ns)
{
	const struct pv_hw *hw = hw_of(w);
	uint64_t due;
	int err = hw->host.irq_latency ? pv_hw_later(hw, ns, &due) : -EOPNOTSUPP;

	if (!err)
		hw->host.irq_latency(hw->host.ctx, ns * PV_PS_PER_NS);
	return err;
}

static void forget_removed(struct pv_hw *hw)
{
	uint8_t image[4096];

	for (size_t i = 0; i < hw->topo->n; i++)
		if (hw->model_id[i] >= 0 && pv_model_cfg_snapshot(hw->model, hw->topo->nodes[i].bdf, image) == -ENODEV)
			hw->model_id[i] = -1;
}

static int op_unplug(struct pv_workload *w, pv_bdf bdf)
{
	struct pv_hw *hw = touch(w);
	int err = pv_model_remove(hw->model, bdf);

	if (!err)
		forget_removed(hw);
	return err;
}

/* Plugs everything that is connected: the functions of a device and everything below them. */
static int op_plug(struct pv_workload *w, const struct pv_topo_node *root)
{
	struct pv_hw *hw = touch(w);

	for (size_t i = 0; i < hw->topo->n; i++) {
		const struct pv_topo_node *node = &hw->topo->nodes[i];

		if (hw->model_id[i] >= 0 || node->spare != root->spare || !pv_topology_below(hw->topo, node, root))
			continue;
		int err = add_function(hw, i);
		if (err)
			return err;
	}
	return 0;
}

static const struct pv_workload_ops workload_ops = {
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

/* ---- the whole ---- */

int pv_hw_open(struct pv_hw *hw, json_object *msg, const struct pv_hw_host *host, struct pv_error *e)
{
	const char *folder = json_object_get_string(json_object_object_get(msg, "folder"));

	*hw = (struct pv_hw){.workload.ops = &workload_ops, .truth.ops = &pv_hw_truth, .host = *host};
	int err = pv_topology_parse(json_object_object_get(msg, "topology"), &hw->topo, e);
	if (err)
		return err;
	hw->model_id = calloc(hw->topo->n + 1, sizeof(*hw->model_id));
	hw->regs.size = REG_RING_FIRST;
	hw->regs.access = calloc(hw->regs.size, sizeof(*hw->regs.access));
	hw->rules = pv_rules_new(&(struct pv_rule_machine){hw, peek});
	if (!hw->model_id || !hw->regs.access || !hw->rules || open_ledger(hw, folder))
		return pv_error(e, -ENOMEM, "models: no memory");
	hw->env = (struct pv_model_env){hw, env_alloc, env_dma_map, env_dma_lost, env_msi, env_wire, env_reg};
	hw->model = pv_model_new(&hw->env, json_object_get_uint64(json_object_object_get(msg, "seed")));
	if (!hw->model)
		return pv_error(e, -ENOMEM, "models: no memory");
	/* Defects come first: some change register values out of reset. */
	err = plant_defects(hw, json_object_object_get(msg, "defects"), e);
	return err ? err : add_functions(hw, e);
}

void pv_hw_close(struct pv_hw *hw)
{
	while (hw->memory) {
		struct pv_memory *mem = hw->memory;

		hw->memory = mem->next;
		free(mem);
	}
	if (hw->ledger)
		pv_ledger_clear(hw->ledger); /* nobody will read the file */
	pv_ledger_free(hw->ledger);
	pv_topology_free(hw->topo);
	free(hw->model_id);
	free(hw->regs.access);
	pv_rules_free(hw->rules);
	free(hw->reset);
}

int pv_hw_booting(struct pv_hw *hw)
{
	free(hw->reset);
	hw->reset = NULL;
	pv_rules_restart(hw->rules);
	return hw->truth.ops->cfg_images(&hw->truth, &hw->reset, &hw->n_reset);
}

int pv_hw_reg_read(struct pv_hw *hw, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value)
{
	hw->touched = hw->by_plan = true;
	*value = bar < 0 ? pv_model_cfg_read(hw->model, bdf, off, bytes)
			 : pv_model_mmio_read(hw->model, bdf, (unsigned)bar, off, bytes);
	hw->by_plan = false;
	return 0;
}

int pv_hw_reg_write(struct pv_hw *hw, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value)
{
	hw->touched = hw->by_plan = true;
	if (bar < 0)
		pv_model_cfg_write(hw->model, bdf, off, bytes, value);
	else
		pv_model_mmio_write(hw->model, bdf, (unsigned)bar, off, bytes, value);
	hw->by_plan = false;
	return 0;
}
