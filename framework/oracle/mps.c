/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applies an MPS policy to a machine (docs/hardware-notes.md section 4), given its configuration space: step 1 as
 * functions are found, step 2 below each PCIe bridge on a root bus at boot, and below its slot at hot-plug.
 */
#include "framework/oracle/mps_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/util/cleanup.h"

#define SIZE_MIN 128u
#define BUSES	 256

/* The functions of one PCI domain. */
struct tree {
	enum pv_mps_policy policy;
	unsigned domain;
	struct pv_mps_node *f; /* in the order of their arrival, with room for all events; other domains: not present */
	size_t n;
	int *by_rid;		    /* 65536 indices, -1: no function */
	int above[BUSES];	    /* the bridge whose secondary bus it is, -1: none */
	bool no_larger_mrrs[BUSES]; /* by root bus: set by a port of its host bridge */
	bool seen[BUSES];	    /* visited: wrong bus numbers must not cause loops */
};

typedef void tree_visit(struct tree *m, struct pv_mps_node *f, unsigned *value);

/* ---- the functions of a domain as a tree by their bus numbers, while functions come and go ---- */

static struct pv_mps_node *tree_at(struct tree *m, unsigned rid)
{
	int i = m->by_rid[PCI_RID(rid)];

	return i < 0 ? NULL : &m->f[i];
}

static struct pv_mps_node *tree_bridge_above(struct tree *m, const struct pv_mps_node *f)
{
	int i = m->above[PCI_BUS(f->bdf)];

	return i < 0 ? NULL : &m->f[i];
}

/* Bounded, since bus numbers may lie. */
static uint8_t tree_root_bus(struct tree *m, const struct pv_mps_node *f)
{
	const struct pv_mps_node *up = f;

	for (int i = 0; i < BUSES && up; i++, up = tree_bridge_above(m, f))
		f = up;
	return (uint8_t)PCI_BUS(f->bdf);
}

/* Marks a PF's VFs, also when they do not tell themselves. */
static void mark_vfs(struct tree *m, const struct pv_mps_node *pf)
{
	unsigned rid = PCI_RID(pf->bdf) + pf->vf_first;

	for (unsigned i = 0; i < pf->vf_count && rid <= 0xffff; i++, rid += pf->vf_stride) {
		struct pv_mps_node *f = tree_at(m, rid);

		if (f && f != pf)
			f->vf = true;
	}
}

/* A bus that two bridges claim belongs to the one with the lower number. */
static void link_bridge(struct tree *m, const struct pv_mps_node *f)
{
	int *above = &m->above[f->secondary];

	if (!f->secondary || f->secondary == PCI_BUS(f->bdf))
		return;
	if (*above < 0 || m->f[*above].bdf > f->bdf)
		*above = (int)(f - m->f);
}

static void link_buses(struct tree *m)
{
	for (unsigned b = 0; b < BUSES; b++)
		m->above[b] = -1;
	for (size_t i = 0; i < m->n; i++) {
		if (!m->f[i].present)
			continue;
		mark_vfs(m, &m->f[i]);
		link_bridge(m, &m->f[i]);
	}
}

/* Adds the functions of its domain, as not yet found. -EINVAL: two with one BDF. */
static int tree_add(struct tree *m, const struct pv_cfg_image *images, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct pv_mps_node *f = &m->f[m->n++];

		*f = (struct pv_mps_node){0};
		if (PCI_DOMAIN(images[i].bdf) != m->domain)
			continue;
		if (tree_at(m, images[i].bdf))
			return -EINVAL;
		pv_mps_node_read(&images[i], f);
		m->by_rid[PCI_RID(f->bdf)] = (int)(f - m->f);
	}
	link_buses(m);
	return 0;
}

static void tree_remove_all(struct tree *m)
{
	m->n = 0;
	for (unsigned i = 0; i <= 0xffff; i++)
		m->by_rid[i] = -1;
	link_buses(m);
}

/* Bounded, since bus numbers may lie. */
static bool is_below(struct tree *m, const struct pv_mps_node *f, const struct pv_mps_node *bridge)
{
	for (int i = 0; i < BUSES && f; i++) {
		f = tree_bridge_above(m, f);
		if (f == bridge)
			return true;
	}
	return false;
}

static void tree_remove_below(struct tree *m, const struct pv_mps_node *bridge)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->f[i].present && &m->f[i] != bridge && is_below(m, &m->f[i], bridge)) {
			m->f[i].present = false;
			m->by_rid[PCI_RID(m->f[i].bdf)] = -1;
		}
	link_buses(m);
}

static bool tree_has_bus(struct tree *m, const struct pv_mps_node *f)
{
	return f->secondary && m->above[f->secondary] == (int)(f - m->f);
}

/*
 * Calls fn for the functions of a bus in ascending order, then recursively below those of its bridges that Linux knows.
 * Visits each bus once.
 */
