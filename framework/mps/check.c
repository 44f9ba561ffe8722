/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each function that sends is followed to the top of its links, and the completions to its reads back down. Whatever
 * the TLP passes on the way must take its payload.
 */
#include "framework/mps/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/mps/engine.h"
#include "framework/mps/facts.h"
#include "framework/util/cleanup.h"

enum { WAY_MAX = 2 * 256 };

struct way {
	const struct pv_pci_func *at[WAY_MAX];
	size_t n;
};

struct search {
	const struct pv_pci_machine *machine;
	struct pv_mismatches *found;
};

/* In an ARI device function 0 decides, whatever the others hold (PCIe 5.0 7.5.3.4). */
static const struct pv_pci_func *who_decides(const struct pv_pci_machine *m, const struct pv_pci_func *f)
{
	return f->is_ari ? pv_pci_find(m, f->bdf & ~0xffu) : f;
}

static int sends(const struct pv_pci_machine *m, const struct pv_pci_func *f)
{
	return pv_mps_of(who_decides(m, f));
}

/* A function takes what it is set to, and no more than it can. */
static int takes(const struct pv_pci_machine *m, const struct pv_pci_func *f)
{
	const struct pv_pci_func *by = who_decides(m, f);
	int mps = pv_mps_of(by), mpss = pv_mpss_of(by);

	return mps < mpss ? mps : mpss;
}

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

/* ---- ways ---- */

static const struct pv_pci_func *above(const struct pv_pci_func *f)
{
	return f->parent && pv_has_sizes(f->parent) ? f->parent : NULL;
}

/* The function at the top of the links: a Root Port, or a bridge from PCI. */
static const struct pv_pci_func *top_of(const struct pv_pci_func *f)
{
	while (above(f))
		f = above(f);
	return f;
}

static bool is_at_or_above(const struct pv_pci_func *f, const struct pv_pci_func *below)
{
	while (below && below != f)
		below = above(below);
	return below == f;
}

/*
 * Up from `from` to the first function that `to` is below of, then down to `to`. Both are below one top. Peers of one
 * switch turn on its internal bus: its Upstream Port does not see what they send.
 */
static void find_way(const struct pv_pci_func *from, const struct pv_pci_func *to, struct way *way)
{
	const struct pv_pci_func *turn = from, *f;
	size_t i;

	way->n = 0;
	for (; !is_at_or_above(turn, to); turn = above(turn))
		way->at[way->n++] = turn;
	if (turn == from || turn == to)
		way->at[way->n++] = turn;
	for (f = to; f != turn; f = above(f))
		way->n++;
	for (f = to, i = way->n; f != turn; f = above(f))
		way->at[--i] = f;
}

/* ---- judging ---- */

static void add(struct pv_mismatches *found, const struct pv_mismatch *mismatch)
{
	struct pv_mismatch *more;

	if (found->n == found->room) {
		more = realloc(found->list, (2 * found->room + 16) * sizeof(*more));
		found->no_memory = found->no_memory || !more;
		if (!more)
			return;
		found->list = more;
		found->room = 2 * found->room + 16;
	}
	found->list[found->n++] = *mismatch;
}

/* Judges TLPs of `payload` bytes from mismatch->from to `to`. Returns true if they are malformed somewhere. */
static bool judge(const struct search *s, struct pv_mismatch *mismatch, const struct pv_pci_func *to)
{
	struct way way;

	find_way(mismatch->from, to, &way);
	for (size_t i = 1; i < way.n; i++) {
		mismatch->most = takes(s->machine, way.at[i]);
		if (mismatch->most >= mismatch->payload)
			continue;
		mismatch->to = way.at[i];
		add(s->found, mismatch);
		return true;
	}
	return false;
}

/* Requests with data of their own come from endpoints and from bridges to PCI; other ports forward. */
static bool is_sender(const struct pv_pci_func *f)
{
	int type = pv_port_type(f);

	return type == PCI_EXP_TYPE_ENDPOINT || type == PCI_EXP_TYPE_LEG_END || type == PCI_EXP_TYPE_PCI_BRIDGE;
}

static void judge_memory(const struct search *s, const struct pv_pci_func *f)
{
	const struct pv_pci_func *top = top_of(f);
	struct pv_mismatch write = {.kind = PV_MISMATCH_WRITE, .from = f, .requester = f};
	struct pv_mismatch completion = {.kind = PV_MISMATCH_COMPLETION, .from = top, .requester = f};

	write.payload = sends(s->machine, f);
	judge(s, &write, top);
	/* No completion is longer than what was asked for. */
	completion.payload = min_int(sends(s->machine, top), pv_mrrs_of(f));
	judge(s, &completion, f);
}

/* Functions of one device: what they send to each other is on no link. */
static bool share_a_device(const struct pv_pci_func *a, const struct pv_pci_func *b)
{
	return a->parent == b->parent && pv_heads_link(a->parent);
}

static bool is_peer(const struct pv_pci_func *f, const struct pv_pci_func *peer)
{
	return is_sender(peer) && above(peer) && top_of(peer) == top_of(f) && !share_a_device(f, peer);
}

/* One peer for each sender is enough. */
static void judge_peers(const struct search *s, const struct pv_pci_func *f)
{
	const struct pv_pci_machine *m = s->machine;

	for (size_t i = 0; i < m->n; i++) {
		const struct pv_pci_func *peer = &m->funcs[i];
		struct pv_mismatch write = {.kind = PV_MISMATCH_PEER, .from = f, .requester = peer};

		write.payload = sends(m, f);
		if (is_peer(f, peer) && judge(s, &write, peer))
			return;
	}
}

int pv_check(const struct pv_pci_machine *m, bool peers, struct pv_mismatches *found)
{
	struct search s = {m, found};

	*found = (struct pv_mismatches){0};
	for (size_t i = 0; i < m->n; i++) {
		const struct pv_pci_func *f = &m->funcs[i];

		found->unknown += f->unreadable || f->gone || !f->known;
		if (!is_sender(f) || !above(f))
			continue;
		judge_memory(&s, f);
		if (peers)
			judge_peers(&s, f);
	}
	return found->no_memory ? -ENOMEM : 0;
}

void pv_mismatches_free(struct pv_mismatches *found)
{
	free(found->list);
	*found = (struct pv_mismatches){0};
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
		mismatch->kind == PV_MISMATCH_WRITE ? top_of(mismatch->from) : mismatch->requester;
	struct way way;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	find_way(mismatch->from, to, &way);
	for (size_t i = 0; i < way.n; i++) {
		fprintf(f, "%s%s", i ? " -> " : "", way.at[i]->name);
		if (way.at[i] == mismatch->to)
			break;
	}
	return fclose(f) ? NULL : text;
}
