/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A history as text for terminals, and as an HTML page. */
#ifndef PV_HISTORY_REPORT_H
#define PV_HISTORY_REPORT_H

#include "framework/history/history.h"

/*
 * Prints the last `most` runs (0: all), and the filtered cases with the times of failures and passes. 0, or an error
 * with *e.
 */
int pv_history_put_show(struct pv_history *h, size_t most, const struct pv_history_filter *filter, FILE *out,
			struct pv_error *e);
/* Prints cases whose verdict changed while the tested properties were the same. Sets *n to their number. */
int pv_history_put_flaky(struct pv_history *h, const char *glob, size_t *n, FILE *out, struct pv_error *e);
/*
 * Prints duration and rate of the cases that `glob` selects, run by run; NULL: of runs. Sets *n to the number of cases
 * or runs.
 */
int pv_history_put_trend(struct pv_history *h, const char *glob, size_t *n, FILE *out, struct pv_error *e);

/*
 * Writes a self-contained page: runs over time as plots, cases that fail or change, varying rates. Its size grows by
 * some tens of bytes per run, and with the number of such cases, of which it shows the worst.
 */
int pv_history_put_page(struct pv_history *h, FILE *out, struct pv_error *e);

/* Formats a time as "2026-03-01 12:00" in UTC; "-" for 0. */
enum { PV_HISTORY_DATE = 24 };
const char *pv_history_date(int64_t started, char out[PV_HISTORY_DATE]);

#endif
