/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ground truth, independent of the driver: the wire ledger and images of configuration space. */
#ifndef PV_TARGET_TRUTH_H
#define PV_TARGET_TRUTH_H

#include "framework/oracle/ledger.h"
#include "framework/oracle/oracle.h"
#include "framework/oracle/rules.h"

/* DMA writes that hit no memory of the driver's: on a real machine, what has the memory by now is overwritten. */
struct pv_dma_lost {
	uint64_t writes;
	pv_bdf bdf;    /* of the first: who wrote ... */
	uint64_t addr; /* ... and where to */
};

struct pv_truth {
	const struct pv_truth_ops *ops;
};

struct pv_truth_ops {
	struct pv_ledger *(*ledger)(struct pv_truth *t);
	/* Configuration space of every function that is there; malloc'd. 0 or -errno. */
	int (*cfg_images)(struct pv_truth *t, struct pv_cfg_image **out, size_t *n);
	/* The same as it was out of reset, before the last boot. -ENODATA: there was none. */
	int (*reset_images)(struct pv_truth *t, struct pv_cfg_image **out, size_t *n);
	/* DMA outside of the driver's buffers so far. NULL: cannot be told. */
	struct pv_dma_lost (*dma_lost)(struct pv_truth *t);
	/* The driver's violations of the rules of use. NULL: its accesses are not seen. */
	const struct pv_rules *(*rules)(struct pv_truth *t);
	/* Writes artefacts into a folder and reports each file. NULL: there are none. */
	int (*save)(struct pv_truth *t, const char *folder, void (*note)(void *, const char *path), void *ctx);
};

#endif
