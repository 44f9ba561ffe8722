/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the statistics as JSON. */
#ifndef PV_ANALYSIS_STAT_JSON_INTERNAL_H
#define PV_ANALYSIS_STAT_JSON_INTERNAL_H

#include "framework/analysis/stat_report.h"

struct json_object *pv_stat_json_findings(const struct pv_stat *s, const struct pv_stat_report *r);
/* Returns the rules that are not judged, with the reasons. */
struct json_object *pv_stat_json_unjudged(const struct pv_stat *s, const struct pv_stat_report *r);
/* Returns the figures of at most `top` devices. */
struct json_object *pv_stat_json_devices(const struct pv_stat *s, const struct pv_stat_report *r, unsigned top);
/* Returns the `top` BARs with the most bytes written. */
struct json_object *pv_stat_json_bars(const struct pv_stat *s, const struct pv_stat_report *r, unsigned top);

#endif
