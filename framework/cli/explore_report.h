/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of `explore`: progress, findings, reports. */
#ifndef PV_CLI_EXPLORE_REPORT_H
#define PV_CLI_EXPLORE_REPORT_H

#include "framework/cli/explore_target.h"

struct pv_cli_findings {
	struct pv_cli_explore *o;
	FILE *out;
	size_t kept; /* cases of the corpus that were written */
};

/* For struct pv_explore_session: one line on a terminal. */
void pv_cli_explore_progress(void *findings, const struct pv_explore_session *s);
/*
 * Writes the findings as plans, runs them, prints and reports. `broken`: why the session broke off; NULL: it did not,
 * and passed if nothing was found. Returns the exit status.
 */
int pv_cli_explore_report(struct pv_cli_findings *f, const struct pv_explore_session *s, const char *broken);

#endif
