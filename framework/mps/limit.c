/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Derives the reasons from the rules by which each policy sets MPS (docs/hardware-notes.md section 4). A function with
 * the size of the bridge above it shares the bridge's reason. Bridges come first in a plan.
 */
#include "framework/mps/limit.h"

#include "framework/mps/facts.h"

struct limits {
	const struct pv_policy_plan *plan;
	enum pv_mps_policy policy;
};

static const struct pv_planned *above(const struct limits *l, const struct pv_planned *p)
{
	return p->func->parent ? pv_policy_plan_of(l->plan, p->func->parent) : NULL;
}

static void set_limit(struct pv_planned *p, enum pv_limit_kind limit, const struct pv_pci_func *by)
{
	p->limit = limit;
	p->limited_by = by == p->func ? NULL : by;
}

static void take_limit_of(struct pv_planned *p, const struct pv_planned *other)
{
	if (other->limit == PV_LIMIT_NONE)
		set_limit(p, PV_LIMIT_MPSS, other->func);
	else
		set_limit(p, other->limit, other->limited_by ? other->limited_by : other->func);
}

/* ---- safe: the smallest MPSS below a Root Port ---- */

/* Returns the largest MPS that this function permits below its Root Port, under safe. */
static int allows(const struct pv_planned *p)
{
	return p->hotplug && pv_port_type(p->func) != PCI_EXP_TYPE_ROOT_PORT ? 128 : p->mpss;
}

static bool is_below(const struct pv_pci_func *f, const struct pv_pci_func *top)
{
	while (f && f != top)
		f = f->parent;
	return f;
}

static void find_least(const struct limits *l, struct pv_planned *top)
{
	for (size_t i = 0; i < l->plan->n; i++) {
		const struct pv_planned *p = &l->plan->list[i];

		if (p == top || !is_below(p->func, top->func) || allows(p) != top->new_mps)
			continue;
		set_limit(top, p->hotplug ? PV_LIMIT_HOTPLUG : PV_LIMIT_MPSS, p->func);
		return;
	}
	set_limit(top, PV_LIMIT_FIRMWARE, NULL);
}

/* ---- default: a Root Port keeps the firmware's MPS, unless a device below has a smaller MPSS ---- */

static void find_lowering(const struct limits *l, struct pv_planned *top)
{
	for (const struct pv_pci_func *f = top->func->child; f; f = f->sibling) {
		const struct pv_planned *p = pv_policy_plan_of(l->plan, f);

		if (!p || p->mpss != top->new_mps || pv_port_type(top->func) != PCI_EXP_TYPE_ROOT_PORT)
			continue;
		set_limit(top, PV_LIMIT_MPSS, f);
		return;
	}
	set_limit(top, PV_LIMIT_FIRMWARE, NULL);
}

/* ---- all policies ---- */

/* Under safe, all functions below a Root Port have its MPS, for the same reason. */
static const struct pv_planned *whose_limit(const struct limits *l, const struct pv_planned *up)
{
	while (l->policy == PV_MPS_SAFE && above(l, up))
		up = above(l, up);
	return up;
}

static void find_limit(const struct limits *l, struct pv_planned *p)
{
	const struct pv_planned *up = above(l, p);

	if (p->new_mps >= (p->mpss < 4096 ? p->mpss : 4096))
		set_limit(p, PV_LIMIT_NONE, NULL);
	else if (l->policy == PV_MPS_TUNE_OFF)
		set_limit(p, PV_LIMIT_FIRMWARE, NULL);
	else if (l->policy == PV_MPS_PEER2PEER)
		set_limit(p, p->new_mps == 128 ? PV_LIMIT_POLICY : PV_LIMIT_FIRMWARE, NULL);
	else if (up && up->new_mps == p->new_mps)
		take_limit_of(p, whose_limit(l, up));
	else if (!up && l->policy == PV_MPS_SAFE)
		find_least(l, p);
	else if (!up && l->policy == PV_MPS_DEFAULT)
		find_lowering(l, p);
	else
		set_limit(p, PV_LIMIT_FIRMWARE, NULL);
}

void pv_limits_find(struct pv_policy_plan *plan, enum pv_mps_policy policy)
{
	struct limits l = {plan, policy};

	for (size_t i = 0; i < plan->n; i++)
		find_limit(&l, &plan->list[i]);
}

const char *pv_limit_word(enum pv_limit_kind limit)
{
	static const char *const words[] = {[PV_LIMIT_MPSS] = "mpss",
					    [PV_LIMIT_HOTPLUG] = "hotplug",
					    [PV_LIMIT_FIRMWARE] = "firmware",
					    [PV_LIMIT_POLICY] = "policy"};

	return words[limit];
}
