/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Examines all pairs of devices. Peers with the same result are one entry, so that the list stays short. */
#include "framework/mps/peers.h"

#include <errno.h>
#include <stdlib.h>

#include "framework/mps/engine.h"
#include "framework/mps/facts.h"
#include "framework/mps/way_internal.h"

struct device {
	const struct pv_pci_func *func, *top;
	int sends;
	int takes;     /* the smallest payload accepted on the way from the top down */
	int at_most;   /* the same without the top itself */
	bool is_heard; /* its TLPs reach the top */
};

struct search {
	const struct pv_pci_machine *machine;
	struct pv_peer_list *found;
	struct device *devices; /* devices below a Root Port, in the order of the machine */
	size_t n;
};

/* Nobody knows what a function sends and takes for which a function decides that is not there. */
static bool is_device(const struct pv_pci_func *f)
{
	return !f->is_ari_orphan && pv_has_sizes(f) && !f->gone && pv_is_sender(f) && pv_way_above(f);
}

static bool grow(struct pv_peer_list *found, void **list, size_t n, size_t *room, size_t bytes)
{
	if (n < *room)
		return true;
	void *more = realloc(*list, (2 * *room + 16) * bytes);

	if (!more)
		return found->no_memory = true, false;
	*list = more;
	*room = 2 * *room + 16;
	return true;
}

/* ---- one pair ---- */

/* Returns the first function from way->at[first] on that accepts less than `payload`. NULL: none. */
static const struct pv_pci_func *narrowest(const struct search *s, const struct pv_way *way, size_t first, int payload)
{
	for (size_t i = first; i < way->n; i++)
		if (pv_takes_bytes(s->machine, way->at[i]) < payload)
			return way->at[i];
	return NULL;
}

static bool judge_below(const struct search *s, const struct device *to, struct pv_peers *p)
{
	struct pv_way way;

	pv_way_find(p->from, to->func, &way);
	p->at = narrowest(s, &way, 1, p->payload);
	return p->at;
}

/*
 * Judges a write to a peer below another Root Port. pv_check() judges the way up to the sender's own Root Port. The
 * other Root Port sends the payload unchanged, or split into pieces of its own MPS.
 */
static bool judge_across(const struct search *s, const struct device *to, struct pv_peers *p)
{
	int port = pv_sends_bytes(s->machine, to->top), pieces = port < p->payload ? port : p->payload;
	struct pv_way way;

	if (to->takes >= p->payload)
		return false;
	pv_way_find(to->top, to->func, &way);
	p->across = true;
	p->at = narrowest(s, &way, 0, p->payload);
	p->splits = to->at_most >= pieces;
	return p->at;
}

static bool judge(const struct search *s, const struct device *from, const struct device *to, struct pv_peers *p)
{
	if (to == from || pv_share_a_device(to->func, from->func))
		return false;
	if (to->top == from->top)
		return judge_below(s, to, p);
	return from->is_heard && judge_across(s, to, p);
}

/* ---- all pairs ---- */

static bool have_same_fate(const struct pv_peers *a, const struct pv_peers *b)
{
	return a->at == b->at && a->across == b->across && a->splits == b->splits;
}

static size_t entry_of(struct search *s, const struct pv_peers *p, size_t first)
{
	struct pv_peer_list *found = s->found;
	size_t k = first;

	while (k < found->n && !have_same_fate(&found->list[k], p))
		k++;
	if (k == found->n && grow(found, (void **)&found->list, found->n, &found->room, sizeof(*p))) {
		found->list[found->n] = *p;
		found->list[found->n].most = pv_takes_bytes(s->machine, p->at);
		found->list[found->n++].first = found->n_peers;
	}
	return k;
}

static void add_peer(struct search *s, const struct pv_peers *p, size_t first, const struct pv_pci_func *to)
{
	struct pv_peer_list *found = s->found;
	size_t entry = entry_of(s, p, first);

	if (found->no_memory ||
	    !grow(found, (void **)&found->peers, found->n_peers, &found->room_peers, sizeof(*found->peers)))
		return;
	found->peers[found->n_peers++] = (struct pv_peer){to, entry};
	found->list[entry].n++;
}

