/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applies an MPS policy to a machine (docs/hardware-notes.md section 4), given its configuration space: step 1 as
 * functions are found, step 2 below each PCIe bridge on a root bus at boot, and below its slot at hot-plug.
 */
#include "framework/oracle/mps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/util/cleanup.h"

#define SIZE_MIN 128u

/* ---- step 1: each function as it is found ---- */

static void match_bridge(struct pv_tree *m, struct pv_mps_node *f, struct pv_mps_node *bridge)
{
	if (m->policy != PV_MPS_DEFAULT || pv_mps_node_mps(f) == pv_mps_node_mps(bridge))
		return;
	if (f->mpss < pv_mps_node_mps(bridge) && bridge->type == PCI_EXP_TYPE_ROOT_PORT)
		pv_mps_node_set_mps(bridge, f->mpss);
	pv_mps_node_set_mps(f, pv_mps_node_mps(bridge));
}

static void find_function(struct pv_tree *m, struct pv_mps_node *f, unsigned *unused)
{
	struct pv_mps_node *bridge = pv_tree_bridge_above(m, f);

	(void)unused;
	if (f->found || !pv_tree_is_looked_for(m, f))
		return;
	f->found = true;
	pv_mps_node_place(f, bridge);
	if (f->no_larger_mrrs)
		m->no_larger_mrrs[pv_tree_root_bus(m, f)] = true;
	if (!f->pcie || f->vf)
		return;
	if (f->type == PCI_EXP_TYPE_RC_END)
		pv_mps_node_set_mps(f, m->policy == PV_MPS_PEER2PEER ? SIZE_MIN : f->mpss);
	else if (bridge && bridge->pcie)
		match_bridge(m, f, bridge);
}

/* Linux finds all functions of a bus first and goes down its bridges after that. */
static void scan_all(struct pv_tree *m)
{
	memset(m->seen, 0, sizeof(m->seen));
	for (size_t i = 0; i < m->n; i++)
		if (m->f[i].present)
			pv_tree_walk(m, pv_tree_root_bus(m, &m->f[i]), find_function, NULL);
}

/* ---- step 2: below a bridge ---- */

/* Lowers *common to what the function supports, for safe. */
static void find_common(struct pv_tree *m, struct pv_mps_node *f, unsigned *common)
{
	(void)m;
	if (!f->found || !f->pcie || f->vf)
		return;
	if (f->mpss < *common)
		*common = f->mpss;
	if (f->hotplug && f->type != PCI_EXP_TYPE_ROOT_PORT)
		*common = SIZE_MIN;
}

static unsigned performance_size(struct pv_tree *m, const struct pv_mps_node *f)
{
	const struct pv_mps_node *above = pv_tree_bridge_above(m, f);

	if (f->type == PCI_EXP_TYPE_ROOT_PORT || !above || f->mpss < pv_mps_node_mps(above))
		return f->mpss;
	return pv_mps_node_mps(above);
}

static void configure(struct pv_tree *m, struct pv_mps_node *f, unsigned *common)
{
	if (!f->found || !f->pcie || f->vf)
		return;
	if (m->policy != PV_MPS_PERFORMANCE) {
		pv_mps_node_set_mps(f, *common);
		return;
	}
	pv_mps_node_set_mps(f, performance_size(m, f));
	pv_mps_node_set_mrrs_to_mps(f, m->no_larger_mrrs[pv_tree_root_bus(m, f)]);
}

/* Calls fn for a bridge and all below it; parents come before children. */
static void walk_tree(struct pv_tree *m, struct pv_mps_node *top, pv_tree_visit *fn, unsigned *value)
{
	memset(m->seen, 0, sizeof(m->seen));
	m->seen[PCI_BUS(top->bdf)] = true;
	fn(m, top, value);
	if (pv_tree_has_bus(m, top))
		pv_tree_walk(m, top->secondary, fn, value);
}

static void configure_below(struct pv_tree *m, struct pv_mps_node *top)
{
	unsigned common = m->policy == PV_MPS_SAFE ? top->mpss : SIZE_MIN;

	if (!top->pcie || m->policy == PV_MPS_TUNE_OFF || m->policy == PV_MPS_DEFAULT)
		return;
	if (m->policy == PV_MPS_SAFE)
		walk_tree(m, top, find_common, &common);
	walk_tree(m, top, configure, &common);
}

static void configure_all(struct pv_tree *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->f[i].bridge && m->f[i].found && !pv_tree_bridge_above(m, &m->f[i]))
			configure_below(m, &m->f[i]);
}

/* ---- events ---- */

static bool is_elsewhere(const struct pv_tree *m, const struct pv_mps_event *e)
{
	return PCI_DOMAIN(e->slot) != m->domain;
}

static int boot(struct pv_tree *m, const struct pv_mps_event *e)
{
	pv_tree_remove_all(m);
	int err = pv_tree_add(m, e->images, e->n);
	if (err)
		return err;
	scan_all(m);
	configure_all(m);
	return 0;
}

static struct pv_mps_node *slot_of(struct pv_tree *m, const struct pv_mps_event *e)
{
	struct pv_mps_node *f = pv_tree_at(m, e->slot);

