/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the files with the tables. */
#ifndef PV_SCHEMA_SCHEMA_INTERNAL_H
#define PV_SCHEMA_SCHEMA_INTERNAL_H

#include "framework/schema/schema.h"

#define TYPE(id)   &pv_types[PV_TYPE_##id]
#define RULES(...) ((const struct pv_rule_decl[]){__VA_ARGS__, {PV_RULE_NONE}})

extern const struct pv_element_decl pv_elements_plan[], pv_elements_topology[], pv_elements_steps[],
	pv_elements_checks[], pv_elements_board[];

#endif
