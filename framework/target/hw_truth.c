/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The truth of the emulated hardware: its ledger, its configuration space now and out of reset, and its artefacts. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/target/hw.h"
#include "framework/target/reg_names.h"
#include "framework/util/cleanup.h"

static struct pv_ledger *op_ledger(struct pv_truth *t)
{
	return pv_hw_of_truth(t)->ledger;
}

/* Reads which bits of Device Control, and which sizes of MRRS, the function does not accept. */
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

/*
 * ---- artefacts ----
 *
 * The wire ledger and the register log: text, one access a line: time in ns, function, space, R or W, offset with its
 * name, value.
 */

const uint8_t *pv_hw_config(const struct pv_hw *hw, struct pv_hw_config *last, pv_bdf bdf)
{
	if (!last->known || last->bdf != bdf)
		last->there = !pv_model_cfg_snapshot(hw->model, bdf, last->cfg);
	last->known = true;
	last->bdf = bdf;
	return last->there ? last->cfg : NULL;
}

static void write_access(FILE *f, const struct pv_hw *hw, const struct pv_reg_access *a, const uint8_t *cfg)
{
	char name[64], space[8] = "config";
	const struct pv_topo_node *node = pv_topology_by_bdf(hw->topo, a->bdf);

	if (a->space <= 5)
		snprintf(space, sizeof(space), "bar%u", a->space);
	fprintf(f, "%14.3f %s %-6s %c%u 0x%04" PRIx32 " %-28s 0x%0*" PRIx64 "\n", (double)a->time_ps / 1000.0,
		pv_bdf_text(a->bdf).s, space, a->write ? 'W' : 'R', a->bytes, a->offset,
		node ? pv_reg_name(node->conf.kind, a->space, a->offset, cfg, name, sizeof(name)) : "", 2 * a->bytes,
		a->value);
}

static int save_registers(const struct pv_hw *hw, const char *path)
{
	_autofclose_ FILE *f = fopen(path, "w");

	if (!f)
		return -errno;
	struct pv_hw_config last = {0};
	uint64_t first = pv_reg_ring_first(&hw->regs);
	fprintf(f, "# register accesses %" PRIu64 " to %" PRIu64 "; the model's snapshots are not among them\n", first,
		hw->regs.noted);
	fprintf(f, "#      time ns device space  R/W and bytes, offset, name, value\n");
	for (uint64_t i = first; i < hw->regs.noted; i++) {
		const struct pv_reg_access *a = pv_reg_ring_at(&hw->regs, i);

		write_access(f, hw, a, pv_hw_config(hw, &last, a->bdf));
	}
	int bad = ferror(f) | fclose(steal(&f));
	return bad ? -EIO : 0;
}

static int op_save(struct pv_truth *t, const char *folder, void (*note)(void *, const char *), void *ctx)
{
	struct pv_hw *hw = pv_hw_of_truth(t);
	_autofree_ char *ledger = NULL, *regs = NULL;

	if (asprintf(&ledger, "%s/ledger.pvw", folder) < 0 || asprintf(&regs, "%s/registers.txt", folder) < 0)
		return -ENOMEM;
	int err = pv_ledger_save(hw->ledger, ledger);
	if (err)
		return err;
	note(ctx, ledger);
	err = save_registers(hw, regs);
	if (!err)
		note(ctx, regs);
	return err;
}

const struct pv_truth_ops pv_hw_truth = {
	.ledger = op_ledger,
	.cfg_images = op_cfg_images,
	.reset_images = op_reset_images,
	.dma_lost = op_dma_lost,
	.rules = op_rules,
	.save = op_save,
};
