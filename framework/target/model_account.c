/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells which resources of the bus a driver still holds after shutdown, and which illegal accesses it made. */
#include <inttypes.h>
#include <stdio.h>

#include "framework/target/model_bus.h"

/* Tells the DMA blocks of one function together, at the first of them. */
static void tell_dma(const struct pv_model_bus *b, size_t first, pv_report_fn told, void *ctx)
{
	char text[160];
	size_t blocks = 0, bytes = 0;

	for (size_t i = 0; i < b->blocks; i++) {
		if (b->block[i].bdf != b->block[first].bdf)
			continue;
		if (i < first)
			return;
		blocks++;
		bytes += b->block[i].bytes;
	}
	snprintf(text, sizeof(text), "the driver, shut down, still holds DMA memory of %s: %zu %s, %zu bytes",
		 pv_bdf_text(b->block[first].bdf).s, blocks, blocks == 1 ? "block" : "blocks", bytes);
	told(ctx, "leak", text);
}

static void tell_held(const struct pv_model_bus *b, pv_report_fn told, void *ctx)
{
	char text[160];

	for (size_t i = 0; i < b->blocks; i++)
		tell_dma(b, i, told, ctx);
	for (size_t i = 0; i < b->lines; i++) {
		snprintf(text, sizeof(text), "the driver, shut down, still has an interrupt handler for %s: %u MSI %s",
			 pv_bdf_text(b->line[i].bdf).s, b->line[i].vectors,
			 b->line[i].vectors == 1 ? "vector" : "vectors");
		told(ctx, "leak", text);
	}
	for (size_t i = 0; i < b->maps; i++) {
		snprintf(text, sizeof(text), "the driver, shut down, still has BAR %u of %s mapped: 0x%x bytes at 0x%x",
			 b->map[i].bar, pv_bdf_text(b->map[i].bdf).s, b->map[i].bytes, b->map[i].off);
		told(ctx, "leak", text);
	}
}

void pv_model_bus_account(const struct pv_model_bus *b, pv_report_fn told, void *ctx)
{
	char text[192];

	tell_held(b, told, ctx);
	if (b->irq_off)
		told(ctx, "leak", "the driver, shut down, still holds interrupts off");
	if (!b->stray)
		return;
	snprintf(text, sizeof(text),
		 "registers: expected no access but to what is mapped, got %" PRIu64
		 ", the first to BAR %u of %s at 0x%x",
		 b->stray, b->stray_first.bar, pv_bdf_text(b->stray_first.bdf).s, b->stray_first.off);
	told(ctx, "mmio", text);
}
