/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of the models as text. */
#include "framework/tests/board/registers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "framework/util/cleanup.h"
#include "framework/util/file.h"

#define BARS 6

static void write_one(FILE *f, pv_bdf bdf, const char *space, uint32_t off, uint32_t value)
{

	if (value)
		fprintf(f, "%s %s 0x%05" PRIx32 " %08" PRIx32 "\n", pv_bdf_text(bdf).s, space, off, value);
}

static void write_config(FILE *f, const struct pv_hw *hw, pv_bdf bdf)
{
	uint8_t data[4096];
	uint32_t value;

	if (pv_model_cfg_snapshot(hw->model, bdf, data))
		return;
	for (uint32_t off = 0; off < sizeof(data); off += sizeof(value)) {
		memcpy(&value, data + off, sizeof(value));
		write_one(f, bdf, "config", off, value);
	}
}

static void write_bars(FILE *f, const struct pv_hw *hw, pv_bdf bdf)
{
	char space[] = "bar0";

	for (unsigned bar = 0; bar < BARS; bar++) {
		uint64_t bytes = pv_model_bar_bytes(hw->model, bdf, bar);

		space[3] = (char)('0' + bar);
		for (uint32_t off = 0; off < bytes; off += 4)
			write_one(f, bdf, space, off, (uint32_t)pv_model_mmio_read(hw->model, bdf, bar, off, 4));
	}
}

int pv_board_vm_write_registers(struct pv_hw *hw, const char *path, struct pv_error *e)
{
	_autofree_ char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	for (size_t i = 0; f && i < hw->topo->n; i++) {
		const struct pv_topo_node *node = &hw->topo->nodes[i];

		if (hw->model_id[i] < 0)
			continue;
		write_config(f, hw, node->bdf);
		if (node->conf.kind == PV_NODE_PTT || node->conf.kind == PV_NODE_CXL_MEM)
			write_bars(f, hw, node->bdf);
	}
	if (!f || fclose(f))
		return pv_error(e, -ENOMEM, "no memory");
	return pv_file_write(path, text, n, e);
}
