/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes registers of the PCI Express capability (PCIe 5.0 7.5.3). */
#include "framework/mps/facts.h"

#include <stdio.h>

#include "framework/mps/engine.h"
#include "framework/util/cleanup.h"

static const struct pv_func_type types[] = {
	[PCI_EXP_TYPE_ENDPOINT] = {"Endpoint", "endpoint"},
	[PCI_EXP_TYPE_LEG_END] = {"Legacy EP", "legacy_endpoint"},
	[PCI_EXP_TYPE_ROOT_PORT] = {"Root Port", "root_port"},
	[PCI_EXP_TYPE_UPSTREAM] = {"Upstream", "upstream_port"},
	[PCI_EXP_TYPE_DOWNSTREAM] = {"Downstream", "downstream_port"},
	[PCI_EXP_TYPE_PCI_BRIDGE] = {"PCIe-to-PCI", "pcie_to_pci_bridge"},
	[PCI_EXP_TYPE_PCIE_BRIDGE] = {"PCI-to-PCIe", "pci_to_pcie_bridge"},
	[PCI_EXP_TYPE_RC_END] = {"RCiEP", "rciep"},
	[PCI_EXP_TYPE_RC_EC] = {"RCEC", "rc_event_collector"},
};

static const struct pv_func_type gone = {"no answer", "no_answer"}, unreadable = {"?", "unknown"}, vf = {"VF", "vf"},
				 cardbus = {"CardBus", "cardbus_bridge"}, bridge = {"PCI bridge", "pci_bridge"},
				 conventional = {"PCI", "pci"}, reserved = {"reserved", "reserved"};

static unsigned type_field(const struct pv_pci_func *f)
{
	return (pv_pci_exp(f, PCI_EXP_FLAGS, 2) & PCI_EXP_FLAGS_TYPE) >> PCI_EXP_FLAGS_TYPE_SHIFT;
}

const struct pv_pci_func *pv_mps_decider(const struct pv_pci_machine *m, const struct pv_pci_func *f)
{
	return f->is_ari ? pv_pci_find(m, PCI_FIRST_ON_BUS(f->bdf)) : f;
}

bool pv_is_function_0(const struct pv_pci_func *f)
{
	return f->bdf == PCI_FIRST_ON_BUS(f->bdf);
}

const struct pv_pci_func *pv_lacks_slot(const struct pv_pci_machine *m)
{
	for (const struct pv_pci_func *f = m->funcs; f < m->funcs + m->n; f++)
		if (f->note && f->note->no_slot && pv_port_type(f) != PCI_EXP_TYPE_ROOT_PORT)
			return f;
	return NULL;
}

bool pv_has_few_bytes(const struct pv_pci_func *f)
{
	return f->unreadable || !f->known;
}

const struct pv_func_type *pv_func_type(const struct pv_pci_func *f)
{
	unsigned type = type_field(f);

	if (f->gone)
		return &gone;
	if (f->is_vf)
		return &vf;
	if (pv_has_few_bytes(f))
		return &unreadable;
	if (f->pcie)
		return type < ARRAY_SIZE(types) && types[type].name ? &types[type] : &reserved;
	if (!f->is_bridge)
		return &conventional;
	return (pv_pci_get(f, PCI_HEADER_TYPE, 1) & PCI_HEADER_TYPE_MASK) == PCI_HEADER_TYPE_BRIDGE ? &bridge
												    : &cardbus;
}

int pv_port_type(const struct pv_pci_func *f)
{
	return pv_has_sizes(f) ? (int)type_field(f) : -1;
}

bool pv_heads_link(const struct pv_pci_func *f)
{
	int type = pv_port_type(f);

	return type == PCI_EXP_TYPE_ROOT_PORT || type == PCI_EXP_TYPE_DOWNSTREAM || type == PCI_EXP_TYPE_PCIE_BRIDGE;
}

int pv_mpss_of(const struct pv_pci_func *f)
{
	return (int)PCI_EXP_SIZE_BYTES(pv_pci_exp(f, PCI_EXP_DEVCAP, 4) & PCI_EXP_DEVCAP_MPSS);
}

int pv_mps_of(const struct pv_pci_func *f)
{
	return (int)PCI_EXP_SIZE_BYTES((pv_pci_exp(f, PCI_EXP_DEVCTL, 2) & PCI_EXP_DEVCTL_MPS) >>
				       PCI_EXP_DEVCTL_MPS_SHIFT);
}

int pv_mrrs_of(const struct pv_pci_func *f)
{
	return (int)PCI_EXP_SIZE_BYTES((pv_pci_exp(f, PCI_EXP_DEVCTL, 2) & PCI_EXP_DEVCTL_MRRS) >>
				       PCI_EXP_DEVCTL_MRRS_SHIFT);
}

/* Reads a register of 16 bits that version 1 of the capability lacks; 0: it is not there (PCIe 5.0 7.5.3). */
static uint32_t read_second(const struct pv_pci_func *f, unsigned off)
{
	bool there = (pv_pci_exp(f, PCI_EXP_FLAGS, 2) & PCI_EXP_FLAGS_VERS) >= 2 && f->pcie + off + 2 <= 256;

	return there ? pv_pci_exp(f, off, 2) : 0;
}

unsigned pv_tags_of(const struct pv_pci_func *f)
{
	if (read_second(f, PCI_EXP_DEVCTL2) & PCI_EXP_DEVCTL2_10BIT_TAG_REQ)
		return 768;
	return pv_pci_exp(f, PCI_EXP_DEVCTL, 2) & PCI_EXP_DEVCTL_EXT_TAG ? 256 : 32;
}

/* A Root Complex Integrated Endpoint has no link, whatever its registers contain. */
static bool has_link(const struct pv_pci_func *f)
{
	int type = pv_port_type(f);

	return type >= 0 && type != PCI_EXP_TYPE_RC_END && type != PCI_EXP_TYPE_RC_EC;
}

struct pv_link_rate pv_link_now(const struct pv_pci_func *f)
{
	uint32_t sta = pv_pci_exp(f, PCI_EXP_LNKSTA, 2);

	if (!has_link(f))
		return (struct pv_link_rate){0};
	struct pv_link_rate link = pv_link_rate_of(sta & PCI_EXP_LNKSTA_SPEED, PCI_EXP_LNKSTA_LANES(sta));
	link.flits |= (read_second(f, PCI_EXP_LNKSTA2) & PCI_EXP_LNKSTA2_FLIT) != 0;
	return link;
}

struct pv_link_rate pv_link_most(const struct pv_pci_func *f)
{
	uint32_t cap = pv_pci_exp(f, PCI_EXP_LNKCAP, 4);

	if (!has_link(f))
		return (struct pv_link_rate){0};
	return pv_link_rate_of(cap & PCI_EXP_LNKCAP_SPEED, PCI_EXP_LNKCAP_LANES(cap));
}

struct pv_link_text pv_link_text(struct pv_link_rate link)
{
	struct pv_link_text t = {"-"};

	if (link.width)
		snprintf(t.s, sizeof(t.s), "%gGT/s x%u", link.speed_mt / 1000.0, link.width);
	return t;
}
