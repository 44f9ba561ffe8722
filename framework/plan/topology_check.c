/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks that names and BDFs are unique, that bus ranges nest, and that PTTs can serve their ports. */
#include "framework/plan/topology.h"

#include <string.h>

struct check {
	struct pv_plan_topology *t;
	struct pv_topology *m; /* of t */
	struct pv_problems *p;
	const char *where;
	bool bad;
};

#define complain(c, n, ...)                                                                      \
	do {                                                                                     \
		pv_problem((c)->p, from(c, n)->file, from(c, n)->line, (c)->where, __VA_ARGS__); \
		(c)->bad = true;                                                                 \
	} while (0)

/* Returns the element that a function was made from. */
static const struct pv_xml *from(const struct check *c, const struct pv_topo_node *n)
{
	return c->t->from[n - c->t->machine.nodes].x;
}

static void check_unique(struct check *c, const struct pv_topo_node *n)
{
	for (const struct pv_topo_node *o = c->m->nodes; o < n; o++) {
		if (!strcmp(o->name, n->name))
			complain(c, n, "<%s>: the name '%s' is already used on line %d", from(c, n)->name, n->name,
				 from(c, o)->line);
		else if (o->bdf == n->bdf && !o->spare && !n->spare)
			complain(c, n, "<%s> '%s': two devices on one BDF: %s is that of '%s' (line %d)",
				 from(c, n)->name, n->name, pv_bdf_text(n->bdf).s, o->name, from(c, o)->line);
		else
			continue;
		return;
	}
}

static bool in_one_domain(const struct pv_topo_node *a, const struct pv_topo_node *b)
{
	return PCI_DOMAIN(a->bdf) == PCI_DOMAIN(b->bdf);
}

static bool below(const struct pv_topology *t, const struct pv_topo_node *n, const struct pv_topo_node *above)
{
	while (n != above && n->parent >= 0)
		n = &t->nodes[n->parent];
	return n == above;
}

/* Bus numbers [secondary, subordinate] of two bridges must be disjoint or nested. */
static void check_buses(struct check *c, const struct pv_topo_node *n)
{
	for (const struct pv_topo_node *o = c->m->nodes; pv_topo_node_is_bridge(n) && o < n; o++) {
		bool inside = below(c->m, n, o);
		unsigned first = inside ? o->secondary + 1u : o->secondary;

		if (!pv_topo_node_is_bridge(o) || !in_one_domain(n, o) ||
		    (inside ? n->secondary >= first : n->secondary > o->subordinate || n->subordinate < first))
			continue;
		complain(c, n, "<%s> '%s': its buses %02x-%02x overlap buses %02x-%02x of '%s' (line %d)",
			 from(c, n)->name, n->name, n->secondary, n->subordinate, o->secondary, o->subordinate, o->name,
			 from(c, o)->line);
		return;
	}
}

/* Finds the PF of a VF: the last function before it on its bus that is not a VF. */
static const struct pv_topo_node *physical_of(const struct pv_topology *t, const struct pv_topo_node *vf)
{
	const struct pv_topo_node *pf = NULL;

	for (const struct pv_topo_node *o = t->nodes; o < t->nodes + t->n; o++)
		if (!o->vf && !o->spare && o->parent == vf->parent && in_one_domain(o, vf) && o->bdf < vf->bdf &&
		    (!pf || o->bdf > pf->bdf))
			pf = o;
	return pf && pf->conf.kind == PV_NODE_ENDPOINT ? pf : NULL;
}

/* First VF Offset and VF Stride (PCIe 5.0 9.3.3.9) must give the BDFs of all VFs. */
static void check_vf(struct check *c, const struct pv_topo_node *n)
{
	const struct pv_topo_node *pf = n->vf ? physical_of(c->m, n) : NULL, *last = NULL, *before = NULL;

	if (!n->vf)
		return;
	if (!pf) {
		complain(c, n, "<%s> '%s' is a virtual function, expected an endpoint before it on its bus",
			 from(c, n)->name, n->name);
		return;
	}
	for (const struct pv_topo_node *o = c->m->nodes; o < n; o++) {
		if (!o->vf || physical_of(c->m, o) != pf)
			continue;
		before = last;
		last = o;
	}
	if (last && n->bdf <= last->bdf)
		complain(c, n,
			 "<%s> '%s': virtual functions are given in the order of their BDFs, '%s' (line %d) is behind",
			 from(c, n)->name, n->name, last->name, from(c, last)->line);
	else if (before && n->bdf - last->bdf != last->bdf - before->bdf)
		complain(c, n, "<%s> '%s': expected the virtual functions of '%s' at equal distances, got %d after %d",
			 from(c, n)->name, n->name, pf->name, n->bdf - last->bdf, last->bdf - before->bdf);
}

/* A root bus must not be the bus below a bridge. */
static void check_root(struct check *c, const struct pv_topo_node *n)
{
	for (size_t i = 0; n->parent < 0 && i < c->m->n; i++) {
		const struct pv_topo_node *o = &c->m->nodes[i];
		unsigned bus = PCI_BUS(n->bdf);

		if (!pv_topo_node_is_bridge(o) || !in_one_domain(n, o) || bus < o->secondary || bus > o->subordinate)
			continue;
		complain(c, n, "<%s> '%s': bus %02x of its bdf is not a root bus: it is below '%s' (line %d)",
			 from(c, n)->name, n->name, bus, o->name, from(c, o)->line);
		return;
	}
}

/* ---- NUMA nodes ---- */

static bool on_same_root_bus(const struct pv_topo_node *a, const struct pv_topo_node *b)
{
	return a->parent < 0 && b->parent < 0 && a->bdf >> 8 == b->bdf >> 8;
}

