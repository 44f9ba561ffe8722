/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known deviations of Linux drivers, from fixtures/deviations: a file for each driver (docs/linux-drivers.md). */
#ifndef PV_CLI_DEVIATIONS_H
#define PV_CLI_DEVIATIONS_H

#include <json-c/json.h>

#include "framework/util/error.h"

/* What is tested, as far as known failures depend on it. */
struct pv_cli_tested {
	const char *target, *driver;
	const char *release; /* of the kernel under test; NULL: there is none, or it is not known */
	const char *kernel;  /* its name, as of --kernel; NULL as well */
	const char *today;   /* "2026-11-22" */
};

/*
 * Those that the kernel under test has on this target, whose release is known, of all *.json in `folder`: an array for
 * struct pv_run_options, for the driver of the run. The caller puts it. 0, or -errno with the file and what was
 * expected there.
 */
int pv_cli_deviations(const char *folder, const struct pv_cli_tested *tested, json_object **out, struct pv_error *e);

/*
 * A file of the user's own, in the same format; besides, an entry may have "driver", "target" (those of the run if left
 * out) and "expires", the last day that it holds. Adds those that hold to *list, which may be NULL.
 */
int pv_cli_known_failures(const char *path, const struct pv_cli_tested *tested, json_object **list, struct pv_error *e);

#endif
