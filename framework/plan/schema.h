/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schema of plans, read from the plan.xsd that is built in: what elements there are, their attributes,
 * types, defaults and documentation. Checks, messages, defaults and the reference are all made from it.
 */
#ifndef PV_PLAN_SCHEMA_H
#define PV_PLAN_SCHEMA_H

#include <regex.h>
#include <stdio.h>

#include "framework/plan/xml.h"

enum pv_type_form { PV_TYPE_ANY, PV_TYPE_PATTERN, PV_TYPE_ENUM, PV_TYPE_LIST };

struct pv_type {
	const char *name, *doc; /* doc: what is expected, ready for a message */
	enum pv_type_form form;
	bool parameters; /* the value may contain ${name} */
	const char *pattern;
	const char **values;   /* ENUM, ended by NULL */
	const char *item_name; /* LIST */
	struct pv_type *item;
	regex_t regex; /* of pattern, compiled at first use */
	bool compiled;
	struct pv_type *next;
};

struct pv_attr_decl {
	const char *name, *doc, *value; /* value: the default, or NULL */
	bool required;
	struct pv_type *type;
	struct pv_attr_decl *next;
};

enum pv_rule { PV_RULE_ONE_OF, PV_RULE_SOME_OF, PV_RULE_NOT_BOTH };
struct pv_rule_decl {
	enum pv_rule rule;
	const char *text;   /* "kind mix" */
	const char **attrs; /* ended by NULL */
	struct pv_rule_decl *next;
};

struct pv_child_decl {
	const struct pv_element_decl *element;
	struct pv_child_decl *next;
};

struct pv_element_decl {
	const char *name, *doc;
	bool step;	      /* of the group of steps */
	struct pv_type *text; /* has text, no elements; or NULL */
	struct pv_attr_decl *attrs;
	struct pv_child_decl *children;
	struct pv_rule_decl *rules;
	struct pv_element_decl *next;
};

struct pv_schema {
	struct pv_arena arena;
	struct pv_type *types;		  /* in the order of the file */
	struct pv_element_decl *elements; /* the global ones, in the order of the file */
};

extern const char pv_plan_xsd[]; /* plan.xsd */
extern const size_t pv_plan_xsd_bytes;

/* Reads a schema. NULL: reported (a mistake in the schema) or no memory. */
struct pv_schema *pv_schema_load(const char *xsd, size_t bytes, struct pv_problems *p);
void pv_schema_free(struct pv_schema *s);

const struct pv_element_decl *pv_schema_element(const struct pv_schema *s, const char *name);
const struct pv_attr_decl *pv_schema_attr(const struct pv_element_decl *e, const char *name);
struct pv_type *pv_schema_type(const struct pv_schema *s, const char *name);

/* Returns true if the literal value is valid for the type. Values with ${...} are not literal. */
bool pv_type_accepts(struct pv_type *t, const char *value);
/*
 * Reports a value that is not: "attribute count of <traffic>: expected a number..., got 'x'". For enumerations the
 * choice is listed and the nearest suggested. True: good.
 */
bool pv_type_check(struct pv_type *t, const char *value, const struct pv_xml *x, const char *attr, const char *where,
		   struct pv_problems *p);

/*
 * Checks a tree against a declaration: elements, attributes, literal values, rules. Fills the decl members and
 * marks what is bad, with all that is around it.
 */
void pv_schema_check(struct pv_schema *s, struct pv_xml *root, const char *element, struct pv_problems *p);

/* docs/plan-reference.md. */
void pv_schema_reference(const struct pv_schema *s, FILE *out);
/* Prints the steps with their attributes, as text for a terminal. */
void pv_schema_steps(const struct pv_schema *s, FILE *out);

#endif
