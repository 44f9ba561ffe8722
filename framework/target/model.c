/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target "model": building the machine of a case, (re)booting the driver on it, taking it down.
 * Everything lives in this process; there is nothing to put back but what close() frees.
 */
#include "framework/target/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/regs/pcie.h"
#include "framework/util/cleanup.h"

#define LEDGER_BYTES (64u << 20) /* of the ledger that stay in memory */

/* ---- what the model is given ---- */

struct pv_memory {
	struct pv_memory *next;
	_Alignas(max_align_t) unsigned char bytes[];
};

static void *env_alloc(void *ctx, size_t bytes)
{
	struct pv_model_target *m = ctx;
	if (bytes > SIZE_MAX - sizeof(struct pv_memory))
		return NULL;
	struct pv_memory *mem = calloc(1, sizeof(*mem) + bytes);
	if (!mem)
		return NULL;
	mem->next = m->memory;
	m->memory = mem;
	return mem->bytes;
}

static void *env_dma_map(void *ctx, uint64_t addr, size_t bytes)
{
	return pv_model_bus_dma_map(&((struct pv_model_target *)ctx)->bus, addr, bytes);
}

static void env_dma_lost(void *ctx, pv_bdf bdf, uint64_t addr)
{
	pv_model_bus_dma_lost(&((struct pv_model_target *)ctx)->bus, bdf, addr);
}

static void env_msi(void *ctx, pv_bdf bdf, unsigned vector)
{
	pv_model_bus_msi(&((struct pv_model_target *)ctx)->bus, bdf, vector);
}

static void env_wire(void *ctx, const struct pv_wire *w)
{
	pv_ledger_add(((struct pv_model_target *)ctx)->ledger, w);
}

static void env_reg(void *ctx, const struct pv_reg_access *a)
{
	struct pv_reg_ring *r = &((struct pv_model_target *)ctx)->regs;
	r->access[r->noted++ % PV_REG_RING] = *a;
}

/* ---- building ---- */

static int open_ledger(struct pv_model_target *m, const char *folder)
{
	const struct pv_wire_file head = {
		.magic = PV_WIRE_MAGIC,
		.record_bytes = sizeof(struct pv_wire),
		.ptt_tick_ps = PV_MODEL_PTT_TICK_PS,
		.dwc_cycle_ps = PV_MODEL_DWC_CYCLE_PS,
		.cpmu_cycle_ps = PV_MODEL_CPMU_CYCLE_PS,
	};
	if (folder && asprintf(&m->spill, "%s/ledger.spill", folder) < 0)
		return -ENOMEM;
	m->ledger = pv_ledger_new(m->spill, LEDGER_BYTES, &head);
	return m->ledger ? 0 : -ENOMEM;
}

int pv_model_target_add(struct pv_model_target *m, size_t index)
{
	struct pv_node_conf conf = m->topo->nodes[index].conf;
	if (conf.parent >= 0) {
		conf.parent = m->model_id[conf.parent];
		if (conf.parent < 0)
			return -ENODEV;
	}
	int id = pv_model_add(m->model, &conf);
	if (id < 0)
		return id;
	m->model_id[index] = id;
	return 0;
}

static int add_functions(struct pv_model_target *m, struct pv_error *e)
{
	char bdf[8];
	for (size_t i = 0; i < m->topo->n; i++) {
		const struct pv_topo_node *node = &m->topo->nodes[i];
		m->model_id[i] = -1;
		if (node->spare)
			continue;
		int err = pv_model_target_add(m, i);
		if (err)
			return pv_error(e, err, "topology: the model refuses function %s at %s: %s", node->name,
					pv_bdf_text(node->conf.bdf, bdf), pv_errno_name(err));
	}
	int err = pv_model_start(m->model);
	return err ? pv_error(e, err, "topology: the model cannot start this machine: %s", pv_errno_name(err)) : 0;
}

static int plant_defects(struct pv_model_target *m, json_object *list, struct pv_error *e)
{
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	for (size_t i = 0; i < n; i++) {
		const char *name = json_object_get_string(json_object_array_get_idx(list, i));
		if (!name || pv_model_defect(m->model, name))
			return pv_error(e, -ENOENT,
					"defect: expected a name that `pcieval list --defects` knows, got %s",
					name ? name : "nothing");
	}
	return 0;
}

