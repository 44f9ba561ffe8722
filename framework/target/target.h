/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target: a system under test with its driver and, where there is one, its truth. The steps of a case
 * (framework/agent/) act on a target through this table alone; each target is one file.
 */
#ifndef PV_TARGET_TARGET_H
#define PV_TARGET_TARGET_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/user/sys.h"
#include "fixtures/models/model.h"
#include "framework/oracle/ledger.h"
#include "framework/oracle/oracle.h"
#include "framework/target/topology.h"
#include "framework/util/error.h"

struct pv_target;

/* DMA writes that hit no memory of the driver's: on a real machine, what has the memory by now is overwritten. */
struct pv_dma_lost {
	uint64_t writes;
	pv_bdf bdf;    /* of the first: who wrote ... */
	uint64_t addr; /* ... and where to */
};

/* Reports something wrong with the driver: its kind, and a sentence for people. */
typedef void (*pv_told_fn)(void *ctx, const char *kind, const char *text);

struct pv_target_ops {
	const char *name, *help;
	const char *const *drivers; /* names of those it can test, ended by NULL; NULL: any */
	/* Opens from the case message (topology, seed, driver, defects, folder); the topology is read by
	 * pv_topology_parse(), and stays with the target. */
	int (*open)(struct pv_target **out, json_object *case_msg, struct pv_error *e);
	void (*close)(struct pv_target *t); /* puts everything back first */

	/* Machine. `boot` (re)starts the driver with a policy; without a boot step, policy default is booted at first use. */
	int (*boot)(struct pv_target *t, enum pv_mps_policy policy, struct pv_error *e);
	/*
	 * Shuts the driver down, with no event open; boot() may follow. Tells what it still holds then (DMA memory, interrupt
	 * handlers, mapped BARs), and accesses to registers that it had not mapped. NULL: the target cannot tell.
	 */
	void (*shutdown)(struct pv_target *t, pv_told_fn told, void *ctx);
	int (*cfg_images)(struct pv_target *t, struct pv_cfg_image **out, size_t *n); /* the truth, malloc'd */
	/* As cfg_images, but as it was out of reset, before the driver booted last. NULL: not known. */
	int (*reset_images)(struct pv_target *t, struct pv_cfg_image **out, size_t *n);
	int (*reg_read)(struct pv_target *t, pv_bdf bdf, int bar, uint32_t off, unsigned bytes,
			uint64_t *value); /* bar -1: config */
	int (*reg_write)(struct pv_target *t, pv_bdf bdf, int bar, uint32_t off, unsigned bytes, uint64_t value);
	int (*wait)(struct pv_target *t, uint64_t ns);
	uint64_t (*now_ps)(struct pv_target *t);

	/* Driver under test, as drivers/user/sys.h. */
	int (*probe_status)(struct pv_target *t, pv_bdf bdf, unsigned n, const char **why);
	const char *(*pmu_name)(struct pv_target *t, size_t n);
	int (*pmu_parent)(struct pv_target *t, const char *pmu, pv_bdf *bdf); /* the function it belongs to; -ENODEV */
	int (*attr_read)(struct pv_target *t, const char *pmu, const char *path, char *buf, size_t size);
	int (*attr_write)(struct pv_target *t, const char *pmu, const char *path, const char *text);
	int (*attr_list)(struct pv_target *t, const char *pmu, const char *dir, void (*fn)(void *, const char *),
			 void *ctx);
	int (*event_open)(struct pv_target *t, const char *pmu, const struct pv_event_attr *attr,
			  struct pv_event *leader, pv_aux_fn aux, void *aux_ctx, struct pv_event **out);
	int (*event_enable)(struct pv_target *t, struct pv_event *ev);
	int (*event_disable)(struct pv_target *t, struct pv_event *ev);
	int (*event_read)(struct pv_target *t, struct pv_event *ev, uint64_t *value);
	void (*event_close)(struct pv_target *t, struct pv_event *ev);
	int (*get_size)(struct pv_target *t, pv_bdf bdf, bool mrrs);
	int (*set_size)(struct pv_target *t, pv_bdf bdf, bool mrrs, int bytes);
	const char *(*log_line)(struct pv_target *t, size_t n);
	/* Bytes of each PTT DMA buffer of the sessions opened from now on; 0: the driver's default. NULL: fixed. */
	int (*ptt_buffer)(struct pv_target *t, uint64_t bytes);

	/* Workload and faults; NULL members: the target has none of it, a step that asks for it is skipped with the reason. */
	int (*traffic)(struct pv_target *t, const struct pv_traffic_conf *conf); /* stream id or -errno */
	int (*cxl_traffic)(struct pv_target *t, const struct pv_cxl_traffic_conf *conf);
	int (*traffic_stop)(struct pv_target *t, int stream);
	int (*traffic_stats)(struct pv_target *t, int stream, struct pv_traffic_stats *out);
	int (*drain)(struct pv_target *t, uint64_t max_ns); /* until all traffic is done: 0, -ETIMEDOUT */
	int (*link_state)(struct pv_target *t, pv_bdf port, enum pv_wire_ltssm state, uint64_t ns);
	int (*fault)(struct pv_target *t, enum pv_fault f, pv_bdf bdf, uint64_t arg);
	int (*irq_latency)(struct pv_target *t, uint64_t ns); /* how long an interrupt waits: the slow consumer */
	int (*unplug)(struct pv_target *t, pv_bdf bdf, bool notify); /* surprise removal; notify the driver or not */
	int (*plug)(struct pv_target *t, const struct pv_node_conf *conf); /* the driver is not told */
	int (*slot_event)(struct pv_target *t, pv_bdf port); /* pciehp: something is in the slot of `port` */
	int (*rescan)(struct pv_target *t);
	int (*remove)(struct pv_target *t, pv_bdf bdf); /* driver-side removal only (echo 1 > remove) */

	/* DMA outside of the driver's buffers so far. NULL: the target cannot tell. */
	struct pv_dma_lost (*dma_lost)(struct pv_target *t);

	/* Truth. NULL: the target has no ledger. */
	struct pv_ledger *(*ledger)(struct pv_target *t);
	int (*save_artefacts)(struct pv_target *t, const char *folder, void (*note)(void *, const char *path),
			      void *ctx);
};

struct pv_target {
	const struct pv_target_ops *ops;
	const struct pv_topology *topology; /* filled by open */
};

/* All targets (framework/target/targets.c), ended by NULL. */
extern const struct pv_target_ops *const pv_targets[];
const struct pv_target_ops *pv_target_find(const char *name);

#endif
