/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows the writes of each sender to the top of its links, and the completions of its reads back down. The payload of
 * a TLP must fit the MPS of each function on its way.
 */
#include "framework/mps/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/mps/engine.h"
#include "framework/mps/facts.h"
#include "framework/mps/way_internal.h"
#include "framework/util/cleanup.h"

/* Root Ports of hypervisors, by device id and vendor id, and the vendors of the devices that these emulate. */
static const struct {
	uint32_t port;
	uint16_t vendors[2];
} guests[] = {
	{0x000c1b36, {0x1b36, 0x1af4}}, /* QEMU's pcie-root-port; Red Hat, virtio */
	{0x07a015ad, {0x15ad, 0x15ad}}, /* VMware */
};

struct device {
	const struct pv_pci_func *func, *top;
};

struct search {
	const struct pv_pci_machine *machine;
	struct pv_mismatches *found;
	struct device *devices; /* for peer-to-peer checks only */
	size_t n;
	/* The first function that may be a PF below this port, or on this root bus: one answer for its VFs, of which
	 * it may have thousands. */
	struct {
		const struct pv_pci_func *parent, *first;
		pv_bdf bus;
		bool known;
	} pf;
};

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

/* ---- functions that can be judged ---- */

/* Returns true if a function of this type must have a port above. */
static bool has_port_above(const struct pv_pci_func *f)
{
	int type = pv_port_type(f);

	return type == PCI_EXP_TYPE_ENDPOINT || type == PCI_EXP_TYPE_LEG_END || type == PCI_EXP_TYPE_PCI_BRIDGE ||
	       type == PCI_EXP_TYPE_UPSTREAM || type == PCI_EXP_TYPE_DOWNSTREAM;
}

/* Returns true for types of a root complex, reserved ones, and a bridge whose upper side is PCI (7.5.3.2). */
static bool is_never_below_link(const struct pv_pci_func *f)
{
	int type = pv_port_type(f);

	return (type > PCI_EXP_TYPE_LEG_END && type < PCI_EXP_TYPE_UPSTREAM) || type >= PCI_EXP_TYPE_PCIE_BRIDGE;
}

/* Returns true if a bridge above f is one of two with the same bus: two machines in one file, or wrong bus numbers. */
static bool is_below_rivals(const struct pv_pci_func *f)
{
	const struct pv_pci_func *above = f->parent;

	while (above && !above->is_rivalled)
		above = above->parent;
	return above;
}

static bool may_be_pf(const struct pv_pci_func *f)
{
	int type = pv_port_type(f);

	return type == PCI_EXP_TYPE_ENDPOINT || type == PCI_EXP_TYPE_LEG_END || type == PCI_EXP_TYPE_RC_END;
}

/*
 * Finds the first function that may be the PF of a VF: below its port or, without one, on its bus. VFs have higher
 * Routing IDs than their PF (9.2.1.2).
 */
static const struct pv_pci_func *first_pf(struct search *s, const struct pv_pci_func *vf)
{
	const struct pv_pci_func *f = vf->parent ? vf->parent->child : pv_pci_first_root(s->machine);
	pv_bdf bus = vf->parent ? 0 : PCI_FIRST_ON_BUS(vf->bdf);

	if (s->pf.known && s->pf.parent == vf->parent && s->pf.bus == bus)
		return s->pf.first;
	while (f && !(may_be_pf(f) && (vf->parent || PCI_FIRST_ON_BUS(f->bdf) == bus)))
		f = f->sibling;
	s->pf.parent = vf->parent;
	s->pf.bus = bus;
	s->pf.known = true;
	s->pf.first = f;
	return f;
}

/* Returns true if the PF of a VF, whose sizes count for it (9.3.5.4), or a function that may be it, is known. */
static bool has_pf(struct search *s, const struct pv_pci_func *vf)
{
	const struct pv_pci_func *first = vf->pf ? vf->pf : first_pf(s, vf);

	return first && first->bdf < vf->bdf;
}

/*
 * Returns true below a Root Port of a hypervisor, unless that emulates the function: a guest does not see the real
 * sizes of a device of its host.
 */
