/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the statistics as JSON. */
#ifndef PV_ANALYSIS_STAT_JSON_INTERNAL_H
#define PV_ANALYSIS_STAT_JSON_INTERNAL_H

#include "framework/analysis/stat_report.h"

struct json_object *pv_stat_json_findings(const struct pv_stat *s, const struct pv_stat_report *r);
/* The rules that have no figure here, with what they need. */
struct json_object *pv_stat_json_unjudged(const struct pv_stat *s, const struct pv_stat_report *r);
/* Not more than `top` devices. */
struct json_object *pv_stat_json_devices(const struct pv_stat *s, const struct pv_stat_report *r, unsigned top);

#endif
