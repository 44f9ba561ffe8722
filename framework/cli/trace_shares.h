/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plots of single requesters on the pages of `trace stat` and `trace report`. */
#ifndef PV_CLI_TRACE_SHARES_H
#define PV_CLI_TRACE_SHARES_H

#include "framework/analysis/stat_report.h"

#define PV_CLI_SHARES 16

/* The trace of the statistics, and how it was read. */
struct pv_cli_shares_of {
	const char *path, *where;
	const struct pv_trace_options *how;
	unsigned jobs, n; /* n: requesters wanted, PV_CLI_SHARES at most */
};

struct pv_cli_shares {
	struct pv_stat_share share[PV_CLI_SHARES];
	struct pv_stat *again[PV_CLI_SHARES]; /* of a trace with too many requesters: statistics of each */
	size_t n;
};

/*
 * Finds the timelines of the requesters with the most payload in statistics that were made with by_requester. A file
 * with more requesters than are followed is read again for each; anything else with so many is -E2BIG. 0 or -errno
 * with *e filled.
 */
int pv_cli_shares_find(struct pv_cli_shares *out, const struct pv_cli_shares_of *of, const struct pv_stat *all,
		       struct pv_error *e);
void pv_cli_shares_drop(struct pv_cli_shares *s);

#endif
