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

enum { VENDOR_REDHAT = 0x1b36, VENDOR_VIRTIO = 0x1af4 };

#define QEMU_ROOT_PORT 0x000c1b36u /* pcie-root-port: device id, vendor id */

struct device {
	const struct pv_pci_func *func, *top;
};

struct search {
	const struct pv_pci_machine *machine;
	struct pv_mismatches *found;
	struct device *devices; /* for peer-to-peer checks only */
	size_t n;
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

/* Below QEMU's Root Port a device is emulated, or it is a host's device, whose real sizes the guest does not see. */
static bool is_below_qemu(const struct pv_pci_func *f)
{
	const struct pv_pci_func *top = pv_way_top(f);

	return top != f && pv_pci_get(top, PCI_VENDOR_ID, 4) == QEMU_ROOT_PORT;
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

/* Returns the reason why TLPs of the function cannot be judged; NULL: they can. */
static const char *why_unjudged(const struct pv_pci_machine *m, const struct pv_pci_func *f)
{
	if (f->gone)
		return "it does not answer";
	if (f->note && f->note->lacks)
		return f->note->lacks;
	if (pv_has_few_bytes(f))
		return "too few bytes of it are known";
	if (!has_port_above(f))
		return NULL;
	if (!f->parent)
		return PCI_BUS(f->bdf) || pv_port_type(f) == PCI_EXP_TYPE_UPSTREAM
			       ? "the port above it is not in the dump"
			       : NULL;
	if (!is_on_bus_of(f, f->parent))
		return "a bridge between it and the next port above is not in the dump";
	if (pv_port_type(f) == PCI_EXP_TYPE_DOWNSTREAM && pv_port_type(f->parent) != PCI_EXP_TYPE_UPSTREAM)
		return "the Upstream Port of its switch is not in the dump";
	if (is_below_qemu(f) && pv_pci_get(f, PCI_VENDOR_ID, 2) != VENDOR_REDHAT &&
	    pv_pci_get(f, PCI_VENDOR_ID, 2) != VENDOR_VIRTIO)
		return "this is a guest: sizes of a device that is passed through are virtual; look on the host";
	if (may_be_ari(m, f))
		return "whether function 0 decides (ARI) cannot be seen in 256 bytes; take lspci -xxxx";
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

		const char *why = why_unjudged(m, f);

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
