/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report on a trace for readers in a hurry: findings in words, then a short table of devices. The HTML page adds
 * three plots, and the tables of the statistics. It needs no script and no network, and can be printed.
 */
#ifndef PV_ANALYSIS_REPORT_H
#define PV_ANALYSIS_REPORT_H

#include "framework/analysis/stat_report.h"

/* Prints the report as text of 80 columns. */
void pv_report_text(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);
void pv_report_html(const struct pv_stat *s, const struct pv_stat_report *r, FILE *f);

#endif