/* All functions of a root bus are on one NUMA node, which one of them can name. */
static void spread_numa_node(struct check *c, const struct pv_topo_node *n)
{
	for (size_t i = 0; n->numa_node >= 0 && i < c->m->n; i++) {
		struct pv_topo_node *o = &c->m->nodes[i];

		if (!on_same_root_bus(n, o))
			continue;
		if (o->numa_node >= 0 && o->numa_node != n->numa_node)
			complain(c, o,
				 "<%s> '%s': expected NUMA node %d, which is that of '%s' (line %d) on the same root "
				 "bus, got %d",
				 from(c, o)->name, o->name, n->numa_node, n->name, from(c, n)->line, o->numa_node);
		o->numa_node = n->numa_node;
	}
}

static void check_numa_nodes(struct check *c)
{
	struct pv_topology *t = c->m;

	for (size_t i = 0; i < t->n; i++) {
		spread_numa_node(c, &t->nodes[i]);
		if (t->nodes[i].numa_node >= (int)t->numa_nodes)
			t->numa_nodes = (unsigned)t->nodes[i].numa_node + 1;
	}
	for (size_t i = 0; t->cpus < t->numa_nodes && i < t->n; i++) {
		const struct pv_topo_node *n = &t->nodes[i];

		if (n->numa_node + 1 != (int)t->numa_nodes)
			continue;
		complain(c, n,
			 "<%s> '%s': NUMA node %d makes %u nodes, and each needs a CPU: expected cpus=\"%u\" or more "
			 "at the topology, got %u",
			 from(c, n)->name, n->name, n->numa_node, t->numa_nodes, t->numa_nodes, t->cpus);
		return;
	}
}

/* ---- domains ---- */

/* Returns true if no function before n is in its domain. */
static bool is_first_of_domain(const struct pv_topology *t, const struct pv_topo_node *n)
{
	for (const struct pv_topo_node *o = t->nodes; o < n; o++)
		if (in_one_domain(o, n))
			return false;
	return true;
}

static void check_domains(struct check *c)
{
	unsigned domains = 0;

	for (size_t i = 0; i < c->m->n; i++) {
		const struct pv_topo_node *n = &c->m->nodes[i];

		if (!is_first_of_domain(c->m, n) || ++domains <= PV_TOPOLOGY_MAX_DOMAINS)
			continue;
		complain(c, n, "<%s> '%s': domain %u is one too many, expected at most %u", from(c, n)->name, n->name,
			 PCI_DOMAIN(n->bdf), PV_TOPOLOGY_MAX_DOMAINS);
		return;
	}
}

static bool is_root_port(const struct pv_topo_node *n)
{
	return n->conf.kind == PV_NODE_ROOT_PORT;
}

static const char *candidate_root_port(const void *topology, size_t i)
{
	const struct pv_topology *t = topology;

	for (size_t k = 0; k < t->n; k++)
		if (is_root_port(&t->nodes[k]) && !i--)
			return t->nodes[k].name;
	return NULL;
}

static const struct pv_topo_node *range_end(struct check *c, const struct pv_topo_node *n, const char *attr,
					    const char *name)
{
	const struct pv_topo_node *port = pv_topology_node(c->m, name);

	if (!port || !is_root_port(port))
		complain(c, n, "<ptt> %s: there is no root-port '%s'%s", attr, PV_SHOW(name),
			 pv_did_you_mean(name, candidate_root_port, c->m).s);
	else if (!in_one_domain(n, port))
		complain(c, n, "<ptt> '%s': %s '%s' is in domain %u, expected it in that of the PTT, %u", n->name, attr,
			 name, PCI_DOMAIN(port->bdf), PCI_DOMAIN(n->bdf));
	return port && is_root_port(port) ? port : NULL;
}

static void check_other_ptts(struct check *c, const struct pv_topo_node *n)
{
	for (const struct pv_topo_node *o = c->m->nodes; o < n; o++) {
		if (o->role != PV_ROLE_PTT || !in_one_domain(n, o))
			continue;
		/* A driver, and not this check, refuses PTTs with the same SICL and core. */
		if (n->range_lower <= o->range_upper && o->range_lower <= n->range_upper)
			complain(c, n, "<ptt> '%s': its Root Ports overlap those of '%s' (line %d)", n->name, o->name,
				 from(c, o)->line);
	}
}

static void check_ptt(struct check *c, struct pv_topo_node *n)
{
	const struct pv_node_source *says = &c->t->from[n - c->m->nodes];

	if (n->role != PV_ROLE_PTT)
		return;
	const struct pv_topo_node *first = range_end(c, n, "first", says->first);
	const struct pv_topo_node *last = range_end(c, n, "last", says->last);
	if (!first || !last)
		return;
	n->conf.range_lower = PCI_RID(first->bdf);
	n->conf.range_upper = PCI_RID(last->bdf);
	pv_topo_node_describe(n);
	if (first->bdf > last->bdf)
		complain(c, n, "<ptt> '%s': first '%s' lies behind last '%s'", n->name, first->name, last->name);
	else
		check_other_ptts(c, n);
}

bool pv_topology_check(struct pv_plan_topology *t, struct pv_problems *p, const char *where)
{
	struct check c = {.t = t, .m = &t->machine, .p = p, .where = where};

	check_domains(&c);
	check_numa_nodes(&c);
	for (size_t i = 0; i < c.m->n; i++) {
		check_unique(&c, &c.m->nodes[i]);
		check_buses(&c, &c.m->nodes[i]);
		check_root(&c, &c.m->nodes[i]);
		check_vf(&c, &c.m->nodes[i]);
	}
	for (size_t i = 0; i < c.m->n; i++)
		check_ptt(&c, &c.m->nodes[i]);
	return !c.bad;
}
