/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of drivers as states of cases, from runs with --driver-coverage. */
#ifndef PV_CLI_EXPLORE_LINES_H
#define PV_CLI_EXPLORE_LINES_H

#include <json-c/json.h>

#include "framework/util/error.h"
#include "reports/result.h"

/* Adds the lines that each of n cases has reached to its "reached" (explore.h). 0 or -errno with *e. */
int pv_cli_explore_lines(const struct pv_run_result *r, json_object *const *cases, size_t n, struct pv_error *e);

#endif
