/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of requirements. */
#include <stddef.h>

#include "framework/plan/plan.h"

#define X(id, needs, text, reason) {id, text, PV_NEEDS_##needs, reason},
const struct pv_requirement pv_requirements[] = {
#include "framework/plan/requirements.def"
	{NULL, NULL, PV_NEEDS_MODEL, NULL},
};
#undef X