static void judge_sender(struct search *s, const struct device *from)
{
	size_t first = s->found->n;

	for (size_t i = 0; i < s->n; i++) {
		struct pv_peers p = {.from = from->func, .payload = from->sends};

		if (judge(s, from, &s->devices[i], &p))
			add_peer(s, &p, first, s->devices[i].func);
	}
}

static struct device look_at(const struct search *s, const struct pv_pci_func *f)
{
	struct device d = {.func = f, .top = pv_way_top(f), .sends = pv_sends_bytes(s->machine, f)};
	struct pv_way way;

	pv_way_find(f, d.top, &way);
	d.is_heard = !narrowest(s, &way, 1, d.sends);
	d.takes = d.at_most = 1 << 20;
	for (size_t i = 0; i < way.n; i++) {
		int takes = pv_takes_bytes(s->machine, way.at[i]);

		d.takes = takes < d.takes ? takes : d.takes;
		d.at_most = takes < d.at_most && way.at[i] != d.top ? takes : d.at_most;
	}
	return d;
}

/* Lists the devices. False: no memory. The caller frees s->devices. */
static bool list_devices(struct search *s)
{
	s->devices = calloc(s->machine->n + 1, sizeof(*s->devices));
	for (size_t i = 0; s->devices && i < s->machine->n; i++)
		if (is_device(&s->machine->funcs[i]))
			s->devices[s->n++] = look_at(s, &s->machine->funcs[i]);
	return s->devices;
}

int pv_peers_find(const struct pv_pci_machine *m, struct pv_peer_list *found)
{
	struct search s = {.machine = m, .found = found};

	*found = (struct pv_peer_list){.no_memory = !list_devices(&s)};
	for (size_t i = 0; i < s.n && !found->no_memory; i++)
		judge_sender(&s, &s.devices[i]);
	free(s.devices);
	return found->no_memory ? -ENOMEM : 0;
}

/* Returns the device that accepts the smallest payload, of those not below `except`. NULL: none. */
static const struct device *takes_least(const struct search *s, const struct pv_pci_func *except)
{
	const struct device *least = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (s->devices[i].top != except && (!least || s->devices[i].takes < least->takes))
			least = &s->devices[i];
	return least;
}

int pv_peers_count_across(struct pv_pci_machine *m, const struct pv_policy_plan *plan, size_t *n)
{
	struct search s = {.machine = m};
	bool ok;

	*n = 0;
	pv_policy_plan_put(m, plan, true);
	ok = list_devices(&s);
	pv_policy_plan_put(m, plan, false);
	const struct device *least = takes_least(&s, NULL), *other = least ? takes_least(&s, least->top) : NULL;

	for (size_t i = 0; i < s.n; i++) {
		const struct device *from = &s.devices[i], *to = from->top == least->top ? other : least;

		*n += from->is_heard && to && to->takes < from->sends;
	}
	free(s.devices);
	return ok ? 0 : -ENOMEM;
}

int pv_peers_find_planned(struct pv_pci_machine *m, const struct pv_policy_plan *plan, struct pv_peer_list *found)
{
	int err;

	pv_policy_plan_put(m, plan, true);
	err = pv_peers_find(m, found);
	pv_policy_plan_put(m, plan, false);
	return err;
}

void pv_peers_free(struct pv_peer_list *found)
{
	free(found->list);
	free(found->peers);
	*found = (struct pv_peer_list){0};
}

const struct pv_peer *pv_peers_next(const struct pv_peer_list *found, size_t entry, const struct pv_peer *before)
{
	const struct pv_peer *p = before ? before + 1 : found->peers + found->list[entry].first;

	for (; p < found->peers + found->n_peers; p++)
		if (p->entry == entry)
			return p;
	return NULL;
}

size_t pv_peers_senders(const struct pv_peer_list *found, bool across)
{
	const struct pv_pci_func *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < found->n; i++) {
		if (found->list[i].across != across || found->list[i].from == last)
			continue;
		last = found->list[i].from;
		n++;
	}
	return n;
}
