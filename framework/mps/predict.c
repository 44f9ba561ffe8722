/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the slowest link on a way, and applies the oracle's ceilings to it. */
#include "framework/mps/predict.h"

#include "framework/mps/engine.h"
#include "framework/mps/facts.h"
#include "framework/mps/way_internal.h"

enum { TRANSFER_BYTES = 4096 };

const struct pv_pci_func *pv_predict_top(const struct pv_pci_func *f)
{
	const struct pv_pci_func *top = pv_way_top(f);

	return top == f ? NULL : top;
}

static bool is_slower(const struct pv_link_rate *a, const struct pv_link_rate *b)
{
	return pv_link_bytes_per_s(a) < pv_link_bytes_per_s(b);
}

/* A link is described at both of its ends, so the top itself adds no link. */
static struct pv_link_rate slowest(const struct pv_pci_func *f, const struct pv_pci_func *top)
{
	struct pv_link_rate slow = {0};

	for (; f != top; f = f->parent) {
		struct pv_link_rate link = pv_link_now(f);

		if (link.width && (!slow.width || is_slower(&link, &slow)))
			slow = link;
	}
	return slow;
}

struct pv_link_rate pv_predict_link(const struct pv_pci_func *f)
{
	const struct pv_pci_func *top = pv_predict_top(f);

	return top ? slowest(f, top) : (struct pv_link_rate){0};
}

static unsigned rcb_of(const struct pv_pci_func *top)
{
	return pv_pci_exp(top, PCI_EXP_LNKCTL, 2) & PCI_EXP_LNKCTL_RCB ? 128 : 64;
}

/* Returns zeros without a link, or for one in Flit Mode. */
static struct pv_throughput ceilings(struct pv_link_rate link, const struct pv_pci_func *top, int mps, int mrrs,
				     int top_mps)
{
	if (!link.width || link.flits)
		return (struct pv_throughput){0};
	return (struct pv_throughput){
		pv_ceiling_write(&link, TRANSFER_BYTES, (unsigned)mps, true, 0),
		pv_ceiling_read(&link, TRANSFER_BYTES, (unsigned)top_mps, (unsigned)mrrs, rcb_of(top), true),
	};
}

static bool is_predicted(const struct pv_pci_func *f, const struct pv_pci_func *top)
{
	int type = pv_port_type(f);

	return top &&
	       (type == PCI_EXP_TYPE_ENDPOINT || type == PCI_EXP_TYPE_LEG_END || type == PCI_EXP_TYPE_PCI_BRIDGE);
}

struct pv_throughput pv_predict(const struct pv_pci_func *f, int mps, int mrrs, int top_mps)
{
	const struct pv_pci_func *top = pv_predict_top(f);
	struct pv_link_rate link = is_predicted(f, top) ? slowest(f, top) : (struct pv_link_rate){0};

	return ceilings(link, top, mps, mrrs, top_mps);
}

struct pv_throughput pv_predict_alone(const struct pv_pci_func *f)
{
	const struct pv_pci_func *top = pv_predict_top(f);
	struct pv_link_rate link = is_predicted(f, top) ? pv_link_now(f) : (struct pv_link_rate){0};

	return link.width ? ceilings(link, top, pv_mps_of(f), pv_mrrs_of(f), pv_mps_of(top))
			  : (struct pv_throughput){0};
}

double pv_predict_port(const struct pv_pci_func *port)
{
	struct pv_link_rate link = pv_port_type(port) >= 0 ? pv_link_now(port) : (struct pv_link_rate){0};

	if (!link.width || link.flits)
		return 0;
	return pv_ceiling_write(&link, TRANSFER_BYTES, (unsigned)pv_mps_of(port), true, 0);
}
