/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Building the emulated hardware of a case and taking it down. Everything lives in this process; there is nothing to
 * put back but what pv_hw_close() frees.
 */
#include "framework/target/hw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/regs/pcie.h"
#include "framework/util/cleanup.h"

#define LEDGER_BYTES (64u << 20)      /* of the ledger that stay in memory */
#define TIME_END_PS  (UINT64_MAX / 2) /* beyond it, what is to come could not be told in 64 bits */

/* ---- what the models are given ---- */

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
	hw->regs.access[hw->regs.noted++ % PV_REG_RING] = *a;
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

	if (folder && asprintf(&hw->spill, "%s/ledger.spill", folder) < 0)
		return -ENOMEM;
	hw->ledger = pv_ledger_new(hw->spill, LEDGER_BYTES, &head);
	return hw->ledger ? 0 : -ENOMEM;
}

int pv_hw_add(struct pv_hw *hw, size_t index)
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
		int err = pv_hw_add(hw, i);
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

int pv_hw_open(struct pv_hw *hw, json_object *msg, const struct pv_hw_host *host, struct pv_error *e)
{
	const char *folder = json_object_get_string(json_object_object_get(msg, "folder"));

	*hw = (struct pv_hw){.workload.ops = &pv_hw_workload, .truth.ops = &pv_hw_truth, .host = *host};
	int err = pv_topology_parse(json_object_object_get(msg, "topology"), &hw->topo, e);
	if (err)
		return err;
	hw->model_id = calloc(hw->topo->n + 1, sizeof(*hw->model_id));
	hw->regs.access = calloc(PV_REG_RING, sizeof(*hw->regs.access));
	hw->rules = pv_rules_new(&(struct pv_rule_machine){hw, peek});
	if (!hw->model_id || !hw->regs.access || !hw->rules || open_ledger(hw, folder))
		return pv_error(e, -ENOMEM, "models: no memory");
	hw->env = (struct pv_model_env){hw, env_alloc, env_dma_map, env_dma_lost, env_msi, env_wire, env_reg};
	hw->model = pv_model_new(&hw->env, json_object_get_uint64(json_object_object_get(msg, "seed")));
	if (!hw->model)
		return pv_error(e, -ENOMEM, "models: no memory");
	/* First the defects: some concern what registers hold out of reset. */
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
		pv_ledger_free(hw->ledger);
	if (hw->spill)
		unlink(hw->spill);
	pv_topology_free(hw->topo);
	free(hw->spill);
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

int pv_hw_later(const struct pv_hw *hw, uint64_t ns, uint64_t *ps)
{
	uint64_t now = pv_model_now_ps(hw->model);

	if (now > TIME_END_PS || ns > (TIME_END_PS - now) / PV_PS_PER_NS)
		return -EOVERFLOW;
	*ps = now + ns * PV_PS_PER_NS;
	return 0;
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
