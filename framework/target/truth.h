/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ground truth, independent of the driver: the wire ledger and images of configuration space. */
#ifndef PV_TARGET_TRUTH_H
#define PV_TARGET_TRUTH_H

#include "framework/oracle/ledger.h"
#include "framework/oracle/oracle.h"
#include "framework/oracle/rules.h"

/* DMA writes outside of the driver's memory: on a real machine they would overwrite memory of others. */
struct pv_dma_lost {
	uint64_t writes;
	pv_bdf bdf;    /* the first write: function ... */
	uint64_t addr; /* ... and the address */
};

struct pv_truth {
	const struct pv_truth_ops *ops;
};

struct pv_truth_ops {
	struct pv_ledger *(*ledger)(struct pv_truth *t);
	/* Reads configuration space of every present function; malloc'd. 0 or -errno. */
	int (*cfg_images)(struct pv_truth *t, struct pv_cfg_image **out, size_t *n);
	/* The same as it was out of reset, before the last boot. -ENODATA: there was none. */
	int (*reset_images)(struct pv_truth *t, struct pv_cfg_image **out, size_t *n);
	/* DMA outside of the driver's buffers so far. NULL: unknown. */
	struct pv_dma_lost (*dma_lost)(struct pv_truth *t);
	/* The driver's violations of the rules of use. NULL: its accesses are not observed. */
	const struct pv_rules *(*rules)(struct pv_truth *t);
	/* Writes artefacts into a folder and reports each file. NULL: there are none. */
	int (*save)(struct pv_truth *t, const char *folder, void (*note)(void *, const char *path), void *ctx);
};

#endif
