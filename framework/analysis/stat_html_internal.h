/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the HTML pages of statistics and reports: the head, and plots with their headings and keys. */
#ifndef PV_ANALYSIS_STAT_HTML_INTERNAL_H
#define PV_ANALYSIS_STAT_HTML_INTERNAL_H

#include <stdio.h>

#include "framework/analysis/stat_report.h"

/* Begins the page, up to the facts about the input as a whole. End it with pv_html_end(). */
void pv_stat_put_head(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
/* Writes the main figures of the whole trace. */
void pv_stat_put_figures(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
/* Writes the tables of kinds, requesters, requests and completions, address ranges, and BARs. */
void pv_stat_put_tables(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);

/* Payload over time. Needs a trace with times. */
void pv_stat_put_payload(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
/*
 * Plots the payload of each share, on the time axis of the whole trace: all on one scale, or each on its own. Needs a
 * trace with times.
 */
void pv_stat_put_shares(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
/* Open requests over time, and latencies. These need a trace with times and answered requests. */
void pv_stat_put_open(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
void pv_stat_put_latency(const struct pv_match_sums *m, FILE *f);

void pv_stat_put_sizes(const struct pv_stat *s, FILE *f);

#endif
