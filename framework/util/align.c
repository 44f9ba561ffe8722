/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Brings two sequences of records back into step: see align.h. */
#include "framework/util/align.h"

bool pv_align_in_step(const struct pv_align *a, uint64_t x, uint64_t y)
{
	for (unsigned k = 0; k < a->run; k++) {
		enum pv_align_result r = a->compare(a->ctx, x + k, y + k);

		if (r == PV_ALIGN_END)
			return k;
		if (r != PV_ALIGN_SAME)
			return r == PV_ALIGN_ENDS_WELL;
	}
	return true;
}

bool pv_align_near(const struct pv_align *a, struct pv_align_step *step)
{
	for (unsigned d = 1; d <= PV_ALIGN_LOOK; d++) {
		for (unsigned m = 0; m <= d; m++) {
			if (pv_align_in_step(a, d, m)) {
				*step = (struct pv_align_step){d, m};
				return true;
			}
			if (m < d && pv_align_in_step(a, m, d)) {
				*step = (struct pv_align_step){m, d};
				return true;
			}
		}
	}
	return false;
}
