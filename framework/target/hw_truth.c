/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The truth of the emulated hardware: its ledger, its configuration space now and out of reset. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/target/hw.h"
#include "framework/util/cleanup.h"

static struct pv_ledger *op_ledger(struct pv_truth *t)
{
	return pv_hw_of_truth(t)->ledger;
}

/* Reads which bits of Device Control, and which sizes of MRRS, the function does not take. */
static void read_held(const struct pv_hw *hw, struct pv_cfg_image *image)
{
	uint8_t max = 0;

	if (!pv_model_devctl_held(hw->model, image->bdf, &image->devctl_ro, &max) && max < PCI_EXP_SIZE_FIELD_MAX)
		image->mrrs_max = (uint16_t)PCI_EXP_SIZE_BYTES(max);
}

static int op_cfg_images(struct pv_truth *t, struct pv_cfg_image **out, size_t *n)
{
	const struct pv_hw *hw = pv_hw_of_truth(t);
	_autofree_ struct pv_cfg_image *image = calloc(hw->topo->n + 1, sizeof(*image));

	if (!image)
		return -ENOMEM;
	size_t there = 0;
	for (size_t i = 0; i < hw->topo->n; i++) {
		if (hw->model_id[i] < 0)
			continue;
		image[there].bdf = hw->topo->nodes[i].bdf;
		read_held(hw, &image[there]);
		if (!pv_model_cfg_snapshot(hw->model, image[there].bdf, image[there].data))
			there++;
	}
	*n = there;
	*out = steal(&image);
	return 0;
}

static int op_reset_images(struct pv_truth *t, struct pv_cfg_image **out, size_t *n)
{
	const struct pv_hw *hw = pv_hw_of_truth(t);

	if (!hw->reset)
		return -ENODATA;
	*out = calloc(hw->n_reset + 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	memcpy(*out, hw->reset, hw->n_reset * sizeof(**out));
	*n = hw->n_reset;
	return 0;
}

static struct pv_dma_lost op_dma_lost(struct pv_truth *t)
{
	return pv_hw_of_truth(t)->dma_lost;
}

static const struct pv_rules *op_rules(struct pv_truth *t)
{
	return pv_hw_of_truth(t)->rules;
}

const struct pv_truth_ops pv_hw_truth = {
	.ledger = op_ledger,
	.cfg_images = op_cfg_images,
	.reset_images = op_reset_images,
	.dma_lost = op_dma_lost,
	.rules = op_rules,
	.save = pv_hw_save,
};
