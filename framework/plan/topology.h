/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine of a case: functions with their places. Bus numbers are given depth first, as firmware would.
 */
#ifndef PV_PLAN_TOPOLOGY_H
#define PV_PLAN_TOPOLOGY_H

#include <json-c/json.h>
#include <stdint.h>

#include "framework/plan/xml.h"

#define PV_TOPOLOGY_MAX_NODES	1024u
#define PV_TOPOLOGY_MAX_DOMAINS 16u /* what the models have room for */

struct pv_scope;

struct pv_cpmu_caps {
	uint16_t vid, gid;
	uint32_t events;
};
struct pv_cpmu_fixed {
	uint8_t type, group; /* type as in COUNTER_CFG */
	uint8_t counter;     /* its number; 64: one of the last */
	uint32_t events;
};
struct pv_topology_cpmu {
	unsigned counters, width, filters, msi, n_caps, n_fixed;
	bool writable_when_frozen, freeze, interrupt, sum_adds, edge_compares;
	struct pv_cpmu_caps caps[32];
	struct pv_cpmu_fixed fixed[64];
	struct pv_topology_cpmu *next;
};

/* Bytes of configuration space that read otherwise than the kind has them. */
struct pv_topology_config {
	uint16_t offset;
	uint8_t bytes;
	uint32_t value, writable;
	struct pv_topology_config *next;
};

struct pv_topology_node {
	const struct pv_xml *x;
	const char *kind, *name;
	int parent;    /* index; -1: on a root bus */
	int numa_node; /* of the root bus that it is on; -1: none, or it is below a bridge */
	uint32_t bdf;  /* domain << 16 | bus << 8 | device << 3 | function */
	uint16_t vendor, device;
	unsigned mpss, mps, mrrs, mrrs_max, mps_ro, mrrs_ro, width, max_width, rcb;
	const char *speed, *max_speed;
	uint8_t secondary, subordinate; /* bridges */
	bool bridge, link, hotplug, slot, soft_reset, vf, ras_des, dllps, spare;
	const char *slot_has; /* words */
	unsigned slot_number;
	unsigned core_clk_ps, aux_clk_ps; /* with ras_des, as the next two lines */
	bool l1_aux_is_9, other_lanes_read_0, loses_counts, narrow_counters_stay, selected_anew, time_is_narrow;
	const char *lacks_events; /* words */
	uint16_t sicl, core;
	uint32_t range_lower, range_upper; /* PTT; the range by pv_topology_check() ... */
	const char *first, *last;	   /* ... from these names */
	const char *so;			   /* PTT: what SO holds */
	const char *time;		   /* PTT: what Time counts */
	bool rubbish;			   /* PTT: in what it has not written */
	unsigned held;			   /* PTT: records written as it comes to rest */
	bool ari;			   /* endpoints */
	struct pv_topology_cpmu *cpmus;
	struct pv_topology_config *config;
};

struct pv_plan_topology {
	const char *iommu;
	bool port_pm; /* the system may suspend ports */
	unsigned cpus;
	unsigned numa_nodes;		/* 0: no function has one; by pv_topology_check() */
	struct pv_topology_node *nodes; /* parents come before children */
	unsigned n;
	const struct pv_xml *source; /* the <topology> that it was made from ... */
	const char *const *pmus;     /* names that they may have, ended by NULL; of pv_topology_name_pmus() */
	bool literal;		     /* ... without a parameter in it: the same for every case */
	json_object *json;	     /* of pv_topology_json() */
	struct pv_plan_topology *next;
};

/* Files with topologies that were read before, by path. */
struct pv_topology_file {
	const char *path;
	struct pv_xml *root;
	struct pv_topology_file *next;
};

struct pv_topology_env {
	struct pv_problems *problems;
	struct pv_arena *arena;
	struct pv_topology_file **files;
};

/* Builds and checks. NULL: reported. */
struct pv_plan_topology *pv_topology_build(const struct pv_topology_env *env, const struct pv_xml *x,
					   const struct pv_scope *scope);
/* Device by name or BDF; NULL: none. Spares included. */
const struct pv_topology_node *pv_topology_find(const struct pv_plan_topology *t, const char *ref);
const char *pv_topology_candidate(const void *topology, size_t i); /* names, for pv_did_you_mean() */
const char *pv_topology_port_candidate(const void *topology, size_t i);
/* Reads [dddd:]bb:dd.f. */
bool pv_topology_bdf(const char *s, uint32_t *bdf);
/* Writes it: with the domain where that is not 0. */
struct pv_topology_place {
	char s[16];
};
struct pv_topology_place pv_topology_place(uint32_t bdf);
static inline unsigned pv_topology_bus(const struct pv_topology_node *n)
{
	return n->bdf >> 8 & 0xff;
}
static inline unsigned pv_topology_domain(const struct pv_topology_node *n)
{
	return n->bdf >> 16;
}
/* Fills in `pmus`. False: no memory. */
bool pv_topology_name_pmus(struct pv_plan_topology *t, struct pv_arena *arena);
/* The JSON for the agent, owned by the topology. NULL: no memory. */
json_object *pv_topology_json(struct pv_plan_topology *t);

#endif
