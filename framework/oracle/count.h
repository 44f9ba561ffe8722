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

/* min: complete cycles in the inner window; max: started cycles in the outer window. */
static inline struct pv_bounds pv_count_cycles(const struct pv_window *win, uint32_t cycle_ps)
{
	uint64_t first = win->inner_begin_ps / cycle_ps + (win->inner_begin_ps % cycle_ps != 0);
	uint64_t last = win->inner_end_ps / cycle_ps;

	return (struct pv_bounds){last > first ? last - first : 0, win->outer_end_ps / cycle_ps +
									   (win->outer_end_ps % cycle_ps != 0) -
									   win->outer_begin_ps / cycle_ps};
}

#endif
