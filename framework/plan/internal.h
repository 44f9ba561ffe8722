/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of a loaded plan, for this folder only: templates (cases as written), the parameters of each combination,
 * and topologies.
 */
#ifndef PV_PLAN_INTERNAL_H
#define PV_PLAN_INTERNAL_H

#include "framework/plan/plan.h"
#include "framework/plan/topology.h"
#include "framework/plan/xml.h"
#include "framework/schema/schema.h"

#define PV_PLAN_MAX_CASES  10000u
#define PV_CASE_MAX_STEPS  10000u
#define PV_PLAN_MAX_STEPS  1000000u /* over all its cases */
#define PV_USE_MAX_DEPTH   8u
#define PV_VALUE_MAX_BYTES 4096u /* of an attribute after substitution */

/* ---- parameters (params.c) ---- */

struct pv_param {
	const char *name;
	const struct pv_xml *at;
	bool used;
};

struct pv_binding {
	struct pv_param *param; /* NULL: built in */
	const char *name, *value;
};

/* The parameters of one case; later ones hide earlier ones. */
struct pv_scope {
	struct pv_binding *bindings;
	unsigned n;
	const char *where; /* the case's name, for messages; NULL: none yet */
};

/* One dimension of a matrix: rows of values for one or more parameters. */
struct pv_plan_axis {
	unsigned n_columns, n_rows;
	struct pv_param *columns;
	const char **cells; /* row by row */
	struct pv_plan_axis *next;
};

struct pv_plan_exclude {
	unsigned n;
	const char **names, **values;
	const struct pv_xml *at;
	bool used; /* some combination was left out */
	struct pv_plan_exclude *next;
};

struct pv_matrix {
	struct pv_plan_axis *axes;
	struct pv_plan_exclude *excludes;
	unsigned n_columns;
};

/* Replaces ${...} in a value. False: a problem was reported, unless `p` is NULL (it was reported before). */
bool pv_substitute(const struct pv_scope *s, const char *text, const struct pv_xml *x, const char *attr,
		   struct pv_arena *a, struct pv_problems *p, const char **out);
/* Appends <matrix> to m. `fixed`: the parameters that its values may refer to. */
void pv_matrix_read(struct pv_matrix *m, const struct pv_xml *x, const struct pv_scope *fixed, struct pv_arena *a,
		    struct pv_problems *p);
/* Returns the number of combinations, including excluded ones; UINT64_MAX: overflow. */
uint64_t pv_matrix_count(const struct pv_matrix *m);
/* Fills the bindings (n_columns of them) of combination `k`. False: it is excluded. */
bool pv_matrix_combination(struct pv_matrix *m, uint64_t k, struct pv_binding *out);

/* ---- plans ---- */

struct pv_template {
	const struct pv_xml *x;	     /* <case> */
	const struct pv_xml **steps; /* <use> resolved */
	unsigned n_steps;
	struct pv_xml *topology; /* its own or the plan's, or NULL */
	struct pv_matrix matrix;
	struct pv_binding *fixed; /* plan's and case's parameters, in order */
	unsigned n_fixed;
	const char *const *verifies, *const *tags, *const *targets;
};

struct pv_case_impl {
	struct pv_case pub; /* first */
	struct pv_plan *owner;
	const struct pv_template *template;
	struct pv_scope scope;
	struct pv_plan_topology *topology; /* NULL: none */
	json_object *json;
};

struct pv_plan {
	const char *name, *file, *text;
	struct pv_arena arena;
	struct pv_plan_topology *literal, *others; /* topologies without parameters, shared by cases, and the others */
};

/* State while files are loaded. */
struct pv_loading {
	struct pv_problems *problems;
	const struct pv_plan_options *opt;
	struct pv_plans *out;
	size_t room;	    /* of out->cases */
	size_t total_steps; /* of the current plan */
	uint64_t total_cases;
};

/* State while one file is read. */
struct pv_reading {
	struct pv_loading *l;
	struct pv_plan *plan;
	struct pv_xml *root;
	struct pv_problems *p;
	struct pv_topology_file *files;
	struct pv_param **params; /* every one that must be used */
	size_t n_params, room;
	struct pv_binding *fixed; /* the plan's parameters ... */
	unsigned n_fixed;
	struct pv_matrix matrix; /* ... and its matrix */
	bool whole;		 /* no bad part was left out: only then are unused parts reported */
};

/* Resolves a template's steps (steps.c). False: reported. */
bool pv_steps_flatten(struct pv_loading *l, struct pv_plan *plan, const struct pv_xml *root, struct pv_template *t);
/* The driver that a step is for (steps.c). NULL: all of them. */
const char *pv_step_driver(const struct pv_xml *step);
/* Returns true if the steps check something (check.c). */
bool pv_steps_prove(const struct pv_template *t);
/* Judges one case after substitution: values, devices, ids (check.c). */
void pv_case_check(struct pv_loading *l, struct pv_case_impl *c);

/* Reads a <case> into cases (cases.c). */
void pv_case_read(struct pv_reading *r, struct pv_xml *x);
/* Adds the <param> of x to a template, and records that they must be used. */
void pv_params_read(struct pv_reading *r, const struct pv_xml *x, struct pv_template *t);
void pv_param_remember(struct pv_reading *r, struct pv_param *param);
/* Returns the only child with this name; reports a second one. */
struct pv_xml *pv_only(struct pv_reading *r, const struct pv_xml *x, const char *name);

/* Splits an attribute into words, ended by NULL. */
const char *const *pv_words(struct pv_arena *a, const char *text);

#endif
