/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random machines for the witness. Functions are where Linux looks for them: device 0 below ports that face down,
 * function 0 always. They are odd only where MPS and MRRS depend on it: port types in any place, reserved sizes,
 * firmware's sizes above the supported ones, hardwired bits, slots by halves, IDs with quirks, and functions that are
 * added later.
 */
#include <string.h>

#include "drivers/regs/pcie.h"
#include "framework/tests/witness/machine.h"

#define COUNT(a)    (sizeof(a) / sizeof((a)[0]))
#define SECOND_ROOT 0x80
#define DEPTH	    5
#define SPARE_BUSES 6 /* below a port: room for the bridges of a device that comes later */
#define ID(v, d)    ((uint32_t)(d) << 16 | (v))
#define ID_PLAIN    ID(0x19e5, 0x1234)

struct dice {
	uint64_t state;
};

static uint32_t roll(struct dice *d, uint32_t sides)
{
	d->state ^= d->state << 13;
	d->state ^= d->state >> 7;
	d->state ^= d->state << 17;
	return (uint32_t)((d->state >> 16) % sides);
}

static bool one_in(struct dice *d, uint32_t n)
{
	return !roll(d, n);
}

#define EP	PCI_EXP_TYPE_ENDPOINT
#define LEGACY	PCI_EXP_TYPE_LEG_END
#define RP	PCI_EXP_TYPE_ROOT_PORT
#define UP	PCI_EXP_TYPE_UPSTREAM
#define DOWN	PCI_EXP_TYPE_DOWNSTREAM
#define TO_PCI	PCI_EXP_TYPE_PCI_BRIDGE
#define TO_PCIE PCI_EXP_TYPE_PCIE_BRIDGE
#define RCIEP	PCI_EXP_TYPE_RC_END
#define RCEC	PCI_EXP_TYPE_RC_EC
#define CONV	PV_WITNESS_CONVENTIONAL
#define CONV_BR PV_WITNESS_CONVENTIONAL_BRIDGE

static bool faces_down(const struct pv_witness_function *f)
{
	return f->kind == RP || f->kind == DOWN || f->kind == TO_PCIE;
}

/* ---- attributes ---- */

/* IDs with a quirk in Linux, and similar IDs without one. */
static const uint32_t odd_ids[] = {
	ID(0x1b21, 0x0612), ID(0x1924, 0x0703), ID(0x1924, 0x6703), ID(0x1924, 0x0710), ID(0x3388, 0x0020),
	ID(0x1b21, 0x0611), ID(0x1924, 0x0704), ID(0x3388, 0x0021), ID(0x0014, 0x7a08), ID(0x0015, 0x7a09),
};
static const uint32_t loongson_ids[] = {
	ID(0x0014, 0x1a05), ID(0x0014, 0x7a09), ID(0x0014, 0x7a19), ID(0x0014, 0x7a29),
	ID(0x0014, 0x7a39), ID(0x0014, 0x7a49), ID(0x0014, 0x7a59), ID(0x0014, 0x7a69),
};

static uint32_t pick_id(struct dice *d)
{
	if (one_in(d, 8))
		return odd_ids[roll(d, COUNT(odd_ids))];
	return one_in(d, 60) ? loongson_ids[roll(d, COUNT(loongson_ids))] : ID_PLAIN;
}

static void pick_sizes(struct dice *d, struct pv_witness_function *f)
{
	f->mpss = (uint8_t)(one_in(d, 10) ? 6 + roll(d, 2) : roll(d, 6));
	f->mps = (uint8_t)(one_in(d, 7) ? roll(d, 8) : roll(d, f->mpss + 1u));
	f->mrrs = (uint8_t)(one_in(d, 20) ? 6 + roll(d, 2) : roll(d, 6));
	f->mrrs_max = (uint8_t)(one_in(d, 12) ? roll(d, 6) : 7);
	if (one_in(d, 12))
		f->devctl_ro = (uint16_t)(roll(d, 0x10000) & (PCI_EXP_DEVCTL_MPS | PCI_EXP_DEVCTL_MRRS));
	else if (one_in(d, 40))
		f->devctl_ro = one_in(d, 2) ? PCI_EXP_DEVCTL_MPS : PCI_EXP_DEVCTL_MRRS;
}

static void pick_attributes(struct dice *d, struct pv_witness_function *f)
{
	f->id = pick_id(d);
	f->cap = (uint8_t)(0x48 + 4 * roll(d, 20));
	f->cap_version = (uint8_t)(1 + roll(d, 2));
	f->hotplug = one_in(d, pv_witness_is_bridge(f) ? 2 : 8);
	f->slot = one_in(d, pv_witness_is_bridge(f) ? 2 : 8);
	f->spare = (uint8_t)(one_in(d, 3) ? 1 + roll(d, SPARE_BUSES) : 0);
	pick_sizes(d, f);
}

