/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State while a <topology> is read, for topology*.c only. Each function reports problems, which set `bad`. */
#ifndef PV_PLAN_TOPOLOGY_BUILD_H
#define PV_PLAN_TOPOLOGY_BUILD_H

#include "framework/plan/params.h"
#include "framework/plan/topology.h"
#include "framework/schema/schema.h"

struct pv_topology_build {
	const struct pv_topology_env *env;
	const struct pv_scope *scope;
	struct pv_plan_topology *t;
	struct pv_topology *m; /* of t */
	bool bad, dllps;
};

#define pv_build_complain(b, x, ...)                                                                  \
	do {                                                                                          \
		pv_problem((b)->env->problems, (x)->file, (x)->line, (b)->scope->where, __VA_ARGS__); \
		(b)->bad = true;                                                                      \
	} while (0)

/* Returns an attribute's value, substituted and checked by its type, or the schema's default. NULL: neither. */
const char *pv_build_get(struct pv_topology_build *b, const struct pv_xml *x, const char *name);
/* Returns an attribute's number; `otherwise`: it has none, or one outside of min to max. */
uint64_t pv_build_number(struct pv_topology_build *b, const struct pv_xml *x, const char *name, uint64_t min,
			 uint64_t max, uint64_t otherwise);
bool pv_build_yes(struct pv_topology_build *b, const struct pv_xml *x, const char *name, bool otherwise);
/* Sets the members of *base from the element's attributes; the others get their defaults. */
void pv_build_members(struct pv_topology_build *b, const struct pv_xml *x, const struct pv_element_decl *members,
		      void *base);
/* Returns a copy of n elements with room for one more, in the arena. NULL: no memory. */
void *pv_build_more(struct pv_topology_build *b, const void *old, unsigned n, size_t bytes);
/* Appends <cpmu> and <config> to those of a function. */
void pv_build_cpmu(struct pv_topology_build *b, struct pv_xml *x, struct pv_node_conf *n);
void pv_build_config(struct pv_topology_build *b, const struct pv_xml *x, struct pv_node_conf *n);

/* Sets the BDF of the topology's last function: the given one, or the next free one. */
void pv_build_place(struct pv_topology_build *b, const struct pv_xml *x, struct pv_topo_node *n);
/* Sets the NUMA node of a function on a root bus; -1 if none is given. */
void pv_build_numa_node(struct pv_topology_build *b, const struct pv_xml *x, struct pv_topo_node *n);
/* Sets the secondary bus of a bridge: the given one, or the next free one. */
void pv_build_bus(struct pv_topology_build *b, const struct pv_xml *x, struct pv_topo_node *n);

#endif
