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

/* The needs of a case regarding one function. */
struct pv_role_needs {
	bool needed;
	bool pmu;	    /* its PMU, which a step names */
	unsigned cpmus;	    /* number of CPMUs */
	bool occupied;	    /* a port with an active link: a device is below it */
	bool sends, takes;  /* the direction of workload data: the description must have a command */
	const char *hidden; /* a need that only registers of its CPMUs show; NULL: none. A description can vouch */
};

/* An event of a CXL PMU that the case opens. */
struct pv_event_need {
	size_t node; /* index into nodes[] */
	unsigned cpmu;
	char name[48];
	char id[32]; /* id of its counter, while it is open; "": closed */
};

struct pv_needs {
	const struct pv_topology *plan;
	struct pv_role_needs *role; /* one for each function of the plan */
	struct pv_event_need event[PV_NEEDS_EVENTS_MAX];
	size_t n_events;
	unsigned lanes;	 /* lanes of Root Ports whose PMUs the case uses; 0: any number */
	bool all_lanes;	 /* exactly the plan's lanes: a step expects an event of another lane to be refused */
	char exact[160]; /* reason why the case needs the whole topology at its places; "": it does not */
};

/*
 * Computes the needs of steps ("steps" of a case message). A step of unknown effect makes the case exact. The needs
 * refer to `plan`. 0 or -ENOMEM; free it either way.
 */
int pv_needs_read(const struct pv_topology *plan, json_object *steps, struct pv_needs *out, struct pv_error *e);
void pv_needs_free(struct pv_needs *n);

/* Parse the name of a PTT's or a CXL PMU. Return its length (of a CXL PMU up to the dot); 0: it is none. */
size_t pv_needs_ptt(const char *name, unsigned *sicl, unsigned *core);
size_t pv_needs_cxl(const char *name, unsigned *mem, unsigned *cpmu);
/* Returns the index of the memory device with the PMU `cxl_pmu_memN` in a plan; plan->n: none. */
size_t pv_needs_mem(const struct pv_topology *plan, unsigned mem);
/* Returns true if the plan's PTT serves this Root Port or function. */
bool pv_needs_serves(const struct pv_topo_node *ptt, const struct pv_topo_node *node);

#endif