static void tree_walk(struct tree *m, unsigned bus, tree_visit *fn, unsigned *value)
{
	if (m->seen[bus])
		return;
	m->seen[bus] = true;
	for (unsigned devfn = 0; devfn < 256; devfn++) {
		struct pv_mps_node *f = tree_at(m, bus << 8 | devfn);

		if (f)
			fn(m, f, value);
	}
	for (unsigned devfn = 0; devfn < 256; devfn++) {
		struct pv_mps_node *f = tree_at(m, bus << 8 | devfn);

		if (f && f->found && tree_has_bus(m, f))
			tree_walk(m, f->secondary, fn, value);
	}
}

/* ---- which functions are looked for ---- */

/* Returns true if the list of an ARI device leads to f. Linux ends the list where its numbers do not ascend. */
static bool is_named(struct tree *m, const struct pv_mps_node *first, const struct pv_mps_node *f)
{
	const struct pv_mps_node *at = first;

	while (at && at != f) {
		unsigned next = at->ari ? at->ari_next : 0;

		if (next <= (at->bdf & 0xffu))
			return false;
		at = tree_at(m, (first->bdf & 0xff00u) | next);
	}
	return at;
}

/* Returns true if Linux probes this place for a function. */
static bool tree_is_looked_for(struct tree *m, const struct pv_mps_node *f)
{
	const struct pv_mps_node *bridge = tree_bridge_above(m, f), *first = tree_at(m, f->bdf & ~7u);

	if (bridge && pv_mps_node_heads_link(bridge)) {
		first = tree_at(m, PCI_FIRST_ON_BUS(f->bdf));
		if (bridge->forwards_ari && first && first->pcie && first->ari)
			return is_named(m, first, f);
		if (PCI_SLOT(f->bdf))
			return false;
	}
	return f == first || (first && first->multi);
}

/* ---- step 1: each function as it is found ---- */

static void match_bridge(struct tree *m, struct pv_mps_node *f, struct pv_mps_node *bridge)
{
	if (m->policy != PV_MPS_DEFAULT || pv_mps_node_mps(f) == pv_mps_node_mps(bridge))
		return;
	if (f->mpss < pv_mps_node_mps(bridge) && bridge->type == PCI_EXP_TYPE_ROOT_PORT)
		pv_mps_node_set_mps(bridge, f->mpss);
	pv_mps_node_set_mps(f, pv_mps_node_mps(bridge));
}

static void find_function(struct tree *m, struct pv_mps_node *f, unsigned *unused)
{
	struct pv_mps_node *bridge = tree_bridge_above(m, f);

	(void)unused;
	if (f->found || !tree_is_looked_for(m, f))
		return;
	f->found = true;
	pv_mps_node_place(f, bridge);
	if (f->no_larger_mrrs)
		m->no_larger_mrrs[tree_root_bus(m, f)] = true;
	if (!f->pcie || f->vf)
		return;
	if (f->type == PCI_EXP_TYPE_RC_END)
		pv_mps_node_set_mps(f, m->policy == PV_MPS_PEER2PEER ? SIZE_MIN : f->mpss);
	else if (bridge && bridge->pcie)
		match_bridge(m, f, bridge);
}

/* Linux finds all functions of a bus first and goes down its bridges after that. */
static void scan_all(struct tree *m)
{
	memset(m->seen, 0, sizeof(m->seen));
	for (size_t i = 0; i < m->n; i++)
		if (m->f[i].present)
			tree_walk(m, tree_root_bus(m, &m->f[i]), find_function, NULL);
}

/* ---- step 2: below a bridge ---- */

/* Lowers *common to what the function supports, for safe. */
static void find_common(struct tree *m, struct pv_mps_node *f, unsigned *common)
{
	(void)m;
	if (!f->found || !f->pcie || f->vf)
		return;
	if (f->mpss < *common)
		*common = f->mpss;
	if (f->hotplug && f->type != PCI_EXP_TYPE_ROOT_PORT)
		*common = SIZE_MIN;
}

static unsigned performance_size(struct tree *m, const struct pv_mps_node *f)
{
	const struct pv_mps_node *above = tree_bridge_above(m, f);

	if (f->type == PCI_EXP_TYPE_ROOT_PORT || !above || f->mpss < pv_mps_node_mps(above))
		return f->mpss;
	return pv_mps_node_mps(above);
}

static void configure(struct tree *m, struct pv_mps_node *f, unsigned *common)
{
	if (!f->found || !f->pcie || f->vf)
		return;
	if (m->policy != PV_MPS_PERFORMANCE) {
		pv_mps_node_set_mps(f, *common);
		return;
	}
	pv_mps_node_set_mps(f, performance_size(m, f));
	pv_mps_node_set_mrrs_to_mps(f, m->no_larger_mrrs[tree_root_bus(m, f)]);
}

