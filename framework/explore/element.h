/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases as trees of JSON, which are easy to copy, to vary and to cut. An element is {"kind", "attrs": {NAME: TEXT},
 * "children": [ELEMENT]}; a step has the form that the case message gives it (docs/protocol.md).
 *
 * A case is {"name", "description", "seed", "topology": ELEMENT, "steps": [STEP]}.
 */
#ifndef PV_EXPLORE_ELEMENT_H
#define PV_EXPLORE_ELEMENT_H

#include <stdio.h>

#include "framework/util/json.h"

/* Returns an element without attributes. NULL: no memory. */
json_object *pv_element_new(const char *kind);
/* Adds an element to the children of another, and returns it. */
json_object *pv_element_child(json_object *parent, const char *kind);
/* Adds a step to a list, and returns it. */
json_object *pv_element_append(json_object *list, const char *kind);
/* Sets an attribute. */
void pv_element_set(json_object *x, const char *attr, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Returns an attribute; NULL: it has no such attribute. */
const char *pv_element_get(json_object *x, const char *attr);
const char *pv_element_kind(json_object *x);

/* Writes cases as a plan that `pcieval run` takes. */
struct pv_explore_plan {
	const char *name, *description;
	json_object *const *cases;
	size_t n;
};
void pv_explore_plan_print(FILE *f, const struct pv_explore_plan *plan);

#endif
