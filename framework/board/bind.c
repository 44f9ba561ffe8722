/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Backtracking over the functions of a machine. */
#include "framework/board/bind.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "drivers/regs/ptt.h"

struct search {
	const struct pv_bind *in;
	const struct pv_topology *plan;
	const struct pv_pci_func **func;
	unsigned tries;

	/* The role for which no function was found, and the function that fits it best. */
	size_t stuck;
	unsigned rank;
	const struct pv_pci_func *nearest;
	struct pv_board_difference differs;
};

/* ---- relations between roles ---- */

static bool is_served(const struct search *s, size_t ptt, const struct pv_pci_func *at, const struct pv_pci_func *port)
{
	char name[PV_FACTS_NAME];

	return pv_facts_pmu(s->in->environment, pv_board_place_of(at), "hisi_ptt", 0, name) &&
	       pv_facts_has(s->in->environment, name, "ports", port->name);
}

/*
 * Checks that the PTT serves the port if and only if the plan's PTT does, and that ports of one PTT have different
 * filter bits.
 */
static bool suits_ptt(const struct search *s, size_t ptt, size_t port, const struct pv_pci_func *at,
		      const struct pv_pci_func *is)
{
	bool wanted = pv_needs_serves(&s->plan->nodes[ptt], &s->plan->nodes[port]);

	if (wanted != is_served(s, ptt, at, is))
		return false;
	for (size_t k = 0; wanted && k < s->plan->n; k++)
		if (k != port && s->func[k] && s->plan->nodes[k].conf.kind == PV_NODE_ROOT_PORT &&
		    pv_needs_serves(&s->plan->nodes[ptt], &s->plan->nodes[k]) &&
		    PTT_FILTER_PORT_BIT(s->func[k]->bdf) == PTT_FILTER_PORT_BIT(is->bdf))
			return false;
	return true;
}

static bool is_one_device(pv_bdf a, pv_bdf b)
{
	return a >> 3 == b >> 3;
}

static bool suits(const struct search *s, size_t i, const struct pv_pci_func *f, size_t k)
{
	const struct pv_topo_node *a = &s->plan->nodes[i], *b = &s->plan->nodes[k];

	if (s->func[k] == f)
		return false;
	if (a->parent >= 0 && b->parent >= 0)
		return (is_one_device(a->bdf, b->bdf) && a->parent == b->parent) ==
		       is_one_device(pv_board_place_of(f), pv_board_place_of(s->func[k]));
	if (b->role == PV_ROLE_PTT && a->conf.kind == PV_NODE_ROOT_PORT)
		return suits_ptt(s, k, i, s->func[k], f);
	if (a->role == PV_ROLE_PTT && b->conf.kind == PV_NODE_ROOT_PORT)
		return suits_ptt(s, i, k, f, s->func[k]);
	return true;
}

static bool is_wanted(const struct search *s, const struct pv_topo_node *node, const struct pv_pci_func *f)
{
	const struct pv_board_description *d = s->in->description;
	pv_bdf is = pv_board_place_of(f);

	for (size_t i = 0; i < s->in->n_wishes; i++)
		if (!strcmp(s->in->wish[i].role, node->name))
			return s->in->wish[i].is == is;
	for (size_t i = 0; d && i < d->n_devices; i++)
		if (d->devices[i].plan == node->bdf)
			return d->devices[i].is == is;
	return true;
}

/* The function above: the nearest one, as a switch may be left out. */
static const struct pv_pci_func *parent_of(const struct search *s, const struct pv_topo_node *node)
{
	int parent = node->parent;

	while (parent >= 0 && !s->func[parent])
		parent = s->plan->nodes[parent].parent;
	return parent < 0 ? NULL : s->func[parent];
}

/* A switch that no step names is only in the way from a Root Port to a function. */
static bool may_be_left_out(const struct search *s, size_t i)
{
	enum pv_node_kind kind = s->plan->nodes[i].conf.kind;

	return !s->in->needs->role[i].named && (kind == PV_NODE_UPSTREAM || kind == PV_NODE_DOWNSTREAM);
}

/* A function below a bridge needs that bridge, or one above it if it is a switch that is left out. */
static bool has_parent(const struct search *s, const struct pv_topo_node *node)
{
	int parent = node->parent;

	while (parent >= 0 && !s->func[parent] && may_be_left_out(s, (size_t)parent))
		parent = s->plan->nodes[parent].parent;
	return node->parent < 0 || (parent >= 0 && s->func[parent]);
}

