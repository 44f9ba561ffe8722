/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A case of a plan in the form of element.h: parameters substituted, sequences expanded. */
#ifndef PV_EXPLORE_IMPORT_H
#define PV_EXPLORE_IMPORT_H

#include "framework/plan/plan.h"

/* The caller puts it. NULL: *e. */
json_object *pv_explore_import(const struct pv_case *c, struct pv_error *e);

#endif
