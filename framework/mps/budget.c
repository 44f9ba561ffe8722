/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums up the bandwidth of a tree, from the devices to the uplink. */
#include "framework/mps/budget.h"

#include "framework/mps/engine.h"
#include "framework/mps/facts.h"

enum { DEPTH_MAX = 256 };

/* Returns bytes per second after encoding; 0: no link, or one in Flit Mode. */
static double link_rate(const struct pv_pci_func *f)
{
	struct pv_link_rate link = pv_link_now(f);

	return link.width && !link.flits ? pv_link_bytes_per_s(&link) : 0;
}

static void scale(struct pv_budget *b, double by)
{
	b->below *= by;
	b->together.write *= by;
	b->together.read *= by;
}

static bool add_below(const struct pv_pci_func *uplink, unsigned depth, struct pv_budget *sum);

/* Adds a device, or a further switch limited by its uplink. False: its bandwidth is unknown. */
static bool add_one(const struct pv_pci_func *f, unsigned depth, struct pv_budget *sum)
{
	struct pv_budget b = {.below = link_rate(f), .devices = 1, .alone = pv_predict_alone(f)};

	b.together = b.alone;
	if (pv_link_now(f).flits)
		return false;
	if (pv_port_type(f) == PCI_EXP_TYPE_UPSTREAM) {
		b = (struct pv_budget){0};
		if (depth == DEPTH_MAX || !add_below(f, depth + 1, &b))
			return false;
		if (b.below > link_rate(f))
			scale(&b, link_rate(f) / b.below);
	}
	sum->devices += b.below > 0 ? b.devices : 0;
	sum->below += b.below;
	sum->alone.write += b.alone.write;
	sum->alone.read += b.alone.read;
	sum->together.write += b.together.write;
	sum->together.read += b.together.read;
	return true;
}

/* Adds the devices below an uplink. Only function 0 of a device counts, as the link belongs to all of them. */
static bool add_below(const struct pv_pci_func *uplink, unsigned depth, struct pv_budget *sum)
{
	for (const struct pv_pci_func *port = uplink->child; port; port = port->sibling)
		for (const struct pv_pci_func *f = port->child; f; f = f->sibling)
			if (pv_is_function_0(f) && pv_has_sizes(f) && !f->gone && !add_one(f, depth, sum))
				return false;
	return true;
}

bool pv_budget_find(const struct pv_pci_func *uplink, struct pv_budget *budget)
{
	*budget = (struct pv_budget){.uplink = uplink, .link = link_rate(uplink)};
	if (uplink->gone || pv_port_type(uplink) != PCI_EXP_TYPE_UPSTREAM || budget->link <= 0 ||
	    !add_below(uplink, 0, budget) || !budget->devices)
		return false;
	if (budget->below > budget->link) {
		budget->together.write *= budget->link / budget->below;
		budget->together.read *= budget->link / budget->below;
	}
	return true;
}

bool pv_budget_is_short(const struct pv_budget *budget)
{
	return budget->below > 1.01 * budget->link;
}
