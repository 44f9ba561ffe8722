/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bus between driver and model: struct pv_bus over struct pv_model. Time is the model's; DMA
 * memory is identity mapped; MSIs wait for a latency and are delivered when interrupts are on, never nested.
 */
#ifndef PV_TARGET_MODEL_BUS_H
#define PV_TARGET_MODEL_BUS_H

#include "drivers/user/bus.h"
#include "fixtures/models/model.h"
#include "framework/target/msi_delay.h"
#include "framework/target/target.h"

#define PV_BUS_DMA_BLOCKS 512
#define PV_BUS_IRQS	  64 /* functions with MSI */
#define PV_BUS_MAPS	  1024

struct pv_dma_block {
	void *cpu;
	uint64_t dma;
	size_t bytes;
	pv_bdf bdf;
};

struct pv_bar_map {
	pv_bdf bdf;
	unsigned bar;
	uint32_t off, bytes;
};

struct pv_irq_line {
	pv_bdf bdf;
	unsigned vectors;
	void (*fn)(void *arg, unsigned vector);
	void *arg;
};

struct pv_model_bus {
	struct pv_model *model;		    /* this and topology are set by the owner before the first use */
	const struct pv_topology *topology; /* NULL: the machine is unknown */
	struct pv_bus bus;		    /* the driver's interface */
	unsigned irq_off;		    /* depth of irq_save() */
	bool in_isr;
	size_t blocks, lines, maps;
	struct pv_dma_block block[PV_BUS_DMA_BLOCKS];
	struct pv_dma_block *last; /* block of the last access: the next one is probably in it, too */
	struct pv_irq_line line[PV_BUS_IRQS];
	struct pv_msi_delay delay;
	struct pv_bar_map map[PV_BUS_MAPS];
	uint64_t stray;		       /* accesses outside of mapped BARs */
	struct pv_bar_map stray_first; /* place of the first one */
	uint64_t next_dma;
	uint64_t delivered, lost; /* MSIs; `lost`: without a handler */
};

void pv_model_bus_init(struct pv_model_bus *b);
void pv_model_bus_fini(struct pv_model_bus *b);	 /* frees remaining DMA memory */
void pv_model_bus_reset(struct pv_model_bus *b); /* a reboot: no handlers, no pending interrupts */

/*
 * Calls told() for everything that the driver still holds after shutdown ("leak"), and once for its accesses outside
 * of mapped BARs ("mmio"), with a sentence.
 */
void pv_model_bus_account(const struct pv_model_bus *b, pv_report_fn told, void *ctx);

/* Hooks of struct pv_model_env. */
void *pv_model_bus_dma_map(struct pv_model_bus *b, uint64_t addr, size_t bytes);
void pv_model_bus_msi(struct pv_model_bus *b, pv_bdf bdf, unsigned vector);

/* Sets how long interrupts wait for their handler from now on. */
void pv_model_bus_latency(struct pv_model_bus *b, uint64_t latency_ps);

/* Runs the machine until `until_ps`, delivering interrupts as they fall due. */
void pv_model_bus_run(struct pv_model_bus *b, uint64_t until_ps);

#endif
