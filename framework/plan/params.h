/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters of cases and the matrices that vary them. */
#ifndef PV_PLAN_PARAMS_H
#define PV_PLAN_PARAMS_H

#include "framework/plan/xml.h"

#define PV_PLAN_MAX_CASES 10000u

#define PV_VALUE_MAX_BYTES 4096u /* maximum size of an attribute after substitution */

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

/* The words that stand for a row in the names of cases. */
struct pv_row_name {
	const char *shown;	   /* its name, or "event=rdcurr" of its key; "": nothing */
	const char *all;	   /* all columns: "event=rdcurr,mask=0x2" */
	const char *const *former; /* what stood for it before; NULL-terminated */
	int line;
};

/* One dimension of a matrix: rows of values for one or more parameters. */
struct pv_plan_axis {
	unsigned n_columns, n_rows;
	struct pv_param *columns;
	const char **cells; /* row by row */
	struct pv_row_name *names;
	struct pv_plan_axis *next;
};

struct pv_plan_exclude {
	unsigned n;
	const char **names, **values;
	const struct pv_xml *at;
	bool used; /* it excluded some combination */
	struct pv_plan_exclude *next;
};

struct pv_matrix {
	struct pv_plan_axis *axes;
	struct pv_plan_exclude *excludes;
	unsigned n_columns;
};

/* Replaces ${...} in a value. False: a problem was reported, now or, if `p` is NULL, before. */
bool pv_substitute(const struct pv_scope *s, const char *text, const struct pv_xml *x, const char *attr,
		   struct pv_arena *a, struct pv_problems *p, const char **out);
/* Appends <matrix> to m. `fixed`: the parameters that its values may refer to. */
void pv_matrix_read(struct pv_matrix *m, const struct pv_xml *x, const struct pv_scope *fixed, struct pv_arena *a,
		    struct pv_problems *p);
/* Returns the number of combinations, including excluded ones; UINT64_MAX: overflow. */
uint64_t pv_matrix_count(const struct pv_matrix *m);
/* Fills the bindings (n_columns of them) of combination `k`. False: it is excluded. */
bool pv_matrix_combination(struct pv_matrix *m, uint64_t k, struct pv_binding *out);

/* Splits an attribute into words, terminated by NULL. */
const char *const *pv_words(struct pv_arena *a, const char *text);

#endif
