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

enum { PV_NEEDS_EVENTS_MAX = 64, PV_NEEDS_FOREIGN_MAX = 8, PV_NEEDS_CPMUS_MAX = 32 };

/* The needs of a case regarding one function. */
struct pv_role_needs {
	bool needed;
	bool named;	    /* a step names it; otherwise it is only above one that is named */
	bool wanted;	    /* an optional step names it, or it is above one that is named */
	bool pmu;	    /* its PMU, which a step names */
	uint32_t cpmus;	    /* CPMUs, a bit for each number */
	bool numbered;	    /* the numbers of its CPMUs matter */
	bool occupied;	    /* a port with an active link: a device is below it */
	unsigned lanes;	    /* the fewest lanes of a port; 0: any number */
	unsigned most;	    /* the most: a step expects the next one to be refused; 0: any number */
	bool mrrs;	    /* its MRRS is one that a step has set */
	bool sends, takes;  /* the direction of workload data: the description must have a command */
	const char *hidden; /* a need that only registers of its CPMUs show; NULL: none. A description can vouch */
};

/* An event of a CXL PMU that the case opens. */
struct pv_event_need {
	size_t node; /* index into nodes[] */
	unsigned cpmu;
	char name[48];
	char id[32]; /* id of its counter, while it is open; "": closed */
	bool absent; /* the CPMU must lack it, as the step is refused for that */
};

/* A filter by number that a step expects to be refused, as it selects no function of the plan. */
struct pv_filter_need {
	size_t node; /* the PTT: index into nodes[] */
	uint64_t filter;
};

struct pv_needs {
	const struct pv_topology *plan;
	struct pv_role_needs *role; /* one for each function of the plan */
	struct pv_event_need event[PV_NEEDS_EVENTS_MAX];
	size_t n_events;
	struct pv_filter_need foreign[PV_NEEDS_FOREIGN_MAX];
	size_t n_foreign;
	char exact[160]; /* reason why the case needs the whole topology at its places; "": it does not */
};

/*
 * Computes the needs of steps ("steps" of a case message). A step of unknown effect makes the case exact. The needs
 * refer to `plan`. 0 or -ENOMEM; free it either way.
 */
int pv_needs_read(const struct pv_topology *plan, json_object *steps, struct pv_needs *out, struct pv_error *e);
void pv_needs_free(struct pv_needs *n);
/* Returns true for a step that may be left out. */
bool pv_needs_is_optional(json_object *step);
/* Computes the needs of one optional step, as if it were a case. 0 or -ENOMEM; free it either way. */
int pv_needs_read_optional(const struct pv_topology *plan, json_object *step, struct pv_needs *out);

/* Parse the name of a PTT's or a CXL PMU. Return its length (of a CXL PMU up to the dot); 0: it is none. */
size_t pv_needs_ptt(const char *name, unsigned *sicl, unsigned *core);
size_t pv_needs_cxl(const char *name, unsigned *mem, unsigned *cpmu);
/* Returns the index of the plan's PTT whose PMU has this name, whatever follows it; plan->n: none. */
size_t pv_needs_find_ptt(const struct pv_topology *plan, const char *pmu);

/* A filter by number in the event of a PTT: "filter=0x80001". */
struct pv_needs_filter {
	const char *number, *pmu; /* in the text; the name of the PMU may be the one that was given */
	size_t len;		  /* characters of the number */
	uint64_t value;
};

/*
 * Finds the next filter by number in the text of events. `pmu` is the PMU until the text names another one, as perf
 * does ("hisi_ptt0_0/filter=0x80001/"); NULL: none. *at moves behind it. False: there is none.
 */
bool pv_needs_next_filter(const char *text, const char *pmu, const char **at, struct pv_needs_filter *out);
/* The bits of a PTT's config that are its filter. */
#define PV_NEEDS_FILTER_MASK 0xfffffu
/* Returns true if a filter by number selects anything else than functions of the plan that its PTT serves. */
bool pv_needs_is_foreign(const struct pv_topology *plan, const struct pv_topo_node *ptt, uint64_t filter);
/* Returns the index of the memory device with the PMU `cxl_pmu_memN` in a plan; plan->n: none. */
size_t pv_needs_mem(const struct pv_topology *plan, unsigned mem);
/* Returns true if the plan's PTT serves this Root Port or function. */
bool pv_needs_serves(const struct pv_topo_node *ptt, const struct pv_topo_node *node);

#endif
