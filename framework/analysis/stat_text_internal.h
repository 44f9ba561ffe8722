/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the statistics as text of 80 columns. */
#ifndef PV_ANALYSIS_STAT_TEXT_INTERNAL_H
#define PV_ANALYSIS_STAT_TEXT_INTERNAL_H

#include "framework/analysis/stat_report.h"

/* Prints the figures of the `top` devices with the most payload. */
void pv_stat_text_findings(const struct pv_stat *s, const struct pv_stat_report *r, unsigned top, FILE *f);
void pv_stat_text_devices(const struct pv_stat *s, const struct pv_stat_report *r, unsigned top, FILE *f);
/* Prints the `top` BARs with the most bytes written. */
void pv_stat_text_bars(const struct pv_stat *s, const struct pv_stat_report *r, unsigned top, FILE *f);

#endif
