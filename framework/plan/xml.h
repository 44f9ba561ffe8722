/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * XML files as light trees with line numbers. Input may be hostile: a DOCTYPE is refused, so no entity is expanded or
 * fetched; sizes, depth and counts are bounded.
 */
#ifndef PV_PLAN_XML_H
#define PV_PLAN_XML_H

#include <string.h>

#include "framework/plan/problem.h"
#include "framework/util/arena.h"

#define PV_XML_MAX_BYTES ((size_t)16 << 20)
#define PV_XML_MAX_DEPTH 32
#define PV_XML_MAX_ATTRS 64

struct pv_attr_decl;
struct pv_element_decl;
struct pv_schema;

struct pv_xml_attr {
	const char *name, *value;
	const struct pv_attr_decl *decl; /* set by pv_xml_check() */
};

struct pv_xml {
	const char *name; /* "case", or with its prefix: "xs:element" */
	const char *file;
	int line; /* line of its start tag */
	bool bad; /* the element, or one in it, violates the schema */
	unsigned n_attrs;
	struct pv_xml_attr *attrs;
	const char *text; /* of an element without children; never NULL */
	struct pv_xml *parent, *first, *last, *next;
	const struct pv_element_decl *decl;
};

/*
 * Parses a file. The arena owns the tree. NULL: problems were reported (or p->no_memory). `file` is kept by reference.
 */
struct pv_xml *pv_xml_read(const char *file, struct pv_arena *a, struct pv_problems *p);

/* Like !strcmp(), but faster for names, as most differ in their first character. */
static inline bool pv_xml_same(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

const char *pv_xml_get(const struct pv_xml *x, const char *attr); /* NULL: absent */
/* First child or next sibling named `name`. */
struct pv_xml *pv_xml_child(const struct pv_xml *x, const char *name);
struct pv_xml *pv_xml_sibling(const struct pv_xml *x, const char *name);
unsigned pv_xml_count(const struct pv_xml *x, const char *name); /* number of children with that name */
#define pv_xml_foreach(c, x)	      for (struct pv_xml *c = (x)->first; c; c = c->next)
#define pv_xml_foreach_named(c, x, n) for (struct pv_xml *c = pv_xml_child(x, n); c; c = pv_xml_sibling(c, n))

/*
 * Checks a tree, whose root must be <name>, against a schema: elements, attributes, literal values, rules. Sets the
 * decl members, and `bad` of invalid elements and of all elements around them.
 */
void pv_xml_check(struct pv_xml *root, const struct pv_schema *s, const char *name, struct pv_problems *p);
/*
 * Returns true if the attribute accepts the value. Otherwise reports it: "<traffic> count: expected a number..., got
 * 'x'". For enumerations the report lists the choices and suggests the nearest.
 */
bool pv_xml_check_value(const struct pv_xml *x, const struct pv_attr_decl *a, const char *value, const char *where,
			struct pv_problems *p);

#endif
