/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the pages of statistics and reports: the head, and plots with their headings and keys. */
#ifndef PV_ANALYSIS_STAT_HTML_INTERNAL_H
#define PV_ANALYSIS_STAT_HTML_INTERNAL_H

#include <stdio.h>

#include "framework/analysis/stat_report.h"

/* Begins the page, up to what is known of the input as a whole. End it with pv_html_end(). */
void pv_stat_put_head(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
/* The few figures of the whole trace. */
void pv_stat_put_figures(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
/* Kinds, requesters, requests and completions, address ranges. */
void pv_stat_put_tables(const struct pv_stat *s, unsigned top, FILE *f);

/* These need a trace with times: */
void pv_stat_put_payload(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
/* The payload of each share, on the time axis of the whole trace: to one scale, or each to its own. */
void pv_stat_put_shares(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
/* These need a trace with times and answered requests: */
void pv_stat_put_open(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
void pv_stat_put_latency(const struct pv_match_sums *m, FILE *f);

void pv_stat_put_sizes(const struct pv_stat *s, FILE *f);

#endif
