/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plots of single requesters on the pages of `trace stat` and `trace report`. */
#ifndef PV_CLI_TRACE_SHARES_H
#define PV_CLI_TRACE_SHARES_H

#include "framework/analysis/stat_report.h"

#define PV_CLI_SHARES 16

/* The trace of the statistics, and the options for reading it. */
struct pv_cli_shares_of {
	const char *path, *where;
	const struct pv_trace_options *how;
	unsigned jobs, n; /* n: number of requesters, at most PV_CLI_SHARES */
};

struct pv_cli_shares {
	struct pv_stat_share share[PV_CLI_SHARES];
	struct pv_stat *again[PV_CLI_SHARES]; /* statistics of each requester, if they are too many for one pass */
	size_t n;
};

/*
 * Finds the timelines of the requesters with the most payload, in statistics made with by_requester. If there are more
 * requesters than one pass follows, a file is read again for each of them; any other input is -E2BIG. 0 or -errno with
 * *e filled.
 */
int pv_cli_shares_find(struct pv_cli_shares *out, const struct pv_cli_shares_of *of, const struct pv_stat *all,
		       struct pv_error *e);
void pv_cli_shares_drop(struct pv_cli_shares *s);

#endif
