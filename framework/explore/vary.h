/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases made of cases of the corpus. A variation is a script: steps that the rehearsal is given one by one, before more
 * are drawn. Steps that do not fit what exists by then are left out.
 */
#ifndef PV_EXPLORE_VARY_H
#define PV_EXPLORE_VARY_H

#include "framework/explore/corpus.h"
#include "framework/explore/explore_internal.h"

/*
 * Makes a script and a machine for case number `index`: the beginning of a case; two cases, one behind the other; a
 * case without some steps, with steps repeated, or with arguments of other cases. Returns false if the corpus has no
 * case for these subjects and this target.
 */
bool pv_vary(struct pv_drawing *g, const struct pv_corpus *k, uint64_t index, unsigned subjects);
/* Appends the next step of the script that fits. Returns false at its end. */
bool pv_vary_next(struct pv_drawing *g);

#endif
