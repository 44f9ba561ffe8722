/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known deviations of Linux drivers, from fixtures/deviations: a file for each driver (docs/linux-drivers.md). */
#ifndef PV_CLI_DEVIATIONS_H
#define PV_CLI_DEVIATIONS_H

#include <json-c/json.h>

#include "framework/util/error.h"

/*
 * Those that the kernel `release` ("6.12.117") has, of all *.json in `folder`: an array for struct pv_run_options, for the driver
 * "kernel". The caller puts it. 0, or -errno with the file and what was expected there.
 */
int pv_cli_deviations(const char *folder, const char *release, json_object **out, struct pv_error *e);

#endif