/* Calls fn for a bridge and all below it; parents come before children. */
static void walk_tree(struct tree *m, struct pv_mps_node *top, tree_visit *fn, unsigned *value)
{
	memset(m->seen, 0, sizeof(m->seen));
	m->seen[PCI_BUS(top->bdf)] = true;
	fn(m, top, value);
	if (tree_has_bus(m, top))
		tree_walk(m, top->secondary, fn, value);
}

static void configure_below(struct tree *m, struct pv_mps_node *top)
{
	unsigned common = m->policy == PV_MPS_SAFE ? top->mpss : SIZE_MIN;

	if (!top->pcie || m->policy == PV_MPS_TUNE_OFF || m->policy == PV_MPS_DEFAULT)
		return;
	if (m->policy == PV_MPS_SAFE)
		walk_tree(m, top, find_common, &common);
	walk_tree(m, top, configure, &common);
}

static void configure_all(struct tree *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->f[i].bridge && m->f[i].found && !tree_bridge_above(m, &m->f[i]))
			configure_below(m, &m->f[i]);
}

/* ---- events ---- */

static bool is_elsewhere(const struct tree *m, const struct pv_mps_event *e)
{
	return PCI_DOMAIN(e->slot) != m->domain;
}

static int boot(struct tree *m, const struct pv_mps_event *e)
{
	tree_remove_all(m);
	int err = tree_add(m, e->images, e->n);
	if (err)
		return err;
	scan_all(m);
	configure_all(m);
	return 0;
}

static struct pv_mps_node *slot_of(struct tree *m, const struct pv_mps_event *e)
{
	struct pv_mps_node *f = tree_at(m, e->slot);

	return f && tree_has_bus(m, f) ? f : NULL;
}

static int hotplug(struct tree *m, const struct pv_mps_event *e)
{
	int err = slot_of(m, e) || is_elsewhere(m, e) ? tree_add(m, e->images, e->n) : -EINVAL;

	if (err || is_elsewhere(m, e))
		return err;
	memset(m->seen, 0, sizeof(m->seen));
	tree_walk(m, slot_of(m, e)->secondary, find_function, NULL);
	configure_below(m, slot_of(m, e));
	return 0;
}

static int rescan(struct tree *m, const struct pv_mps_event *e)
{
	int err = tree_add(m, e->images, e->n);

	if (!err)
		scan_all(m);
	return err;
}

static int unplug(struct tree *m, const struct pv_mps_event *e)
{
	struct pv_mps_node *slot = slot_of(m, e);

	if (is_elsewhere(m, e))
		return 0;
	if (slot)
		tree_remove_below(m, slot);
	return slot ? 0 : -EINVAL;
}

static int (*const handlers[])(struct tree *m, const struct pv_mps_event *e) = {
	[PV_MPS_AT_BOOT] = boot,
	[PV_MPS_AT_HOTPLUG] = hotplug,
	[PV_MPS_AT_RESCAN] = rescan,
	[PV_MPS_UNPLUG] = unplug,
};

static void list_present(const struct tree *m, struct pv_mps_expect *want, bool *there)
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

static int run_events(struct tree *m, const struct pv_mps_event *events, size_t n)
{
	tree_remove_all(m);
	for (size_t i = 0; i < n; i++) {
		int err = handlers[events[i].how](m, &events[i]);

		if (err)
			return err;
	}
	return 0;
}

/* ---- domains: no policy looks beyond one ---- */

static int run_domain(struct tree *m, unsigned domain, const struct pv_mps_event *events, size_t n,
		      struct pv_mps_expect *want, bool *there)
{
	m->domain = domain;
	memset(m->no_larger_mrrs, 0, sizeof(m->no_larger_mrrs));
	int err = run_events(m, events, n);
	if (!err)
		list_present(m, want, there);
	return err;
}

static int run_once(struct tree *m, bool *done, pv_bdf bdf, const struct pv_mps_event *events, size_t n,
		    struct pv_mps_expect *want, bool *there)
{
	if (done[PCI_DOMAIN(bdf)])
		return 0;
	done[PCI_DOMAIN(bdf)] = true;
	return run_domain(m, PCI_DOMAIN(bdf), events, n, want, there);
}

/* Each domain that an event names. */
static int run_domains(struct tree *m, const struct pv_mps_event *events, size_t n, struct pv_mps_expect *want,
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
	_autofree_ struct tree *m = calloc(1, sizeof(*m));
	_autofree_ bool *there = calloc(room, sizeof(*there));
	if (!f || !by_rid || !m || !there)
		return -ENOMEM;
	*m = (struct tree){.policy = p, .f = f, .by_rid = by_rid};
	int err = run_domains(m, events, n_events, want, there);
	if (!err)
		*n_want = close_gaps(want, there, m->n);
	return err;
}
