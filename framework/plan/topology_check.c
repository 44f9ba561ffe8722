/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and places that are unique, bus ranges that nest, PTTs that serve what they can. */
#include "framework/plan/topology_check.h"

#include <string.h>

struct check {
	struct pv_plan_topology *t;
	struct pv_problems *p;
	const char *where;
	bool bad;
};

#define complain(c, n, ...)                                                              \
	do {                                                                             \
		pv_problem((c)->p, (n)->x->file, (n)->x->line, (c)->where, __VA_ARGS__); \
		(c)->bad = true;                                                         \
	} while (0)

static void check_unique(struct check *c, const struct pv_topology_node *n)
{
	for (const struct pv_topology_node *o = c->t->nodes; o < n; o++) {
		if (!strcmp(o->name, n->name))
			complain(c, n, "<%s>: the name '%s' is already used on line %d", n->x->name, n->name,
				 o->x->line);
		else if (o->bdf == n->bdf && !o->spare && !n->spare)
			complain(c, n, "<%s> '%s': two devices on one BDF: %s is that of '%s' (line %d)", n->x->name,
				 n->name, pv_topology_place(n->bdf).s, o->name, o->x->line);
		else
			continue;
		return;
	}
}

static bool in_one_domain(const struct pv_topology_node *a, const struct pv_topology_node *b)
{
	return pv_topology_domain(a) == pv_topology_domain(b);
}

static bool below(const struct pv_plan_topology *t, const struct pv_topology_node *n,
		  const struct pv_topology_node *above)
{
	while (n != above && n->parent >= 0)
		n = &t->nodes[n->parent];
	return n == above;
}

/* Bus numbers [secondary, subordinate] of two bridges are apart, or one is inside of the other. */
static void check_buses(struct check *c, const struct pv_topology_node *n)
{
	for (const struct pv_topology_node *o = c->t->nodes; n->bridge && o < n; o++) {
		bool inside = below(c->t, n, o);
		unsigned first = inside ? o->secondary + 1u : o->secondary;

		if (!o->bridge || !in_one_domain(n, o) ||
		    (inside ? n->secondary >= first : n->secondary > o->subordinate || n->subordinate < first))
			continue;
		complain(c, n, "<%s> '%s': its buses %02x-%02x overlap buses %02x-%02x of '%s' (line %d)", n->x->name,
			 n->name, n->secondary, n->subordinate, o->secondary, o->subordinate, o->name, o->x->line);
		return;
	}
}

/* The function before a VF on its bus that is not virtual itself is the one that it belongs to. */
static const struct pv_topology_node *physical_of(const struct pv_plan_topology *t, const struct pv_topology_node *vf)
{
	const struct pv_topology_node *pf = NULL;

	for (const struct pv_topology_node *o = t->nodes; o < t->nodes + t->n; o++)
		if (!o->vf && !o->spare && o->parent == vf->parent && in_one_domain(o, vf) && o->bdf < vf->bdf &&
		    (!pf || o->bdf > pf->bdf))
			pf = o;
	return pf && !strcmp(pf->kind, "endpoint") ? pf : NULL;
}

/* First VF Offset and VF Stride (PCIe 5.0 9.3.3.9) tell where all of them are. */
static void check_vf(struct check *c, const struct pv_topology_node *n)
{
	const struct pv_topology_node *pf = n->vf ? physical_of(c->t, n) : NULL, *last = NULL, *before = NULL;

	if (!n->vf)
		return;
	if (!pf) {
		complain(c, n, "<%s> '%s' is a virtual function, expected an endpoint before it on its bus", n->x->name,
			 n->name);
		return;
	}
	for (const struct pv_topology_node *o = c->t->nodes; o < n; o++) {
		if (!o->vf || physical_of(c->t, o) != pf)
			continue;
		before = last;
		last = o;
	}
	if (last && n->bdf <= last->bdf)
		complain(c, n,
			 "<%s> '%s': virtual functions are given in the order of their BDFs, '%s' (line %d) is behind",
			 n->x->name, n->name, last->name, last->x->line);
	else if (before && n->bdf - last->bdf != last->bdf - before->bdf)
		complain(c, n, "<%s> '%s': expected the virtual functions of '%s' at equal distances, got %d after %d",
			 n->x->name, n->name, pf->name, n->bdf - last->bdf, last->bdf - before->bdf);
}

/* A root bus is not the bus below a bridge. */
static void check_root(struct check *c, const struct pv_topology_node *n)
{
	for (unsigned i = 0; n->parent < 0 && i < c->t->n; i++) {
		const struct pv_topology_node *o = &c->t->nodes[i];
		unsigned bus = pv_topology_bus(n);

		if (!o->bridge || !in_one_domain(n, o) || bus < o->secondary || bus > o->subordinate)
			continue;
		complain(c, n, "<%s> '%s': bus %02x of its bdf is not a root bus: it is below '%s' (line %d)",
			 n->x->name, n->name, bus, o->name, o->x->line);
		return;
	}
}

/* ---- NUMA nodes ---- */

static bool on_same_root_bus(const struct pv_topology_node *a, const struct pv_topology_node *b)
{
	return a->parent < 0 && b->parent < 0 && a->bdf >> 8 == b->bdf >> 8;
}

