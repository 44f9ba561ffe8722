/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The emulated hardware of a case: the models built from its topology, with their ledger and register log. It gives a
 * target its workload and its truth, whoever drives the machine: the reference driver in process (model.h) or a
 * kernel under QEMU (framework/qemu).
 */
#ifndef PV_TARGET_HW_H
#define PV_TARGET_HW_H

#include "fixtures/models/model.h"
#include "framework/target/target.h"

#define PV_HW_PTT_TICK_HZ (1e12 / PV_MODEL_PTT_TICK_PS)

#define PV_REG_RING (64u * 1024) /* number of the last register accesses that are kept */

/* A ring that grows until it holds PV_REG_RING accesses: most cases have some hundred. */
struct pv_reg_ring {
	struct pv_reg_access *access; /* `size` of them */
	size_t size;		      /* a power of two */
	uint64_t noted;		      /* total number of noted accesses */
};

/* Returns the number of the oldest access that is kept; the newest is `noted` - 1. */
static inline uint64_t pv_reg_ring_first(const struct pv_reg_ring *r)
{
	return r->noted > r->size ? r->noted - r->size : 0;
}

static inline struct pv_reg_access *pv_reg_ring_at(const struct pv_reg_ring *r, uint64_t number)
{
	return &r->access[number & (r->size - 1)];
}

struct pv_memory; /* memory of the models, freed as a whole */

/* Callbacks of the models into the host that drives them, as in struct pv_model_env. */
struct pv_hw_host {
	void *ctx;
	void *(*dma_map)(void *ctx, pv_bdf bdf, uint64_t addr, size_t bytes);
	void (*msi)(void *ctx, pv_bdf bdf, unsigned vector);
	/* Sets how long an interrupt waits for its handler. NULL: the host decides. */
	void (*irq_latency)(void *ctx, uint64_t latency_ps);
};

struct pv_hw {
	struct pv_workload workload;
	struct pv_truth truth;
	struct pv_hw_host host;
	struct pv_topology *topo;
	int *model_id; /* of each function of the topology; -1: absent */
	struct pv_model *model;
	struct pv_model_env env;
	struct pv_memory *memory;
	struct pv_ledger *ledger;
	struct pv_reg_ring regs;
	struct pv_rules *rules;
	bool by_plan;		    /* the current access comes from a step of the plan, not from a driver */
	struct pv_cfg_image *reset; /* out of reset, before the last boot */
	size_t n_reset;
	struct pv_dma_lost dma_lost;
	bool touched; /* the case has changed it: it no longer matches the topology */
};

/* Builds the machine of a case message (topology, seed, defects, folder). 0, or -errno with *e; close it either way. */
int pv_hw_open(struct pv_hw *hw, json_object *case_msg, const struct pv_hw_host *host, struct pv_error *e);
void pv_hw_close(struct pv_hw *hw);
/* Saves images of the machine out of reset, before a driver boots on it. 0 or -ENOMEM. */
int pv_hw_booting(struct pv_hw *hw);

/* Computes the time in `ns` from now: 0, or -EOVERFLOW if that exceeds the clock (106 days). */
int pv_hw_later(const struct pv_hw *hw, uint64_t ns, uint64_t *ps);

/* Registers behind the driver's back, as in struct pv_machine_ops. */
int pv_hw_reg_read(struct pv_hw *hw, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t *value);
int pv_hw_reg_write(struct pv_hw *hw, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value);

extern const struct pv_truth_ops pv_hw_truth; /* hw_truth.c */

static inline struct pv_hw *pv_hw_of_truth(struct pv_truth *t)
{
	return (struct pv_hw *)((char *)t - offsetof(struct pv_hw, truth));
}

/* The configuration space of the function that was accessed last: accesses come in runs. Zeroed: of none. */
struct pv_hw_config {
	bool known, there;
	pv_bdf bdf;
	uint8_t cfg[PCI_CFG_BYTES];
};

/* Returns the configuration space of a function now, read again if another was asked for last. NULL: it is gone. */
const uint8_t *pv_hw_config(const struct pv_hw *hw, struct pv_hw_config *last, pv_bdf bdf);

#endif
