/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The needs of a case: the functions of its topology that its steps name (roles), with the bridges above them. On a
 * real machine other functions of the topology are not required, unless a step depends on all of them.
 */
#ifndef PV_BOARD_NEEDS_H
#define PV_BOARD_NEEDS_H

#include <json-c/json.h>

#include "framework/topology/topology.h"
#include "framework/util/error.h"

enum { PV_NEEDS_EVENTS_MAX = 64 };

/* The needs of a case of one function. */
struct pv_role_needs {
	bool needed;
	bool pmu;	    /* its PMU, by name */
	unsigned cpmus;	    /* that many CPMUs */
	bool occupied;	    /* a port with a link: a device is below it */
	bool sends, takes;  /* a workload's data: the description has a command */
	const char *hidden; /* what only registers of its CPMUs show; NULL: nothing. A description can vouch for it */
};

/* An event of a CXL PMU that the case opens. */
struct pv_event_need {
	size_t node; /* index into nodes[] */
	unsigned cpmu;
	char name[48];
	char id[32]; /* of its counter, while it is open; "": closed */
};

struct pv_needs {
	const struct pv_topology *plan;
	struct pv_role_needs *role; /* of each function of the plan */
	struct pv_event_need event[PV_NEEDS_EVENTS_MAX];
	size_t n_events;
	unsigned lanes;	 /* of Root Ports whose PMUs the case uses; 0: any number */
	bool all_lanes;	 /* exactly the plan's: a step expects an event of another lane to be refused */
	char exact[160]; /* why the case needs the whole topology, at its places; "": it does not */
};

/*
 * Computes what steps ("steps" of a case message) need. Anything of unknown effect makes the case exact. The needs
 * refer to `plan`. 0 or -ENOMEM; free either way.
 */
int pv_needs_read(const struct pv_topology *plan, json_object *steps, struct pv_needs *out, struct pv_error *e);
void pv_needs_free(struct pv_needs *n);

/* Parses the name of a PTT's or a CXL PMU. Returns its length (of a CXL PMU up to the dot); 0: it is none. */
size_t pv_needs_ptt(const char *name, unsigned *sicl, unsigned *core);
size_t pv_needs_cxl(const char *name, unsigned *mem, unsigned *cpmu);
/* Returns the index of the memory device that a plan's `cxl_pmu_memN` means; plan->n: none. */
size_t pv_needs_mem(const struct pv_topology *plan, unsigned mem);
/* Returns true if the plan's PTT serves this Root Port or function. */
bool pv_needs_serves(const struct pv_topo_node *ptt, const struct pv_topo_node *node);

#endif
