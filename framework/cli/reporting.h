/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Report options, shared by `run` and `report`: one for each writer in reports/writers.c. */
#ifndef PV_CLI_REPORTING_H
#define PV_CLI_REPORTING_H

#include "framework/cli/cli.h"
#include "reports/writers.h"

struct pv_reporting {
	const char *paths[PV_REPORTS]; /* by enum pv_report; NULL: not requested */
};

/*
 * Table entries of the options. AT(member): offset in the command's struct, whose member `reporting` is a struct
 * pv_reporting.
 */
#define PV_CLI_REPORT_OPTION(name, help) \
	{#name, 0, PV_OPTION_TEXT, AT(reporting.paths[PV_REPORT_##name]), "FILE", help},
#define PV_CLI_REPORTS PV_REPORT_WRITERS(PV_CLI_REPORT_OPTION)

/* Checks, before a run, that all requested reports can be written. */
int pv_reporting_check(const struct pv_reporting *r, struct pv_error *e);

/* Returns true if a report goes to standard output: then nothing else may. */
bool pv_reporting_on_stdout(const struct pv_reporting *r);

/*
 * Writes the requested reports and flushes standard output. Returns the exit status of the run, or "could not be
 * judged" if a report could not be written, which is reported on standard error.
 */
enum pv_exit pv_reporting_write(const struct pv_reporting *r, const struct pv_run_result *run);

#endif
