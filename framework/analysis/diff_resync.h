/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the comparison: two traces into step again after a difference that is larger than what the alignment
 * looks at. Runs of records are looked up by hash: in the windows, and, where there is nothing, in all that comes
 * after the window of one, which a second reader of it runs through.
 */
#ifndef PV_ANALYSIS_DIFF_RESYNC_H
#define PV_ANALYSIS_DIFF_RESYNC_H

#include "framework/analysis/diff_input.h"
#include "framework/util/align.h"

struct pv_diff_resync {
	uint32_t *places; /* by hash of a run: its place in a window, from 1; NULL: not needed so far */
	uint64_t hashes;  /* of places; power of two */
	uint64_t scans,
		beyond; /* searches of the windows, and of the traces, done; see diff_resync.c for how they count */
};

void pv_diff_resync_close(struct pv_diff_resync *f);
/*
 * Where the two are in step again, with the fewest records passed over; false: not found, and *step passes over what
 * need not be looked at again.
 */
bool pv_diff_resync(struct pv_diff_resync *f, struct pv_diff_input *a, struct pv_diff_input *b,
		    const struct pv_diff_options *o, struct pv_align_step *step);

#endif