/* Roles that have no function yet are not compared. */
static bool is_candidate(const struct search *s, size_t i, const struct pv_pci_func *f)
{
	const struct pv_topo_node *node = &s->plan->nodes[i];

	if (!has_parent(s, node) || f->parent != parent_of(s, node) || !is_wanted(s, node, f))
		return false;
	for (size_t k = 0; k < s->plan->n; k++)
		if (k != i && s->func[k] && !suits(s, i, f, k))
			return false;
	return true;
}

/* ---- the search ---- */

static void note(struct search *s, size_t i, const struct pv_pci_func *f, unsigned rank,
		 const struct pv_board_difference *d)
{
	if (i < s->stuck || (i == s->stuck && rank <= s->rank))
		return;
	s->stuck = i;
	s->rank = rank;
	s->nearest = f;
	if (d)
		s->differs = *d;
}

static bool plays(struct search *s, size_t i, const struct pv_pci_func *f)
{
	const struct pv_role_match role = {s->in->needs, &s->in->needs->role[i], s->in->machine, s->in->description,
					   s->in->environment};
	struct pv_board_difference d;
	unsigned rank = pv_board_role_differs(&role, &s->plan->nodes[i], f, &d);

	if (rank)
		note(s, i, f, rank, &d);
	return !rank;
}

/* Assigns functions to the roles from `i` on. 0; -ENOENT: there is no assignment; -E2BIG: too many tries. */
static int assign(struct search *s, size_t i)
{
	while (i < s->plan->n && !s->in->needs->role[i].needed)
		i++;
	if (i == s->plan->n)
		return 0;
	note(s, i, NULL, 0, NULL);
	for (const struct pv_pci_func *f = s->in->machine->funcs; f < s->in->machine->funcs + s->in->machine->n; f++) {
		if (++s->tries > PV_BIND_TRIES)
			return -E2BIG;
		if (!is_candidate(s, i, f) || !plays(s, i, f))
			continue;
		s->func[i] = f;
		int err = assign(s, i + 1);
		if (err != -ENOENT)
			return err;
		s->func[i] = NULL;
	}
	return may_be_left_out(s, i) ? assign(s, i + 1) : -ENOENT;
}

/* Gives the roles of optional steps a function each, as far as there are any. */
static void assign_wanted(struct search *s)
{
	for (size_t i = 0; i < s->plan->n; i++)
		for (size_t k = 0; s->in->needs->role[i].wanted && !s->func[i] && k < s->in->machine->n; k++)
			if (is_candidate(s, i, &s->in->machine->funcs[k]) && plays(s, i, &s->in->machine->funcs[k]))
				s->func[i] = &s->in->machine->funcs[k];
}

static int tell(const struct search *s, struct pv_error *e)
{
	const struct pv_topo_node *node = &s->plan->nodes[s->stuck];

	if (s->nearest && s->rank)
		return pv_error(e, -EOPNOTSUPP, "role %s: expected %s, got %s at %s", node->name, s->differs.expected,
				s->differs.got, s->nearest->name);
	return pv_error(e, -EOPNOTSUPP, "role %s: expected %s%s%s, got none", node->name,
			pv_board_kind_name(node->conf.kind), node->parent < 0 ? "" : " below ",
			node->parent < 0 ? "" : s->plan->nodes[node->parent].name);
}

int pv_board_bind(const struct pv_bind *in, const struct pv_pci_func **func, struct pv_error *e)
{
	struct search s = {.in = in, .plan = in->needs->plan, .func = func};

	memset(func, 0, s.plan->n * sizeof(*func));
	int err = assign(&s, 0);
	if (err == -E2BIG)
		return pv_error(e, err,
				"roles: no assignment within %d tries; --bind ROLE=BDF or <device> leaves fewer",
				PV_BIND_TRIES);
	if (err)
		return tell(&s, e);
	assign_wanted(&s);
	return 0;
}

size_t pv_bind_subject(const struct pv_needs *n)
{
	size_t port = n->plan->n;

	for (size_t i = n->plan->n; i-- > 0;)
		if (n->role[i].needed && n->plan->nodes[i].conf.kind == PV_NODE_ROOT_PORT)
			port = i;
	for (size_t i = 0; i < n->plan->n; i++)
		if (n->role[i].pmu)
			return i;
	return port;
}