	return f && pv_tree_has_bus(m, f) ? f : NULL;
}

static int hotplug(struct pv_tree *m, const struct pv_mps_event *e)
{
	int err = slot_of(m, e) || is_elsewhere(m, e) ? pv_tree_add(m, e->images, e->n) : -EINVAL;

	if (err || is_elsewhere(m, e))
		return err;
	memset(m->seen, 0, sizeof(m->seen));
	pv_tree_walk(m, slot_of(m, e)->secondary, find_function, NULL);
	configure_below(m, slot_of(m, e));
	return 0;
}

static int rescan(struct pv_tree *m, const struct pv_mps_event *e)
{
	int err = pv_tree_add(m, e->images, e->n);

	if (!err)
		scan_all(m);
	return err;
}

static int unplug(struct pv_tree *m, const struct pv_mps_event *e)
{
	struct pv_mps_node *slot = slot_of(m, e);

	if (is_elsewhere(m, e))
		return 0;
	if (slot)
		pv_tree_remove_below(m, slot);
	return slot ? 0 : -EINVAL;
}

static int (*const handlers[])(struct pv_tree *m, const struct pv_mps_event *e) = {
	[PV_MPS_AT_BOOT] = boot,
	[PV_MPS_AT_HOTPLUG] = hotplug,
	[PV_MPS_AT_RESCAN] = rescan,
	[PV_MPS_UNPLUG] = unplug,
};

static void list_present(const struct pv_tree *m, struct pv_mps_expect *want, bool *there)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct pv_mps_node *f = &m->f[i];

		if (!f->present)
			continue;
		there[i] = true;
		want[i] = (struct pv_mps_expect){f->bdf, f->pcie ? (uint16_t)pv_mps_node_mps(f) : 0,
						 f->pcie ? (uint16_t)pv_mps_node_mrrs(f) : 0};
	}
}

static int run_events(struct pv_tree *m, const struct pv_mps_event *events, size_t n)
{
	pv_tree_remove_all(m);
	for (size_t i = 0; i < n; i++) {
		int err = handlers[events[i].how](m, &events[i]);

		if (err)
			return err;
	}
	return 0;
}

/* ---- domains: no policy looks beyond one ---- */

static int run_domain(struct pv_tree *m, unsigned domain, const struct pv_mps_event *events, size_t n,
		      struct pv_mps_expect *want, bool *there)
{
	m->domain = domain;
	memset(m->no_larger_mrrs, 0, sizeof(m->no_larger_mrrs));
	int err = run_events(m, events, n);
	if (!err)
		list_present(m, want, there);
	return err;
}

static int run_once(struct pv_tree *m, bool *done, pv_bdf bdf, const struct pv_mps_event *events, size_t n,
		    struct pv_mps_expect *want, bool *there)
{
	if (done[PCI_DOMAIN(bdf)])
		return 0;
	done[PCI_DOMAIN(bdf)] = true;
	return run_domain(m, PCI_DOMAIN(bdf), events, n, want, there);
}

/* Each domain that an event names. */
static int run_domains(struct pv_tree *m, const struct pv_mps_event *events, size_t n, struct pv_mps_expect *want,
		       bool *there)
{
	_autofree_ bool *done = calloc(0x10000, sizeof(*done));
	int err = done ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		err = run_once(m, done, events[i].slot, events, n, want, there);
		for (size_t k = 0; k < events[i].n && !err; k++)
			err = run_once(m, done, events[i].images[k].bdf, events, n, want, there);
	}
	return err;
}

static size_t close_gaps(struct pv_mps_expect *want, const bool *there, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (there[i])
			want[kept++] = want[i];
	return kept;
}

int pv_oracle_mps_events(enum pv_mps_policy p, const struct pv_mps_event *events, size_t n_events,
			 struct pv_mps_expect *want, size_t *n_want)
{
	size_t room = 1;

	for (size_t i = 0; i < n_events; i++)
		room += events[i].n;
	_autofree_ struct pv_mps_node *f = calloc(room, sizeof(*f));
	_autofree_ int *by_rid = calloc(0x10000, sizeof(*by_rid));
	_autofree_ struct pv_tree *m = calloc(1, sizeof(*m));
	_autofree_ bool *there = calloc(room, sizeof(*there));
	if (!f || !by_rid || !m || !there)
		return -ENOMEM;
	*m = (struct pv_tree){.policy = p, .f = f, .by_rid = by_rid};
	int err = run_domains(m, events, n_events, want, there);
	if (!err)
		*n_want = close_gaps(want, there, m->n);
	return err;
}

int pv_oracle_mps(enum pv_mps_policy p, const struct pv_cfg_image *before, size_t n, const uint16_t *mrrs_max,
		  struct pv_mps_expect *out)
{
	_autofree_ struct pv_cfg_image *images = calloc(n + 1, sizeof(*images));
	size_t there;

	if (!images)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		images[i] = before[i];
		if (mrrs_max)
			images[i].mrrs_max = mrrs_max[i];
	}
	return pv_oracle_mps_events(p, &(struct pv_mps_event){.how = PV_MPS_AT_BOOT, .images = images, .n = n}, 1, out,
				    &there);
}
