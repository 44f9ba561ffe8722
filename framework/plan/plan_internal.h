/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of a loaded plan, for this folder only: templates (unexpanded cases) and the state of loading. */
#ifndef PV_PLAN_PLAN_INTERNAL_H
#define PV_PLAN_PLAN_INTERNAL_H

#include <sys/types.h>

#include "framework/plan/params.h"
#include "framework/plan/plan.h"
#include "framework/plan/topology.h"
#include "framework/plan/xml.h"
#include "framework/schema/schema.h"

#define PV_CASE_MAX_STEPS 10000u
#define PV_PLAN_MAX_STEPS 1000000u /* in all cases of a plan */
#define PV_USE_MAX_DEPTH  8u
#define PV_FORMER_MAX	  64u /* names of a case, present and former */

struct pv_template {
	const struct pv_xml *x;	     /* <case> */
	const struct pv_xml **steps; /* steps after resolving <use> */
	unsigned n_steps;
	struct pv_xml *topology; /* the case's own or the plan's; NULL: none */
	struct pv_matrix matrix;
	struct pv_binding *fixed; /* parameters of plan and case, in order */
	unsigned n_fixed;
	const char *const *verifies, *const *tags, *const *targets, *const *formerly;
};

struct pv_case_impl {
	struct pv_case pub; /* first member */
	struct pv_plan *owner;
	const struct pv_template *template;
	struct pv_scope scope;
	struct pv_plan_topology *topology; /* NULL: none */
	json_object *json;
};

struct pv_plan {
	const char *name, *file, *text;
	dev_t device; /* of the file */
	ino_t inode;  /* 0: unknown */
	struct pv_arena arena;
	struct pv_plan_topology *topologies; /* the newest first */
};

/* State while files are loaded. */
struct pv_loading {
	struct pv_problems *problems;
	const struct pv_plan_options *opt;
	struct pv_plans *out;
	size_t room;	    /* capacity of out->cases */
	size_t total_steps; /* number of steps in the current plan */
	uint64_t total_cases;
};

/* State while one file is read. */
struct pv_reading {
	struct pv_loading *l;
	struct pv_plan *plan;
	struct pv_xml *root;
	struct pv_problems *p;
	struct pv_topology_file *files;
	struct pv_param **params; /* all parameters, as each must be used */
	size_t n_params, room;
	struct pv_binding *fixed; /* the plan's parameters ... */
	unsigned n_fixed;
	struct pv_matrix matrix; /* ... and its matrix */
	bool whole;		 /* no invalid part was left out; only then unused parts are reported */
};

/* Resolves a template's steps (steps.c). False: a problem was reported. */
bool pv_steps_flatten(struct pv_loading *l, struct pv_plan *plan, const struct pv_xml *root, struct pv_template *t);
/* Returns the only driver that a step is for (steps.c). NULL: all drivers. */
const char *pv_step_driver(const struct pv_xml *step);
/* Returns true if the steps check something (check.c). */
bool pv_steps_prove(const struct pv_template *t);
/* Checks one case after substitution: values, devices, ids (check.c). */
void pv_case_check(struct pv_loading *l, struct pv_case_impl *c);

/* Sets name and formerly of a case of combination k. -E2BIG: more than PV_FORMER_MAX names; -ENOMEM. */
int pv_case_set_names(const struct pv_template *t, uint64_t k, struct pv_arena *a, struct pv_case *out);
/* Reports cases of a plan that have, or had, the same name. */
void pv_cases_check_names(struct pv_case *const *cases, size_t n, struct pv_problems *p);

/* Makes cases from a <case> (cases.c). */
void pv_case_read(struct pv_reading *r, struct pv_xml *x);
/* Adds the <param>s of x to a template, and records that they must be used. */
void pv_params_read(struct pv_reading *r, const struct pv_xml *x, struct pv_template *t);
void pv_param_remember(struct pv_reading *r, struct pv_param *param);
/* Returns the only child with this name; reports a second one. */
struct pv_xml *pv_only(struct pv_reading *r, const struct pv_xml *x, const char *name);

#endif
