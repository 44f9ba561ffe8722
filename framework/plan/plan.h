/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Test plans: loading, checking, parameters and matrices. A loaded case is complete and literal: all
 * parameters are substituted, all references resolved.
 */
#ifndef PV_PLAN_PLAN_H
#define PV_PLAN_PLAN_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "framework/topology/topology.h"
#include "framework/util/error.h"

struct pv_plan;

struct pv_case {
	const struct pv_plan *plan; /* the plan that owns it */
	const char *plan_name;	    /* "ptt-tune" */
	const char *file;	    /* the path as given */
	int line;
	const char *base;	     /* name without parameters: "set" */
	const char *name;	     /* unique in its plan: "set[level=2]" */
	const char *const *formerly; /* names that it had; NULL-terminated, and NULL in a case that was not loaded */
	const char *const *verifies; /* requirement ids, NULL-terminated */
	const char *const *tags;
	const char *const *targets;
	unsigned timeout_s;
	uint64_t seed;
	unsigned steps;	  /* number of steps */
	const char *skip; /* reason not to run the case; NULL: none */
};

/*
 * Returns the case message for the agent (docs/protocol.md): {"plan","case","file","line","seed","timeout_s",
 * "topology","steps","deviations"}. It is built on first use; the plan owns it. NULL: no memory.
 */
json_object *pv_case_json(const struct pv_case *c);

/* Returns the machine of a case, which several cases can share; the plan owns it. NULL: it has no functions. */
const struct pv_topology *pv_case_topology(const struct pv_case *c);

struct pv_plans {
	size_t n_plans, n_cases;
	struct pv_plan **plans;
	struct pv_case **cases; /* in the order of files, then of the plan */
};

struct pv_plan_options {
	const char *seed;   /* NULL: the seeds of the plans */
	unsigned max_cases; /* maximum number of cases of one plan; 0: 10000 */
};

/*
 * Loads plans. Calls `report` once for each problem, with a text that begins with FILE:LINE:. 0; -EINVAL: at least one
 * problem; -ENOMEM.
 */
int pv_plans_load(const char *const *paths, size_t n, const struct pv_plan_options *opt,
		  void (*report)(void *ctx, const struct pv_error *e), void *ctx, struct pv_plans **out);
void pv_plans_free(struct pv_plans *p);

const char *pv_plan_text(const struct pv_plan *p); /* its <description> */

/*
 * Returns true if the step can fail because of the driver: it is a check, or has an expectation. A case needs such a
 * step. get() returns an attribute of `step`; NULL: it has none of that name.
 */
bool pv_step_proves(const char *kind, const char *(*get)(const void *step, const char *attr), const void *step);

struct pv_case_list;

/* A selection of cases: all conditions that are set must hold. Globs as fnmatch(3). NULL or empty: no condition. */
struct pv_selection {
	const char *const *names;	 /* globs for "plan/case", "plan/base", "case" and "base" */
	const char *const *tags;	 /* "smoke", "!slow" */
	const char *const *requirements; /* globs for requirement ids */
	const char *target;
	const char *const *excludes;	   /* globs as in `names`; matches are excluded */
	const struct pv_case_list *listed; /* only cases in this list */
};
bool pv_case_selected(const struct pv_case *c, const struct pv_selection *s);
/*
 * Reports each value of names, tags and requirements, and each line of the list, that matches no case of the target:
 * "name: 'x' matches none of ...". It is probably a typo. "!TAG" is never reported. Returns the number of reports.
 */
size_t pv_selection_unmatched(const struct pv_selection *s, const struct pv_plans *plans,
			      void (*report)(void *ctx, const char *text), void *ctx);

/*
 * Reads a list of cases from a file ("-": standard input): one PLAN/CASE per line, as `pcieval list` prints them, and
 * comments after #. 0, or -errno with the file in *e.
 */
int pv_case_list_read(const char *path, struct pv_case_list **out, struct pv_error *e);
void pv_case_list_free(struct pv_case_list *l);

#endif