/* ---- what is where ---- */

static const uint8_t on_root_bus[] = {RP,   RP,	     RP,      RP,     RP,      RP,	RP, RP,	  RCIEP, RCIEP,
				      RCEC, CONV_BR, CONV_BR, TO_PCI, TO_PCIE, TO_PCIE, EP, CONV, DOWN,	 UP};
static const uint8_t below_port[] = {EP, EP, EP,     EP,     EP,   EP, LEGACY,	RCIEP, UP,     UP,
				     UP, UP, TO_PCI, TO_PCI, DOWN, RP, TO_PCIE, CONV,  CONV_BR};
static const uint8_t below_upstream[] = {DOWN, DOWN, DOWN, DOWN, DOWN, DOWN, DOWN, DOWN, EP, UP, CONV_BR, RP, TO_PCIE};
static const uint8_t below_conventional[] = {CONV, CONV, CONV_BR, EP, EP, LEGACY, TO_PCIE, TO_PCIE, RCIEP, RP};

static unsigned pick_kind(struct dice *d, const struct pv_witness_function *bridge)
{
	if (!bridge)
		return on_root_bus[roll(d, COUNT(on_root_bus))];
	if (bridge->kind == CONV_BR || bridge->kind == TO_PCI)
		return below_conventional[roll(d, COUNT(below_conventional))];
	if (bridge->kind == UP)
		return below_upstream[roll(d, COUNT(below_upstream))];
	return below_port[roll(d, COUNT(below_port))];
}

static struct pv_witness_function *add(struct pv_witness_machine *m, struct dice *d, int parent, uint8_t root)
{
	struct pv_witness_function *f = &m->f[m->n++];

	*f = (struct pv_witness_function){.parent = parent, .root = root, .arrives = 1};
	f->kind = pick_kind(d, parent < 0 ? NULL : &m->f[parent]);
	pick_attributes(d, f);
	/* Not on a port whose type Linux corrects: it would forward all the same. */
	f->forwards_ari = faces_down(f) && (parent < 0 || !faces_down(&m->f[parent])) && one_in(d, 2);
	return f;
}

static void add_vfs(struct pv_witness_machine *m, struct dice *d, const struct pv_witness_function *pf)
{
	uint8_t count = pf->vfs;

	for (uint8_t i = 0; i < count && m->n < PV_WITNESS_FUNCTIONS; i++) {
		struct pv_witness_function *vf = &m->f[m->n++];

		*vf = *pf;
		vf->kind = EP;
		vf->vf = true;
		vf->vfs = 0;
		vf->devfn = (uint8_t)(pf->devfn + 4 + i);
		pick_sizes(d, vf);
	}
}

/* A device of up to four functions; VFs are functions 4 to 6. */
static void add_device(struct pv_witness_machine *m, struct dice *d, int parent, uint8_t root, uint8_t device)
{
	unsigned functions = one_in(d, 4) ? 1 + roll(d, 4) : 1;

	for (unsigned fn = 0; fn < functions && m->n < PV_WITNESS_FUNCTIONS; fn++) {
		if (fn && one_in(d, 4))
			continue; /* numbers may be left out */
		struct pv_witness_function *f = add(m, d, parent, root);

		f->devfn = (uint8_t)(device << 3 | fn);
		if (!fn && f->kind == EP && one_in(d, 6) && m->n + 3 <= PV_WITNESS_FUNCTIONS) {
			f->vfs = (uint8_t)(1 + roll(d, 3));
			add_vfs(m, d, f);
		}
	}
}

/* Adds a device that Linux finds only in part, or only by ARI: up to 4 functions, none of them a bridge. */
static void add_odd_device(struct pv_witness_machine *m, struct dice *d, int parent, uint8_t root)
{
	bool ari = !one_in(d, 3), hides = one_in(d, 6);
	unsigned number = 0;

	for (unsigned i = 0; i < 4 && m->n < PV_WITNESS_FUNCTIONS; i++, number += 1 + roll(d, 9)) {
		struct pv_witness_function *f = add(m, d, parent, root);

		f->kind = one_in(d, 4) ? LEGACY : EP;
		f->devfn = (uint8_t)number;
		f->ari = ari && !one_in(d, 12);
		f->hides = hides;
	}
}