static bool is_passed_through(const struct pv_pci_func *f)
{
	const struct pv_pci_func *top = pv_way_top(f);
	uint32_t port = pv_pci_get(top, PCI_VENDOR_ID, 4), vendor = pv_pci_get(f, PCI_VENDOR_ID, 2);

	for (size_t i = 0; top != f && i < ARRAY_SIZE(guests); i++)
		if (port == guests[i].port)
			return vendor != guests[i].vendors[0] && vendor != guests[i].vendors[1];
	return false;
}

/* Returns true if no bridge is missing in between: then the function is on the secondary bus of the parent. */
static bool is_on_bus_of(const struct pv_pci_func *f, const struct pv_pci_func *parent)
{
	return f->is_vf || PCI_BUS(f->bdf) == pv_pci_get(parent, PCI_SECONDARY_BUS, 1);
}

/*
 * Returns true if f may belong to an ARI device, in which only function 0's sizes count: 256 bytes of configuration
 * space do not show ARI.
 */
static bool may_be_ari(const struct pv_pci_machine *m, const struct pv_pci_func *f)
{
	const struct pv_pci_func *first = pv_pci_find(m, PCI_FIRST_ON_BUS(f->bdf));

	return f->known < PCI_CFG_BYTES && first && first != f && first->known < PCI_CFG_BYTES && pv_has_sizes(first) &&
	       f->parent && pv_heads_link(f->parent) && pv_mps_of(first) != pv_mps_of(f);
}

/* The least and the most payload that a function may send or take, in bytes. */
struct range {
	int least, most;
};

static struct range widen(struct range r, int bytes)
{
	return (struct range){min_int(r.least, bytes), r.most > bytes ? r.most : bytes};
}

/* Returns true if the functions have one device number on one bus. */
static bool is_in_slot_of(const struct pv_pci_func *a, const struct pv_pci_func *b)
{
	return !((a->bdf ^ b->bdf) & ~7u);
}

/*
 * Which MPS counts in a device without ARI whose functions have different ones is up to the device: transmitters should
 * use that of the function or the smallest, receivers the largest (PCIe 5.0 2.2.2), and some use the largest for both.
 */
static void find_ranges(const struct pv_pci_machine *m, const struct pv_pci_func *f, struct range *sends,
			struct range *takes)
{
	const struct pv_pci_func *other = f, *end = m->funcs + m->n;

	*sends = (struct range){pv_sends_bytes(m, f), pv_sends_bytes(m, f)};
	*takes = (struct range){pv_takes_bytes(m, f), pv_takes_bytes(m, f)};
	if (!f->parent || !pv_heads_link(f->parent) || f->is_ari)
		return;
	while (other > m->funcs && is_in_slot_of(other - 1, f))
		other--;
	for (; other < end && is_in_slot_of(other, f); other++) {
		if (!pv_has_sizes(other))
			continue;
		*sends = widen(*sends, pv_sends_bytes(m, other));
		*takes = widen(*takes, pv_takes_bytes(m, other));
	}
}

/* Returns true if it is up to the devices on the way whether TLPs of a payload in this range are malformed. */
static bool is_up_to_devices(const struct pv_pci_machine *m, const struct pv_pci_func *from,
			     const struct pv_pci_func *to, struct range payload)
{
	struct range sends, takes;
	bool always = false, ever = false;
	struct pv_way way;

	pv_way_find(from, to, &way);
	for (size_t i = 1; i < way.n; i++) {
		find_ranges(m, way.at[i], &sends, &takes);
		always = always || payload.least > takes.most;
		ever = ever || payload.most > takes.least;
	}
	return ever && !always;
}

/* Returns true if writes of a sender, or completions of its reads, are malformed in some devices and not in others. */
static bool has_unequal_functions(const struct pv_pci_machine *m, const struct pv_pci_func *f)
{
	const struct pv_pci_func *top = pv_way_top(f);
	int completion = min_int(pv_sends_bytes(m, top), pv_mrrs_of(f));
	struct range sends, takes;

	if (top == f || !pv_is_sender(f))
		return false;
	find_ranges(m, f, &sends, &takes);
	return is_up_to_devices(m, f, top, sends) ||
	       is_up_to_devices(m, top, f, (struct range){completion, completion});
}