static int build(struct pv_model_target *m, json_object *msg, struct pv_error *e)
{
	const char *folder = json_object_get_string(json_object_object_get(msg, "folder"));
	int err = pv_topology_parse(json_object_object_get(msg, "topology"), &m->topo, e);
	if (err)
		return err;
	m->base.topology = m->topo;
	m->model_id = calloc(m->topo->n + 1, sizeof(*m->model_id));
	m->regs.access = calloc(PV_REG_RING, sizeof(*m->regs.access));
	if (!m->model_id || !m->regs.access || open_ledger(m, folder))
		return pv_error(e, -ENOMEM, "target model: no memory");
	pv_model_bus_init(&m->bus, m->topo->iommu_translates);
	m->env = (struct pv_model_env){m, env_alloc, env_dma_map, env_dma_lost, env_msi, env_wire, env_reg};
	m->model = pv_model_new(&m->env, json_object_get_uint64(json_object_object_get(msg, "seed")));
	if (!m->model)
		return pv_error(e, -ENOMEM, "target model: no memory");
	m->bus.model = m->model;
	err = add_functions(m, e);
	return err ? err : plant_defects(m, json_object_object_get(msg, "defects"), e);
}

const char *const pv_model_target_drivers[] = {"reference", NULL};

static int check_driver(json_object *msg, struct pv_error *e)
{
	const char *driver = json_object_get_string(json_object_object_get(msg, "driver"));
	if (!driver || !strcmp(driver, pv_model_target_drivers[0]))
		return 0;
	return pv_error(e, -EINVAL, "target model: driver: expected reference (the only one without a kernel), got %s",
			driver);
}

int pv_model_target_open(struct pv_target **out, json_object *case_msg, struct pv_error *e)
{
	int err = check_driver(case_msg, e);
	if (err)
		return err;
	struct pv_model_target *m = calloc(1, sizeof(*m));
	if (!m)
		return pv_error(e, -ENOMEM, "target model: no memory");
	m->base.ops = &pv_target_model;
	err = build(m, case_msg, e);
	if (err) {
		pv_model_target_close(&m->base);
		return err;
	}
	*out = &m->base;
	return 0;
}

void pv_model_target_close(struct pv_target *t)
{
	struct pv_model_target *m = pv_model_target(t);
	if (m->sys)
		pv_sys_shutdown(m->sys);
	pv_model_bus_fini(&m->bus);
	while (m->memory) {
		struct pv_memory *mem = m->memory;
		m->memory = mem->next;
		free(mem);
	}
	if (m->ledger)
		pv_ledger_free(m->ledger);
	if (m->spill)
		unlink(m->spill);
	pv_topology_free(m->topo);
	free(m->spill);
	free(m->model_id);
	free(m->regs.access);
	free(m->reset);
	free(m);
}

/* ---- booting ---- */

/* Reads which bits of Device Control, and which sizes of MRRS, the function does not take. */
static void read_held(const struct pv_model_target *m, struct pv_cfg_image *image)
{
	uint8_t max = 0;
	if (!pv_model_devctl_held(m->model, image->bdf, &image->devctl_ro, &max) && max < PCI_EXP_SIZE_FIELD_MAX)
		image->mrrs_max = (uint16_t)PCI_EXP_SIZE_BYTES(max);
}

int pv_model_target_images(struct pv_target *t, struct pv_cfg_image **out, size_t *n)
{
	struct pv_model_target *m = pv_model_target(t);
	_autofree_ struct pv_cfg_image *image = calloc(m->topo->n + 1, sizeof(*image));
	if (!image)
		return -ENOMEM;
	size_t there = 0;
	for (size_t i = 0; i < m->topo->n; i++) {
		if (m->model_id[i] < 0)
			continue;
		image[there].bdf = m->topo->nodes[i].conf.bdf;
		read_held(m, &image[there]);
		if (!pv_model_cfg_snapshot(m->model, image[there].bdf, image[there].data))
			there++;
	}
	*n = there;
	*out = steal(&image);
	return 0;
}

void pv_model_target_shutdown(struct pv_target *t, pv_told_fn told, void *ctx)
{
	struct pv_model_target *m = pv_model_target(t);
	if (m->sys)
		pv_sys_shutdown(m->sys);
	m->sys = NULL;
	pv_model_bus_account(&m->bus, told, ctx);
}

int pv_model_target_boot(struct pv_target *t, enum pv_mps_policy policy, struct pv_error *e)
{
	struct pv_model_target *m = pv_model_target(t);
	if (m->sys)
		pv_sys_shutdown(m->sys);
	m->sys = NULL;
	if (m->dirty) {
		pv_model_bus_reset(&m->bus);
		pv_model_reset(m->model);
	}
	m->dirty = true;
	free(m->reset);
	m->reset = NULL;
	int err = pv_model_target_images(t, &m->reset, &m->n_reset);
	if (err)
		return pv_error(e, err, "boot: no memory");
	m->sys = pv_sys_boot(&m->bus.bus, policy);
	return m->sys ? 0 : pv_error(e, -ENOMEM, "boot: the driver has no memory");
}
