/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts functions of a dump to facts about the devices of a trace: see trace_machine.h. */
#include "framework/cli/trace_machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "framework/mps/engine.h"
#include "framework/mps/facts.h"
#include "framework/mps/predict.h"

static bool is_host(const struct pv_pci_func *f)
{
	int type = pv_port_type(f);

	return type == PCI_EXP_TYPE_ROOT_PORT || type == PCI_EXP_TYPE_RC_END || type == PCI_EXP_TYPE_RC_EC ||
	       (!f->parent && !f->pcie);
}

static void fill_link(struct pv_stat_function *out, const struct pv_pci_func *f, int mps)
{
	const struct pv_pci_func *top = pv_predict_top(f);
	struct pv_link_rate link = pv_predict_link(f);
	struct pv_throughput most = top ? pv_predict(f, mps, pv_mrrs_of(f), pv_mps_of(top)) : (struct pv_throughput){0};

	if (!link.width)
		return;
	snprintf(out->link, sizeof(out->link), "%s", pv_link_text(link).s);
	out->link_bytes_per_s = link.flits ? 0 : pv_link_bytes_per_s(&link);
	out->write_ceiling = most.write;
	out->read_ceiling = most.read;
}

/* Fills sizes, tags and link; a VF has those of its PF (PCIe 5.0 9.3.5.4). */
static void fill_sizes(struct pv_stat_function *out, const struct pv_pci_machine *m, const struct pv_pci_func *f)
{
	if (f->is_vf && f->pf)
		f = f->pf;
	if (!pv_has_sizes(f))
		return;
	out->mps = (unsigned)pv_mps_of(pv_mps_decider(m, f));
	out->mrrs = (unsigned)pv_mrrs_of(f);
	out->tags = pv_tags_of(f);
	out->relaxed = pv_pci_exp(f, PCI_EXP_DEVCTL, 2) & PCI_EXP_DEVCTL_RELAX;
	fill_link(out, f, (int)out->mps);
}

static void fill(struct pv_stat_function *out, struct pv_pci_names *names, const struct pv_pci_machine *m,
		 const struct pv_pci_func *f)
{
	*out = (struct pv_stat_function){.requester = (uint16_t)PCI_RID(f->bdf), .is_host = is_host(f)};
	snprintf(out->bdf, sizeof(out->bdf), "%s", f->name);
	snprintf(out->name, sizeof(out->name), "%s", pv_pci_title_of(names, f).name);
	fill_sizes(out, m, f);
}

/* Returns the address of a memory BAR on the bus, from its register if the dump has its bytes. 0: it is none. */
static uint64_t bar_address(const struct pv_pci_func *f, unsigned number)
{
	uint32_t low = pv_pci_get(f, PCI_BAR(number), 4), high;

	if (f->note->from_text || f->known < 64)
		return f->note->regions[number].address;
	if (low & PCI_BAR_IO)
		return 0;
	high = low & PCI_BAR_64 ? pv_pci_get(f, PCI_BAR(number + 1), 4) : 0;
	return (uint64_t)high << 32 | (low & ~0xfu);
}

static void add_bars(struct pv_stat_machine *m, const struct pv_pci_func *f)
{
	for (unsigned i = 0; f->note && i < PV_PCI_REGIONS; i++) {
		uint64_t address = f->note->regions[i].size ? bar_address(f, i) : 0;

		if (address)
			m->bars[m->n_bars++] = (struct pv_stat_bar){(uint16_t)PCI_RID(f->bdf), (uint8_t)i, address,
								    f->note->regions[i].size};
	}
}

int pv_cli_machine_read(struct pv_stat_machine *m, const char *path, struct pv_error *e)
{
	struct pv_pci_machine *machine = pv_pci_machine_open(PV_PCI_DUMP, path, e);
	struct pv_pci_names *names;

	*m = (struct pv_stat_machine){.name = path};
	if (!machine)
		return e->code;
	m->functions = calloc(machine->n + 1, sizeof(*m->functions));
	m->bars = calloc(PV_PCI_REGIONS * machine->n + 1, sizeof(*m->bars));
	if (!m->functions || !m->bars) {
		pv_cli_machine_drop(m);
		pv_pci_machine_free(machine);
		return pv_error(e, -ENOMEM, "%s: no memory", path);
	}
	names = pv_pci_names_open();
	for (size_t i = 0; i < machine->n; i++) {
		fill(&m->functions[i], names, machine, &machine->funcs[i]);
		add_bars(m, &machine->funcs[i]);
	}
	m->n_bars = pv_stat_bars_sort(m->bars, m->n_bars);
	m->n = pv_stat_functions_sort(m->functions, machine->n);
	pv_pci_names_close(names);
	pv_pci_machine_free(machine);
	return 0;
}

void pv_cli_machine_drop(struct pv_stat_machine *m)
{
	free(m->functions);
	free(m->bars);
	m->functions = NULL;
	m->bars = NULL;
}
