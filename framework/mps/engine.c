/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the engine's list of functions from a machine, in its order of discovery. */
#include "framework/mps/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool pv_has_sizes(const struct pv_pci_func *f)
{
	return f->pcie && !f->is_vf;
}

struct pv_mps_func *pv_engine_func(const struct pv_engine *engine, const struct pv_pci_func *f)
{
	return &engine->funcs[f - engine->machine->funcs];
}

struct pv_pci_func *pv_engine_pci(const struct pv_engine *engine, const struct pv_mps_func *f)
{
	return &engine->machine->funcs[f - engine->funcs];
}

/* Parents precede their children, as they have lower bus numbers. */
static void fill(const struct pv_engine *engine, const struct pv_pci_func *f, struct pv_mps_host *host)
{
	const struct pv_pci_func *ids = f->pf ? f->pf : f;
	struct pv_mps_func *func = pv_engine_func(engine, f);

	func->cfg = (struct pv_cfg){engine->bus.ctx, f->bdf, engine->bus.cfg_read, engine->bus.cfg_write};
	func->vendor = (uint16_t)pv_pci_get(ids, PCI_VENDOR_ID, 2);
	func->device = (uint16_t)pv_pci_get(ids, PCI_DEVICE_ID, 2);
	func->pcie = f->pcie;
	func->is_bridge = f->is_bridge;
	func->is_vf = f->is_vf;
	func->bridge = f->parent ? pv_engine_func(engine, f->parent) : NULL;
	func->host = func->bridge ? func->bridge->host : host;
	pv_mps_init(func);
}

static bool same_bus(const struct pv_pci_func *a, const struct pv_pci_func *b)
{
	return a->bdf >> 8 == b->bdf >> 8;
}

static void fill_all(const struct pv_engine *engine)
{
	const struct pv_pci_machine *m = engine->machine;
	struct pv_mps_host *host = engine->hosts;

	for (size_t i = 0; i < m->n; i++) {
		/* Each root bus has its own host bridge; hosts[] has room for one per function. */
		if (i && !same_bus(&m->funcs[i], &m->funcs[i - 1]))
			host = &engine->hosts[i];
		fill(engine, &m->funcs[i], host);
	}
}

/* Links functions depth first: a function, all functions below it, its sibling. */
static void link_all(const struct pv_engine *engine)
{
	const struct pv_pci_func *f = pv_pci_first_root(engine->machine);

	while (f) {
		const struct pv_pci_func *next = f->child, *up;

		for (up = f; !next && up; up = up->parent)
			next = up->sibling;
		pv_engine_func(engine, f)->next = next ? pv_engine_func(engine, next) : NULL;
		f = next;
	}
}

int pv_engine_init(struct pv_engine *engine, struct pv_pci_machine *m, const struct pv_bus *bus)
{
	*engine = (struct pv_engine){.machine = m, .bus = *bus};
	engine->funcs = calloc(m->n + 1, sizeof(*engine->funcs));
	engine->hosts = calloc(m->n + 1, sizeof(*engine->hosts));
	if (!engine->funcs || !engine->hosts) {
		pv_engine_free(engine);
		return -ENOMEM;
	}
	fill_all(engine);
	link_all(engine);
	return 0;
}

void pv_engine_free(struct pv_engine *engine)
{
	free(engine->funcs);
	free(engine->hosts);
	*engine = (struct pv_engine){0};
}

/* Discovers a bus like Linux: first all functions of the bus, then those below its bridges. */
static void find_bus(const struct pv_engine *engine, const struct pv_mps *mps, const struct pv_pci_func *first)
{
	const struct pv_pci_func *f;

	for (f = first; f; f = f->sibling)
		pv_mps_found(mps, pv_engine_func(engine, f));
	for (f = first; f; f = f->sibling)
		if (f->child)
			find_bus(engine, mps, f->child);
}

void pv_engine_boot(const struct pv_engine *engine, const struct pv_mps *mps)
{
	const struct pv_pci_func *first = pv_pci_first_root(engine->machine);

	if (!first)
		return;
	find_bus(engine, mps, first);
	pv_mps_scanned(mps, pv_engine_func(engine, first));
}
