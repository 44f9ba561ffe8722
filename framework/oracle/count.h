/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the counting oracles: validates a window and counts the clock cycles in it. Private to framework/oracle.
 */
#ifndef PV_ORACLE_COUNT_H
#define PV_ORACLE_COUNT_H

#include <errno.h>

#include "framework/oracle/oracle.h"

static inline int pv_count_check(const struct pv_ledger *l, const struct pv_window *win)
{
	const struct pv_wire_file *h = pv_ledger_head(l);

	if (pv_ledger_error(l))
		return pv_ledger_error(l);
	if (win->outer_first > win->inner_first || win->inner_first > win->inner_last ||
	    win->inner_last > win->outer_last || win->outer_last > pv_ledger_records(l))
		return -EINVAL;
	if (win->outer_begin_ps > win->inner_begin_ps || win->inner_begin_ps > win->inner_end_ps ||
	    win->inner_end_ps > win->outer_end_ps)
		return -EINVAL;
	return h->cpmu_cycle_ps && h->dwc_cycle_ps && h->ptt_tick_ps ? 0 : -EINVAL;
}

/* Returns true if a record must be in the result. */
static inline bool pv_count_owes(const struct pv_window *win, uint64_t index)
{
	if (index < win->inner_first || index >= win->inner_last)
		return false;
	for (size_t i = 0; i < win->pauses; i++)
		if (index >= win->pause[i].first && index < win->pause[i].last)
			return false;
	return true;
}

static inline uint64_t pv_count_whole_cycles(uint64_t begin_ps, uint64_t end_ps, uint32_t cycle_ps)
{
	uint64_t first = begin_ps / cycle_ps + (begin_ps % cycle_ps != 0), last = end_ps / cycle_ps;

	return last > first ? last - first : 0;
}

/* min: complete cycles in the inner window, without its pauses; max: started cycles in the outer window. */
static inline struct pv_bounds pv_count_cycles(const struct pv_window *win, uint32_t cycle_ps)
{
	uint64_t since = win->inner_begin_ps, end = win->inner_end_ps, outer_end = win->outer_end_ps;
	struct pv_bounds cycles = {0,
				   outer_end / cycle_ps + (outer_end % cycle_ps != 0) - win->outer_begin_ps / cycle_ps};

	for (size_t i = 0; i < win->pauses && win->pause[i].begin_ps < end; i++) {
		cycles.min += pv_count_whole_cycles(since, win->pause[i].begin_ps, cycle_ps);
		since = win->pause[i].end_ps;
	}
	cycles.min += pv_count_whole_cycles(since, end, cycle_ps);
	return cycles;
}

#endif
