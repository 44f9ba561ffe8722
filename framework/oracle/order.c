/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Order of the TLPs that cross two links one after the other (PCIe 5.0 2.4.1, table 2-40, B2a, C2a, D2a): no read,
 * other non-posted request or completion is ahead of a posted request on the second link that was ahead of it on the
 * first.
 */
#include <errno.h>
#include <stdlib.h>

#include "framework/oracle/count.h"
#include "framework/oracle/measure_internal.h"
#include "framework/trace/tlp.h"

#define ATTR_RO	 2u
#define ATTR_IDO 4u

enum { NP, CPL, KINDS };

/* For each TLP that is between the links: the number of posted requests ahead of it on the first. */
struct between {
	uint64_t *ahead;
	size_t first, n, room;
};

struct crossing {
	uint64_t posted[2]; /* on the first link, and on the second */
	struct between between[KINDS];
	uint64_t compared, overtaking;
	bool unlike; /* the second link has what the first one has not had */
};

static int enter(struct between *b, uint64_t ahead)
{
	if (b->n == b->room) {
		size_t room = b->room ? 2 * b->room : 64;
		uint64_t *more = realloc(b->ahead, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		b->ahead = more;
		b->room = room;
	}
	b->ahead[b->n++] = ahead;
	return 0;
}

/*
 * If TLPs of one class pass each other, which they may, the nth that leaves is not the nth that has entered. The
 * comparison stays right: one of the first n has as many posted requests ahead of it as the nth had, or more.
 */
static void leave(struct crossing *c, unsigned kind)
{
	struct between *b = &c->between[kind];

	if (b->first == b->n) {
		c->unlike = true;
		return;
	}
	c->compared++;
	c->overtaking += c->posted[1] < b->ahead[b->first++];
}

/*
 * Returns true if no rule permits it to pass. RO permits it to completions and to requests with data, IDO to all. A
 * completion without data may be that of an I/O or configuration write, which may pass (B2b, C2b, D2b).
 */
static bool is_bound(const struct pv_measure_spec *s, const struct pv_tlp *tlp)
{
	const struct pv_tlp_kind_info *k = &pv_tlp_kinds[tlp->kind];

	if ((s->classes && !(s->classes & k->cls)) || tlp->attr & ATTR_IDO)
		return false;
	if (k->cls == PV_CLASS_COMPLETION)
		return k->has_data && !(tlp->attr & ATTR_RO);
	return k->cls == PV_CLASS_NONPOSTED && !(k->has_data && tlp->attr & ATTR_RO);
}

/* Between traffic classes there is no order: only TC 0 is looked at. */
static bool is_of_sender(const struct pv_measure_spec *s, const struct pv_tlp *tlp)
{
	bool completion = pv_tlp_kinds[tlp->kind].cls == PV_CLASS_COMPLETION;

	return !tlp->tc && (!s->of_requester || (completion ? tlp->completer : tlp->requester) == s->requester);
}

static int cross(struct crossing *c, const struct pv_measure_spec *s, const struct pv_wire *w)
{
	bool second = w->port == s->port;
	struct pv_tlp tlp;

	pv_tlp_decode(w->hdr, &tlp);
	if (!is_of_sender(s, &tlp))
		return 0;
	unsigned kind = pv_tlp_kinds[tlp.kind].cls == PV_CLASS_COMPLETION ? CPL : NP;
	if (pv_tlp_kinds[tlp.kind].cls == PV_CLASS_POSTED)
		c->posted[second]++;
	else if (is_bound(s, &tlp) && second)
		leave(c, kind);
	else if (is_bound(s, &tlp))
		return enter(&c->between[kind], c->posted[0]);
	return 0;
}

static bool is_received(const struct pv_measure_spec *s, const struct pv_wire *w)
{
	return w->what == PV_WIRE_TLP && (w->port == s->via || w->port == s->port) && w->dir == s->dir &&
	       !(w->flags & (PV_WIRE_F_DISCARDED | PV_WIRE_F_ABORTED | PV_WIRE_F_MALFORMED));
}

static int walk(struct crossing *c, struct pv_ledger *l, const struct pv_window *win, const struct pv_measure_spec *s)
{
	struct pv_ledger_reader *r = pv_ledger_read(l, win->inner_first, win->inner_last);
	const struct pv_wire *w;
	int error = 0;

	if (!r)
		return -ENOMEM;
	while (!error && (w = pv_ledger_next(r)))
		if (is_received(s, w))
			error = cross(c, s, w);
	error = error ? error : pv_ledger_reader_error(r);
	pv_ledger_close(r);
	return error;
}

static bool is_alike(const struct crossing *c)
{
	return !c->unlike && c->posted[0] == c->posted[1] && c->between[NP].first == c->between[NP].n &&
	       c->between[CPL].first == c->between[CPL].n;
}

int pv_measure_order(struct pv_ledger *l, const struct pv_window *win, const struct pv_measure_spec *s, double *out)
{
	struct crossing c = {0};
	int r = walk(&c, l, win, s);

	free(c.between[NP].ahead);
	free(c.between[CPL].ahead);
	*out = (double)c.overtaking;
	if (r)
		return r;
	return !is_alike(&c) ? -EXDEV : c.compared && c.posted[0] ? 0 : -ENODATA;
}