/* Returns the reason why TLPs of the function cannot be judged; NULL: they can. */
static const char *why_unjudged(struct search *s, const struct pv_pci_func *f)
{
	const struct pv_pci_machine *m = s->machine;

	if (f->gone)
		return "it does not answer";
	if (f->note && f->note->lacks)
		return f->note->lacks;
	if (f->note && f->note->is_cut)
		return "the text ends in the middle of it";
	if (pv_has_few_bytes(f))
		return "too few bytes of it are known";
	if (is_below_rivals(f))
		return "two bridges lead to its bus: expected one machine at one time";
	if (is_passed_through(f))
		return "this is a guest: sizes of a device that is passed through are virtual; look on the host";
	if (f->is_vf)
		return has_pf(s, f) ? NULL : "its PF, whose sizes count, is not in the dump";
	if (f->parent && pv_heads_link(f->parent) && !pv_has_sizes(f))
		return "it is below a PCIe port, and has no PCI Express capability that could be read";
	if (f->parent && pv_heads_link(f->parent) && is_never_below_link(f))
		return "its type is impossible below a PCIe port";
	if (!has_port_above(f))
		return NULL;
	if (!f->parent)
		return PCI_BUS(f->bdf) || pv_port_type(f) == PCI_EXP_TYPE_UPSTREAM
			       ? "the port above it is not in the dump"
			       : "no port is above it: this is a guest, or firmware hides the port";
	if (!is_on_bus_of(f, f->parent))
		return "a bridge between it and the next port above is not in the dump";
	if (!pv_has_sizes(f->parent))
		return "the bridge above it has no PCI Express capability: this is a guest, or firmware hides the port";
	if (pv_port_type(f) == PCI_EXP_TYPE_DOWNSTREAM && pv_port_type(f->parent) != PCI_EXP_TYPE_UPSTREAM)
		return "the Upstream Port of its switch is not in the dump";
	if (f->is_ari_orphan)
		return "function 0, whose MPS counts for it (ARI), is not in the dump or cannot be read";
	if (may_be_ari(m, f))
		return f->note && f->note->from_text
			       ? "whether function 0 decides (ARI) cannot be seen in this text; take lspci -xxxx"
			       : "whether function 0 decides (ARI) cannot be seen in 256 bytes; take lspci -xxxx";
	if (has_unequal_functions(m, f))
		return "functions of one device have different MPS, and which one counts is up to the device (PCIe "
		       "2.2.2)";
	return NULL;
}

/* ---- judging ---- */

/* Returns a list with room for entry n. NULL: no memory. */
static void *more_room(struct pv_mismatches *found, void *list, size_t n, size_t *room, size_t bytes)
{
	if (n < *room)
		return list;
	void *more = realloc(list, (2 * *room + 16) * bytes);

	found->no_memory = found->no_memory || !more;
	*room = more ? 2 * *room + 16 : *room;
	return more;
}

static void add(struct pv_mismatches *found, const struct pv_mismatch *mismatch)
{
	struct pv_mismatch *list = more_room(found, found->list, found->n, &found->room, sizeof(*list));

	if (!list)
		return;
	found->list = list;
	found->list[found->n++] = *mismatch;
}

static void add_unjudged(struct pv_mismatches *found, const struct pv_pci_func *f, const char *why)
{
	struct pv_unjudged *list =
		more_room(found, found->unjudged, found->n_unjudged, &found->room_unjudged, sizeof(*list));

	if (!list)
		return;
	found->unjudged = list;
	found->unjudged[found->n_unjudged++] = (struct pv_unjudged){f, why};
}

/* Judges TLPs of `payload` bytes from mismatch->from to `to`. Returns true if they are malformed somewhere. */
static bool judge(const struct search *s, struct pv_mismatch *mismatch, const struct pv_pci_func *to)
{
	struct pv_way way;

	pv_way_find(mismatch->from, to, &way);
	for (size_t i = 1; i < way.n; i++) {
		mismatch->most = pv_takes_bytes(s->machine, way.at[i]);
		if (mismatch->most >= mismatch->payload)
			continue;
		mismatch->to = way.at[i];
		add(s->found, mismatch);
		return true;
	}
	return false;
}

