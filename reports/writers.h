/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The writers behind the table of reports/writers.c, one file each. All take "-" for standard output. */
#ifndef PV_REPORTS_WRITERS_H
#define PV_REPORTS_WRITERS_H

#include "reports/result.h"

int pv_junit_write(const struct pv_run_result *r, const char *path, struct pv_error *e);
int pv_json_write(const struct pv_run_result *r, const char *path, struct pv_error *e);
int pv_ktap_write(const struct pv_run_result *r, const char *path, struct pv_error *e);

#endif
