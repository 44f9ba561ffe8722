/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers by their names and the fields that make a state. */
#ifndef PV_EXPLORE_FIELDS_H
#define PV_EXPLORE_FIELDS_H

#include "framework/target/hw.h"

struct pv_reg_fields {
	char name[40];
	uint64_t hash; /* of the name */
	uint64_t mask; /* of the fields; 0: only whether the value is 0, all ones or another counts */
	/* The name and the fields by which accesses in a row are told apart; NULL: such accesses make no state. */
	const char *order;
	uint64_t order_mask;
};

/* Finds out which register it is. */
void pv_reg_fields_of(const struct pv_hw *hw, struct pv_hw_config *config, const struct pv_reg_access *a,
		      struct pv_reg_fields *out);
/* Returns the value as far as it makes a state. */
uint64_t pv_reg_fields_value(const struct pv_reg_fields *r, const struct pv_reg_access *a);

#endif
