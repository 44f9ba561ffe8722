/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known deviations of Linux drivers, from fixtures/deviations: a file for each driver (docs/linux-drivers.md). */
#ifndef PV_CLI_DEVIATIONS_H
#define PV_CLI_DEVIATIONS_H

#include <json-c/json.h>

#include "framework/util/error.h"

/*
 * Those that the kernel `release` ("6.12.117") has, of all *.json in `folder`: an array for struct pv_run_options, for its
 * drivers as `driver` ("kernel", "system") calls them. The caller puts it. 0, or -errno with the file and what was expected there.
 */
int pv_cli_deviations(const char *folder, const char *release, const char *driver, json_object **out,
		      struct pv_error *e);

/* What is tested, as far as known failures depend on it. */
struct pv_cli_tested {
	const char *target, *driver;
	const char *release; /* of the kernel under test; NULL: there is none, or it is not known */
	const char *today;   /* "2026-11-22" */
};

/*
 * A file of the user's own, in the same format; besides, an entry may have "driver", "target" (those of the run if left out)
 * and "expires", the last day that it holds. Adds those that hold to *list, which may be NULL.
 */
int pv_cli_known_failures(const char *path, const struct pv_cli_tested *tested, json_object **list, struct pv_error *e);

#endif
