/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine of a case: its functions by name and by BDF, with the properties that models build and checks use. Plans
 * read it from XML (framework/plan/topology.c); the case message has it as JSON (docs/protocol.md).
 */
#ifndef PV_TOPOLOGY_TOPOLOGY_H
#define PV_TOPOLOGY_TOPOLOGY_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/regs/topology.h"
#include "framework/util/arena.h"
#include "framework/util/bdf.h"
#include "framework/util/error.h"

enum pv_topo_role {
	PV_ROLE_FUNCTION,
	PV_ROLE_PORT, /* a Root Port, or a Downstream Port of a switch */
	PV_ROLE_PTT,
	PV_ROLE_CXL_MEM,
};

struct pv_topo_node {
	const char *name; /* owned by the topology */
	enum pv_topo_role role;
	pv_bdf bdf;
	int parent;			 /* index into nodes[]; -1: on a root bus */
	uint8_t secondary, subordinate;	 /* bridges: bus numbers; others: 0 */
	int numa_node;			 /* -1: none */
	bool vf;			 /* a virtual function */
	bool hotplug, slot;		 /* bridges: Hot-Plug Capable, Slot Implemented */
	unsigned mps, mrrs;		 /* bytes, out of reset */
	uint8_t speed, width;		 /* of the link below a port: 1..5 = 2.5 to 32 GT/s; lanes */
	uint16_t rcb;			 /* bytes */
	uint16_t sicl, core;		 /* PTT: its place ... */
	pv_bdf range_lower, range_upper; /* ... and the functions that it traces */
	bool time_is_distance;		 /* Time of its records counts from the record before */
	bool spare;			 /* absent at the start: a hot-plug step adds it */
	struct pv_node_conf conf;	 /* the same function in the models' form */
};

#define PV_TOPOLOGY_CPUS_MAX 8

/* The IOMMU between functions and memory. */
enum pv_iommu {
	PV_IOMMU_NONE,
	PV_IOMMU_IDENTITY,   /* an IOMMU that maps the DMA of a PTT one to one */
	PV_IOMMU_TRANSLATES, /* an IOMMU with a translating domain */
};

struct pv_topology {
	enum pv_iommu iommu;
	bool port_pm;	     /* its system may suspend ports */
	bool threadirqs;     /* its system runs the handlers of interrupts in threads */
	unsigned cpus;	     /* number of CPUs of the machine */
	unsigned numa_nodes; /* 0: the machine has none */
	size_t n;
	struct pv_topo_node *nodes; /* parents come before their children */
	pv_bdf *buses;		    /* function 0 of those that have functions, ascending; room for one of each node */
	size_t n_buses;
	struct pv_arena arena; /* holds all of it */
};

/*
 * Builds from {"iommu":...,"cpus":...,"nodes":[...]}; NULL object: an empty machine. 0, -EINVAL (*e says where),
 * -ENOMEM.
 */
int pv_topology_parse(json_object *obj, struct pv_topology **out, struct pv_error *e);
void pv_topology_free(struct pv_topology *t);
/* Writes what pv_topology_parse() reads. NULL: no memory. */
json_object *pv_topology_json(const struct pv_topology *t);

/* Makes a copy; of NULL, an empty machine. 0, -EINVAL, -ENOMEM. */
int pv_topology_copy(const struct pv_topology *t, struct pv_topology **out, struct pv_error *e);

/* Fills in the other members of a node from its conf. */
void pv_topo_node_describe(struct pv_topo_node *node);
/* Does this for all nodes, and lists the buses anew; after functions have moved. */
void pv_topology_describe(struct pv_topology *t);
/* Returns the word for its kind: "root-port". */
const char *pv_topo_node_kind(const struct pv_topo_node *node);
/* Returns true for bridges: they have bus numbers. */
bool pv_topo_node_is_bridge(const struct pv_topo_node *node);
/* Returns true for bridges that have a link below them. */
bool pv_topo_node_heads_link(const struct pv_topo_node *node);

/* By name or by BDF ("01:00.1"); NULL: no such function. */
const struct pv_topo_node *pv_topology_node(const struct pv_topology *t, const char *name);
const struct pv_topo_node *pv_topology_by_bdf(const struct pv_topology *t, pv_bdf bdf);
/* The PTT with this PMU ("hisi_ptt0_0"); NULL: no such PTT. */
const struct pv_topo_node *pv_topology_ptt(const struct pv_topology *t, const char *pmu);
/* Returns true if `node` is the function `root`, below it, or another function of the same device. */
bool pv_topology_below(const struct pv_topology *t, const struct pv_topo_node *node, const struct pv_topo_node *root);

/*
 * Returns the first CPU of a NUMA node, or the number of CPUs for `nodes`: the nodes have consecutive blocks of CPUs.
 */
static inline unsigned pv_numa_first_cpu(unsigned node, unsigned nodes, unsigned cpus)
{
	return (node * cpus + nodes - 1) / nodes;
}
/* Returns the CPUs of a function's NUMA node, one bit each; 0: it has none. */
uint64_t pv_topology_local_cpus(const struct pv_topology *t, pv_bdf bdf);

#endif
