/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the target "model": driver, bus and emulated hardware in one process, in simulated time. The
 * machine is built in model.c, what a step asks of it is answered in model_ops.c, artefacts are written
 * by model_save.c.
 */
#ifndef PV_TARGET_MODEL_H
#define PV_TARGET_MODEL_H

#include "framework/target/model_bus.h"
#include "framework/target/target.h"

#define PV_REG_RING (64u * 1024) /* register accesses that are kept: the last ones */

struct pv_reg_ring {
	struct pv_reg_access *access; /* PV_REG_RING of them */
	uint64_t noted;		      /* all that were ever noted */
};

struct pv_memory; /* what the model allocated, freed as a whole */

struct pv_model_target {
	struct pv_target base;
	struct pv_topology *topo;
	int *model_id; /* of each function of the topology; -1: not there */
	struct pv_model *model;
	struct pv_model_env env;
	struct pv_memory *memory;
	struct pv_model_bus bus;
	struct pv_sys *sys; /* NULL: not booted */
	struct pv_ledger *ledger;
	char *spill; /* the ledger's spill file, NULL: none */
	struct pv_reg_ring regs;
	struct pv_cfg_image *reset; /* out of reset, before the last boot */
	size_t n_reset;
	uint64_t polled_ps; /* when the driver was woken last */
	bool dirty;	    /* the machine was booted: the next boot is a reboot */
};

extern const struct pv_target_ops pv_target_model;

extern const char *const pv_model_target_drivers[]; /* ended by NULL */
int pv_model_target_open(struct pv_target **out, json_object *case_msg, struct pv_error *e);
void pv_model_target_close(struct pv_target *t);
int pv_model_target_boot(struct pv_target *t, enum pv_mps_policy policy, struct pv_error *e);
void pv_model_target_shutdown(struct pv_target *t, pv_told_fn told, void *ctx);
int pv_model_target_images(struct pv_target *t, struct pv_cfg_image **out, size_t *n);
/* Adds a function of the topology to the machine. 0 or -errno. */
int pv_model_target_add(struct pv_model_target *m, size_t index);
int pv_model_target_save(struct pv_target *t, const char *folder, void (*note)(void *, const char *), void *ctx);

static inline struct pv_model_target *pv_model_target(struct pv_target *t)
{
	return (struct pv_model_target *)t; /* base stands first */
}

#endif
