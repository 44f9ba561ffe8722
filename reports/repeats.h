/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases that were run several times: a group for each, with its verdicts. */
#ifndef PV_REPORTS_REPEATS_H
#define PV_REPORTS_REPEATS_H

#include "reports/groups.h"

/* Begin with {0}. A run without rounds has no groups. */
struct pv_repeats {
	struct pv_groups groups; /* by "plan/case", in the order of the run */
	char **keys;
	size_t n_keys;
	size_t least, most; /* how often a case ran */
};

void pv_repeats_make(struct pv_repeats *r, const struct pv_run_result *run);
void pv_repeats_free(struct pv_repeats *r);

/* Returns true if all runs of the case had the same verdict. */
bool pv_repeats_agree(const struct pv_group *g);

#endif