/* What one function of a root bus says holds for the others. */
static void spread_numa_node(struct check *c, const struct pv_topology_node *n)
{
	for (unsigned i = 0; n->numa_node >= 0 && i < c->t->n; i++) {
		struct pv_topology_node *o = &c->t->nodes[i];

		if (!on_same_root_bus(n, o))
			continue;
		if (o->numa_node >= 0 && o->numa_node != n->numa_node)
			complain(c, o,
				 "<%s> '%s': expected NUMA node %d, which is that of '%s' (line %d) on the same root "
				 "bus, got %d",
				 o->x->name, o->name, n->numa_node, n->name, n->x->line, o->numa_node);
		o->numa_node = n->numa_node;
	}
}

static void check_numa_nodes(struct check *c)
{
	struct pv_plan_topology *t = c->t;

	for (unsigned i = 0; i < t->n; i++) {
		spread_numa_node(c, &t->nodes[i]);
		if (t->nodes[i].numa_node >= (int)t->numa_nodes)
			t->numa_nodes = (unsigned)t->nodes[i].numa_node + 1;
	}
	for (unsigned i = 0; t->cpus < t->numa_nodes && i < t->n; i++) {
		const struct pv_topology_node *n = &t->nodes[i];

		if (n->numa_node + 1 != (int)t->numa_nodes)
			continue;
		complain(c, n,
			 "<%s> '%s': NUMA node %d makes %u nodes, and each needs a CPU: expected cpus=\"%u\" or more "
			 "at the topology, got %u",
			 n->x->name, n->name, n->numa_node, t->numa_nodes, t->numa_nodes, t->cpus);
		return;
	}
}

/* ---- domains ---- */

/* Functions before n tell whether its domain is a new one. */
static bool is_first_of_domain(const struct pv_plan_topology *t, const struct pv_topology_node *n)
{
	for (const struct pv_topology_node *o = t->nodes; o < n; o++)
		if (in_one_domain(o, n))
			return false;
	return true;
}

static void check_domains(struct check *c)
{
	unsigned domains = 0;

	for (unsigned i = 0; i < c->t->n; i++) {
		const struct pv_topology_node *n = &c->t->nodes[i];

		if (!is_first_of_domain(c->t, n) || ++domains <= PV_TOPOLOGY_MAX_DOMAINS)
			continue;
		complain(c, n, "<%s> '%s': domain %u is one too many, expected at most %u", n->x->name, n->name,
			 pv_topology_domain(n), PV_TOPOLOGY_MAX_DOMAINS);
		return;
	}
}

static const struct pv_topology_node *find(const struct pv_plan_topology *t, const char *name)
{
	const struct pv_topology_node *n = pv_topology_find(t, name);

	return n && !strcmp(n->kind, "root-port") ? n : NULL;
}

static const char *candidate_root_port(const void *topology, size_t i)
{
	const struct pv_plan_topology *t = topology;

	for (unsigned k = 0; k < t->n; k++)
		if (!strcmp(t->nodes[k].kind, "root-port") && !i--)
			return t->nodes[k].name;
	return NULL;
}

static const struct pv_topology_node *range_end(struct check *c, const struct pv_topology_node *n, const char *attr,
						const char *name)
{
	const struct pv_topology_node *port = find(c->t, name);

	if (!port)
		complain(c, n, "<ptt> %s: there is no root-port '%s'%s", attr, PV_SHOW(name),
			 pv_did_you_mean(name, candidate_root_port, c->t).s);
	else if (!in_one_domain(n, port))
		complain(c, n, "<ptt> '%s': %s '%s' is in domain %u, expected it in that of the PTT, %u", n->name, attr,
			 name, pv_topology_domain(port), pv_topology_domain(n));
	return port;
}

static void check_other_ptts(struct check *c, const struct pv_topology_node *n)
{
	for (const struct pv_topology_node *o = c->t->nodes; o < n; o++) {
		if (strcmp(o->kind, "ptt") || !in_one_domain(n, o))
			continue;
		/* Two that say they are the same core are for a driver to refuse. */
		if (n->range_lower <= o->range_upper && o->range_lower <= n->range_upper)
			complain(c, n, "<ptt> '%s': its Root Ports overlap those of '%s' (line %d)", n->name, o->name,
				 o->x->line);
	}
}

static void check_ptt(struct check *c, struct pv_topology_node *n)
{
	if (strcmp(n->kind, "ptt"))
		return;
	const struct pv_topology_node *first = range_end(c, n, "first", n->first);
	const struct pv_topology_node *last = range_end(c, n, "last", n->last);
	if (!first || !last)
		return;
	n->range_lower = first->bdf;
	n->range_upper = last->bdf;
	if (first->bdf > last->bdf)
		complain(c, n, "<ptt> '%s': first '%s' lies behind last '%s'", n->name, first->name, last->name);
	else
		check_other_ptts(c, n);
}

bool pv_topology_check(struct pv_plan_topology *t, struct pv_problems *p, const char *where)
{
	struct check c = {.t = t, .p = p, .where = where};

	check_domains(&c);
	check_numa_nodes(&c);
	for (unsigned i = 0; i < t->n; i++) {
		check_unique(&c, &t->nodes[i]);
		check_buses(&c, &t->nodes[i]);
		check_root(&c, &t->nodes[i]);
		check_vf(&c, &t->nodes[i]);
	}
	for (unsigned i = 0; i < t->n; i++)
		check_ptt(&c, &t->nodes[i]);
	return !c.bad;
}
