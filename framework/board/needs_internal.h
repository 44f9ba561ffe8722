/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the files that read the needs of a case. */
#ifndef PV_BOARD_NEEDS_INTERNAL_H
#define PV_BOARD_NEEDS_INTERNAL_H

#include "framework/board/needs.h"
#include "framework/schema/schema.h"

/* Makes the case exact, with the reason "STEP: WHY". The first reason stays. */
void pv_needs_set_exact(struct pv_needs *n, const char *step, const char *why);
/* Makes the case exact if a step of this kind depends on other functions than those that it names. */
void pv_needs_read_exact(struct pv_needs *n, const char *step, json_object *attrs);
/* Needs a function that a step names, with the bridges above it. */
void pv_needs_node(struct pv_needs *n, const struct pv_topo_node *node, const char *step);
/* Reads a reference: the name of a function, "cpu", "memory", or a number. */
void pv_needs_ref(struct pv_needs *n, const struct pv_attr_decl *a, const char *value, const char *step);
/* Reads the attribute `filter` of a PTT's step: names of functions, or a number. */
void pv_needs_filter(struct pv_needs *n, json_object *attrs, const char *value, const char *step);
/* Reads the filters by number of a step's events. */
void pv_needs_filters(struct pv_needs *n, json_object *attrs, const char *step);
/* Reads the events that a step opens on a CXL PMU, and those that counter-close and perf-end close. */
void pv_needs_read_cxl(struct pv_needs *n, const char *step, json_object *attrs);
void pv_needs_read_close(struct pv_needs *n, json_object *attrs);

#endif