static void judge_memory(const struct search *s, const struct pv_pci_func *f)
{
	const struct pv_pci_func *top = pv_way_top(f);
	struct pv_mismatch write = {.kind = PV_MISMATCH_WRITE, .from = f, .requester = f};
	struct pv_mismatch completion = {.kind = PV_MISMATCH_COMPLETION, .from = top, .requester = f};

	write.payload = pv_sends_bytes(s->machine, f);
	judge(s, &write, top);
	/* A completion is not longer than the read request. */
	completion.payload = min_int(pv_sends_bytes(s->machine, top), pv_mrrs_of(f));
	judge(s, &completion, f);
}

/* Lists possible peers once, as a machine may have thousands of devices. */
static bool list_devices(struct search *s)
{
	const struct pv_pci_machine *m = s->machine;

	s->devices = calloc(m->n + 1, sizeof(*s->devices));
	for (size_t i = 0; s->devices && i < m->n; i++)
		if (pv_is_sender(&m->funcs[i]) && pv_way_above(&m->funcs[i]))
			s->devices[s->n++] = (struct device){&m->funcs[i], pv_way_top(&m->funcs[i])};
	return s->devices;
}

/* Judges writes of a sender to its peers. One mismatch for each sender is enough. */
static void judge_peers(const struct search *s, const struct pv_pci_func *f)
{
	const struct pv_pci_func *top = pv_way_top(f);
	struct pv_mismatch write = {.kind = PV_MISMATCH_PEER, .from = f, .payload = pv_sends_bytes(s->machine, f)};

	for (size_t i = 0; i < s->n; i++) {
		write.requester = s->devices[i].func;
		if (s->devices[i].top == top && !pv_share_a_device(f, write.requester) &&
		    judge(s, &write, write.requester))
			return;
	}
}

int pv_check(const struct pv_pci_machine *m, bool peers, struct pv_mismatches *found)
{
	struct search s = {.machine = m, .found = found};

	*found = (struct pv_mismatches){0};
	if (peers && !list_devices(&s))
		return -ENOMEM;
	for (size_t i = 0; i < m->n; i++) {
		const struct pv_pci_func *f = &m->funcs[i];

		const char *why = why_unjudged(&s, f);

		if (why)
			add_unjudged(found, f, why);
		if (why || !pv_is_sender(f) || !pv_way_above(f))
			continue;
		judge_memory(&s, f);
		if (peers)
			judge_peers(&s, f);
	}
	free(s.devices);
	return found->no_memory ? -ENOMEM : 0;
}

void pv_mismatches_free(struct pv_mismatches *found)
{
	free(found->list);
	free(found->unjudged);
	*found = (struct pv_mismatches){0};
}

bool pv_mismatches_have(const struct pv_mismatches *found, const struct pv_mismatch *mismatch)
{
	for (size_t i = 0; i < found->n; i++)
		if (found->list[i].kind == mismatch->kind && found->list[i].from == mismatch->from &&
		    found->list[i].requester == mismatch->requester)
			return true;
	return false;
}

bool pv_is_unjudged(const struct pv_mismatches *found, const struct pv_pci_func *f)
{
	for (size_t i = 0; i < found->n_unjudged; i++)
		if (found->unjudged[i].func == f)
			return true;
	return false;
}

/* Completions are judged with the function that reads. */
bool pv_mismatches_may_have(const struct pv_mismatches *found, const struct pv_mismatch *mismatch)
{
	return pv_mismatches_have(found, mismatch) ||
	       pv_is_unjudged(found, mismatch->kind == PV_MISMATCH_COMPLETION ? mismatch->requester : mismatch->from);
}

bool pv_is_mismatched(const struct pv_mismatches *found, const struct pv_pci_func *f)
{
	for (size_t i = 0; i < found->n; i++)
		if (found->list[i].from == f || found->list[i].to == f)
			return true;
	return false;
}

char *pv_mismatch_way(const struct pv_mismatch *mismatch)
{
	const struct pv_pci_func *to =
		mismatch->kind == PV_MISMATCH_WRITE ? pv_way_top(mismatch->from) : mismatch->requester;
	struct pv_way way;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	pv_way_find(mismatch->from, to, &way);
	for (size_t i = 0; i < way.n; i++) {
		fprintf(f, "%s%s", i ? " -> " : "", way.at[i]->name);
		if (way.at[i] == mismatch->to)
			break;
	}
	return fclose(f) ? NULL : text;
}
