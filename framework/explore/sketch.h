/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A case that ends the process that draws it. */
#ifndef PV_EXPLORE_SKETCH_H
#define PV_EXPLORE_SKETCH_H

#include "framework/explore/explore.h"

/* Draws a case again in a child, and returns it as far as it came; the caller puts it. NULL: it did not begin. */
json_object *pv_explore_sketch(const struct pv_explore_wish *w, uint64_t index);

#endif
