/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The topology of a plan, read from XML. Bus numbers are assigned depth first, like firmware does. */
#ifndef PV_PLAN_TOPOLOGY_H
#define PV_PLAN_TOPOLOGY_H

#include <json-c/json.h>
#include <stdint.h>

#include "framework/plan/xml.h"
#include "framework/topology/topology.h"

#define PV_TOPOLOGY_MAX_NODES	1024u
#define PV_TOPOLOGY_MAX_DOMAINS 16u /* limit of the models */

struct pv_scope;

/* The element of a function in the plan. */
struct pv_node_source {
	const struct pv_xml *x;
	const char *first, *last; /* PTT: names of its first and last Root Port; pv_topology_check() sets the range */
};

/* An attribute with parameters, and its value. */
struct pv_substituted {
	const char *text, *value;
	struct pv_substituted *next;
};

struct pv_plan_topology {
	struct pv_topology machine;  /* in the plan's arena; parents come before children */
	struct pv_node_source *from; /* one for each function */
	const struct pv_xml *source; /* its <topology> */
	const char *const *pmus; /* possible names of its PMUs, terminated by NULL; set by pv_topology_name_pmus() */
	struct pv_substituted *substituted; /* its attributes with parameters */
	json_object *json;		    /* for the agent, built on first use */
	struct pv_plan_topology *next;
};

/* Cache of topology files, by path. */
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

/* Builds and checks a topology. NULL: problems were reported. */
struct pv_plan_topology *pv_topology_build(const struct pv_topology_env *env, const struct pv_xml *x,
					   const struct pv_scope *scope);
/* Returns true if pv_topology_build() would give the same for `x` and `scope`. */
bool pv_topology_is_same(const struct pv_plan_topology *t, const struct pv_xml *x, const struct pv_scope *scope);
/*
 * Checks rules across functions, and sets the port range of each PTT, which depends on other nodes. False: problems
 * were reported.
 */
bool pv_topology_check(struct pv_plan_topology *t, struct pv_problems *p, const char *where);
const char *pv_topology_candidate(const void *topology, size_t i); /* names, for pv_did_you_mean() */
const char *pv_topology_port_candidate(const void *topology, size_t i);
/* Sets `pmus`. False: no memory. */
bool pv_topology_name_pmus(struct pv_plan_topology *t, struct pv_arena *arena);

#endif
