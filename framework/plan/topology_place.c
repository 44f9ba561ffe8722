/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BDFs, bus numbers and NUMA nodes of functions. */
#include <string.h>

#include "framework/plan/topology_build.h"

/* Returns true if a function has this BDF. Ignores the last function, which is being placed. */
static bool taken(const struct pv_topology_build *b, uint32_t bdf)
{
	for (unsigned i = 0; i + 1 < b->m->n; i++)
		if (b->m->nodes[i].conf.bdf == bdf && !b->m->nodes[i].spare)
			return true;
	return false;
}

/*
 * Finds the next free BDF on a bus. Below a link there is only device 0, so its functions are counted; on an internal
 * or a conventional bus, devices are counted.
 */
static bool next_place(const struct pv_topology_build *b, const struct pv_topo_node *parent, bool spare, uint32_t *out)
{
	unsigned step = pv_topo_node_heads_link(parent) ? 1 : 8, end = pv_topo_node_heads_link(parent) ? 8 : 256;

	for (unsigned devfn = 0; devfn < end; devfn += step) {
		*out = PCI_DOMAIN(parent->conf.bdf) << 16 | (uint32_t)parent->conf.secondary << 8 | devfn;
		if (spare || !taken(b, *out))
			return true;
	}
	return false;
}

/*
 * A function on a root bus names its domain, in `domain` or in `bdf`. All others are in the domain of the bridge above.
 */
static void place_domain(struct pv_topology_build *b, const struct pv_xml *x, struct pv_topo_node *n, const char *bdf)
{
	const struct pv_topo_node *parent = n->conf.parent < 0 ? NULL : &b->m->nodes[n->conf.parent];
	bool in_bdf = bdf && strchr(bdf, ':') != strrchr(bdf, ':');
	unsigned otherwise = parent ? PCI_DOMAIN(parent->conf.bdf) : 0;
	unsigned domain =
		(unsigned)pv_build_number(b, x, "domain", 0, 0xffff, in_bdf ? PCI_DOMAIN(n->conf.bdf) : otherwise);

	if (in_bdf && PCI_DOMAIN(n->conf.bdf) != domain)
		pv_build_complain(b, x, "<%s> '%s': bdf %s is outside of domain %u", x->name, n->name, bdf, domain);
	else if (parent && domain != otherwise)
		pv_build_complain(b, x, "<%s> '%s': expected domain %u, which is that of '%s' above it, got %u",
				  x->name, n->name, otherwise, parent->name, domain);
	n->conf.bdf = domain << 16 | (n->conf.bdf & 0xffff);
}

void pv_build_place(struct pv_topology_build *b, const struct pv_xml *x, struct pv_topo_node *n)
{
	const struct pv_topo_node *parent = n->conf.parent < 0 ? NULL : &b->m->nodes[n->conf.parent];
	const char *s = pv_build_get(b, x, "bdf");
	bool good = !s || !pv_bdf_parse(s, &n->conf.bdf);

	place_domain(b, x, n, good ? s : NULL);
	if (!good)
		pv_build_complain(b, x, "<%s> bdf: expected a function such as 00:10.0, got '%s'", x->name, PV_SHOW(s));
	else if (!s && !parent)
		pv_build_complain(b, x, "<%s> '%s' is on a root bus and needs bdf: a function such as 00:10.0", x->name,
				  n->name);
	else if (!s && !next_place(b, parent, n->spare, &n->conf.bdf))
		pv_build_complain(b, x, "<%s> '%s': bus %02x below '%s' has no room left", x->name, n->name,
				  parent->conf.secondary, parent->name);
	else if (s && parent && PCI_BUS(n->conf.bdf) != parent->conf.secondary)
		pv_build_complain(b, x, "<%s> '%s': bdf %s is outside of bus %02x, which is the one below '%s'",
				  x->name, n->name, s, parent->conf.secondary, parent->name);
	else if (s && parent && pv_topo_node_heads_link(parent) && !n->conf.vf && !n->conf.ari &&
		 (n->conf.bdf >> 3 & 31))
		pv_build_complain(b, x, "<%s> '%s': below the link of '%s' there is only device 0, got %s", x->name,
				  n->name, parent->name, s);
	if (n->conf.ari && (!parent || !pv_topo_node_heads_link(parent)))
		pv_build_complain(b, x, "<%s> '%s': ari needs a link above it", x->name, n->name);
}

void pv_build_numa_node(struct pv_topology_build *b, const struct pv_xml *x, struct pv_topo_node *n)
{
	bool said = pv_build_get(b, x, "numa-node") != NULL;

	n->numa_node = said ? (int)pv_build_number(b, x, "numa-node", 0, 7, 0) : -1;
	if (said && n->conf.parent >= 0)
		pv_build_complain(b, x, "<%s> '%s' is below '%s': expected numa-node at a function on the root bus",
				  x->name, n->name, b->m->nodes[n->conf.parent].name);
}

/* Returns the root bus above the function, with its domain. */
static uint32_t root_bus(const struct pv_topology_build *b, const struct pv_topo_node *n)
{
	while (n->conf.parent >= 0)
		n = &b->m->nodes[n->conf.parent];
	return n->conf.bdf >> 8;
}

/* Returns the bus number after the highest one below the root bus of n. */
static unsigned next_bus(const struct pv_topology_build *b, const struct pv_topo_node *n)
{
	uint32_t root = root_bus(b, n);
	unsigned next = (root & 0xff) + 1;

	for (const struct pv_topo_node *o = b->m->nodes; o < n; o++)
		if (pv_topo_node_is_bridge(o) && o->conf.secondary >= next && root_bus(b, o) == root)
			next = o->conf.secondary + 1u;
	return next;
}

void pv_build_bus(struct pv_topology_build *b, const struct pv_xml *x, struct pv_topo_node *n)
{
	uint64_t bus = pv_build_number(b, x, "bus", 0, 255, next_bus(b, n));

	if (bus > 255)
		pv_build_complain(b, x, "<%s> '%s': there are no bus numbers left for the bus below it", x->name,
				  n->name);
	else if (bus <= PCI_BUS(n->conf.bdf) && pv_xml_get(x, "bus"))
		pv_build_complain(b, x, "<%s> '%s': bus %02x below it is not above its own bus %02x: a loop", x->name,
				  n->name, (unsigned)bus, PCI_BUS(n->conf.bdf));
	n->conf.secondary = n->conf.subordinate = (uint8_t)bus;
}