static void add_bus(struct pv_witness_machine *m, struct dice *d, int parent, uint8_t root, unsigned depth)
{
	bool single = parent >= 0 && faces_down(&m->f[parent]);
	unsigned devices = single ? !one_in(d, 6) : 1 + roll(d, 3), first = m->n, number = single ? 0 : roll(d, 4);

	if (single && one_in(d, 8)) {
		add_odd_device(m, d, parent, root);
		return;
	}
	for (unsigned i = 0; i < devices && m->n < PV_WITNESS_FUNCTIONS; i++, number += 1 + roll(d, 3))
		add_device(m, d, parent, root, (uint8_t)number);
	for (int i = (int)first, last = m->n; i < last && depth < DEPTH; i++)
		if (pv_witness_is_bridge(&m->f[i]))
			add_bus(m, d, i, root, depth + 1);
}

/* ---- events ---- */

static bool all_arrive_with(const struct pv_witness_machine *m, int bridge)
{
	for (int i = 0; i < m->n; i++)
		if (pv_witness_is_below(m, i, bridge) && m->f[i].arrives != m->f[bridge].arrives)
			return false;
	return true;
}

/* pciehp serves it; not where Linux corrects the type. */
static bool is_slot(const struct pv_witness_machine *m, int i)
{
	const struct pv_witness_function *f = &m->f[i];

	if (!f->hotplug || !f->slot)
		return false;
	return f->kind == RP || (f->kind == DOWN && (f->parent < 0 || !faces_down(&m->f[f->parent])));
}

/* All below a bridge arrives with event e, by pciehp where it can and mostly does. */
static void delay(struct pv_witness_machine *m, struct dice *d, int bridge, int e)
{
	bool plugged = is_slot(m, bridge) && !one_in(d, 4);

	for (int i = 0; i < m->n; i++)
		if (pv_witness_is_below(m, i, bridge))
			m->f[i].arrives = 1u << e;
	m->event[e].how = plugged ? PV_MPS_AT_HOTPLUG : PV_MPS_AT_RESCAN;
	m->event[e].slot = plugged ? bridge : -1;
}

/* All below a slot leaves; it may come back, fresh. */
static void remove_all(struct pv_witness_machine *m, struct dice *d, int slot)
{
	int e = m->events++;

	m->event[e].how = PV_MPS_UNPLUG;
	m->event[e].slot = slot;
	if (m->events == PV_WITNESS_EVENTS || one_in(d, 3))
		return;
	m->event[m->events].how = PV_MPS_AT_HOTPLUG;
	m->event[m->events].slot = slot;
	for (int i = 0; i < m->n; i++)
		if (pv_witness_is_below(m, i, slot))
			m->f[i].arrives |= 1u << m->events;
	m->events++;
}

static int pick_bridge(const struct pv_witness_machine *m, struct dice *d)
{
	for (int tries = 0; tries < 8; tries++) {
		int i = (int)roll(d, (uint32_t)m->n);

		if (pv_witness_is_bridge(&m->f[i]) && all_arrive_with(m, i))
			return i;
	}
	return -1;
}

static bool has_children(const struct pv_witness_machine *m, int bridge)
{
	for (int i = 0; i < m->n; i++)
		if (m->f[i].parent == bridge)
			return true;
	return false;
}

static void add_events(struct pv_witness_machine *m, struct dice *d)
{
	unsigned wanted = roll(d, 4);

	m->event[0].how = PV_MPS_AT_BOOT;
	m->event[0].slot = -1;
	m->events = 1;
	for (unsigned i = 0; i < wanted && m->events < PV_WITNESS_EVENTS; i++) {
		int bridge = pick_bridge(m, d);

		if (bridge < 0 || !has_children(m, bridge))
			continue;
		delay(m, d, bridge, m->events++);
	}
	int slot = pick_bridge(m, d);
	if (slot >= 0 && is_slot(m, slot) && has_children(m, slot) && m->events < PV_WITNESS_EVENTS)
		remove_all(m, d, slot);
}

void pv_witness_generate(struct pv_witness_machine *m, uint64_t seed, uint64_t n)
{
	struct dice d = {seed * 0x9e3779b97f4a7c15u + (n + 1) * 0xbf58476d1ce4e5b9u};

	memset(m, 0, sizeof(*m));
	for (int i = 0; i < 8; i++)
		roll(&d, 2);
	add_bus(m, &d, -1, 0, 0);
	if (one_in(&d, 4) && m->n < PV_WITNESS_FUNCTIONS)
		add_bus(m, &d, -1, SECOND_ROOT, 0);
	add_events(m, &d);
	pv_witness_number(m);
}
