/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Artefacts of the emulated hardware: the wire ledger and the register log (text, one access a line:
 * time in ns, function, space, R or W, offset with its name, value).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "framework/target/hw.h"
#include "framework/target/reg_names.h"
#include "framework/util/cleanup.h"

/* The function of the access before: they come in runs. */
struct function {
	bool known, there;
	pv_bdf bdf;
	uint8_t cfg[4096];
};

/* NULL: it is gone. */
static const uint8_t *config_of(const struct pv_hw *hw, struct function *f, pv_bdf bdf)
{
	if (!f->known || f->bdf != bdf)
		f->there = !pv_model_cfg_snapshot(hw->model, bdf, f->cfg);
	f->known = true;
	f->bdf = bdf;
	return f->there ? f->cfg : NULL;
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
	struct function function = {0};
	uint64_t first = hw->regs.noted > PV_REG_RING ? hw->regs.noted - PV_REG_RING : 0;
	fprintf(f, "# register accesses %" PRIu64 " to %" PRIu64 "; the model's snapshots are not among them\n", first,
		hw->regs.noted);
	fprintf(f, "#      time ns device space  R/W and bytes, offset, name, value\n");
	for (uint64_t i = first; i < hw->regs.noted; i++) {
		const struct pv_reg_access *a = &hw->regs.access[i % PV_REG_RING];

		write_access(f, hw, a, config_of(hw, &function, a->bdf));
	}
	int bad = ferror(f) | fclose(steal(&f));
	return bad ? -EIO : 0;
}

int pv_hw_save(struct pv_truth *t, const char *folder, void (*note)(void *, const char *), void *ctx)
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
