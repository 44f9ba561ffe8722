/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known deviations of Linux drivers, from fixtures/deviations: a file for each driver (docs/linux-drivers.md). */
#ifndef PV_CLI_DEVIATIONS_H
#define PV_CLI_DEVIATIONS_H

#include <json-c/json.h>

#include "framework/util/error.h"

/* Properties of a run that known failures depend on. */
struct pv_cli_tested {
	const char *target, *driver;
	const char *release; /* of the kernel under test; NULL: there is none, or it is not known */
	const char *kernel;  /* its name, as of --kernel; NULL as well */
	const char *today;   /* "2026-11-22" */
};

/*
 * Finds the deviations in all *.json of `folder` that apply to the kernel under test on this target. Its release must
 * be known. *out is an array for struct pv_run_options, for the driver of the run; the caller puts it. 0, or -errno
 * with the file and what was expected there.
 */
int pv_cli_deviations(const char *folder, const struct pv_cli_tested *tested, json_object **out, struct pv_error *e);

/*
 * Reads a file of the user's own in the same format. An entry may also have "driver" and "target" (default: those of
 * the run) and "expires", the last day on which it applies. Adds the entries that apply to *list, which may be NULL.
 */
int pv_cli_known_failures(const char *path, const struct pv_cli_tested *tested, json_object **list, struct pv_error *e);

#endif
