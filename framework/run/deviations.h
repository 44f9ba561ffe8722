/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Known deviations of drivers: cases that a driver is known to fail. They come from a plan (<deviation>) or with the
 * run (fixtures/deviations). A failure of such a case becomes a skip with its reason, and a pass becomes a failure: the
 * deviation is gone. A pass stays a pass if the deviation only shows sometimes ("sometimes").
 */
#ifndef PV_RUN_DEVIATIONS_H
#define PV_RUN_DEVIATIONS_H

#include <json-c/json.h>
#include <stdbool.h>

#include "framework/run/transcript.h"
#include "framework/util/error.h"

/* Properties of a run that known failures depend on. */
struct pv_tested {
	const char *target, *driver;
	const char *release; /* of the kernel under test; NULL: there is none, or it is not known */
	const char *kernel;  /* its name, as given to --kernel; NULL likewise */
	bool fixed;	     /* its drivers have the fixes of ci/driver-fixes: only deviations by choice are left */
	const char *today;   /* "2026-11-22"; for pv_known_failures_read() */
};

/*
 * Reads all *.json of `folder` (docs/linux-drivers.md) and adds the deviations that apply to what is tested to *list,
 * an array for struct pv_run_options, which may be NULL; the caller puts it. The release must be known. 0, or -errno
 * with the file and what was expected there.
 */
int pv_deviations_read(const char *folder, const struct pv_tested *tested, json_object **list, struct pv_error *e);
/*
 * The same for one file of the user's own. An entry may also have "driver" (default: that of the run) and "expires",
 * the last day on which it applies. The release need not be known.
 */
int pv_known_failures_read(const char *path, const struct pv_tested *tested, json_object **list, struct pv_error *e);
/* Gives the date in UTC, as in pv_tested.today. */
enum { PV_TODAY_TEXT = 16 };
void pv_deviations_today(char today[PV_TODAY_TEXT]);

/*
 * Changes the list of an earlier run, which may be NULL, for a run of `today`: the user's entries that have expired
 * since then do not apply any more. `today` NULL: removes the user's entries, whose file is to be read again.
 */
void pv_deviations_hand_on(json_object *list, const char *today);

/*
 * Returns the deviations of one case: all of its plan's, and those of the run with a pattern in "cases" that matches
 * PLAN/NAME (as --name does) or with a former name (NULL: none). Either list may be NULL. The caller puts the result;
 * NULL: none, or no memory.
 */
json_object *pv_deviations_of(json_object *of_run, json_object *of_plan, const char *plan, const char *name,
			      const char *const *formerly);

/* Returns true if one of them has "kills_kernel": the case kills the machine. */
bool pv_deviations_kill(json_object *deviations);

/* Returns true if a failure with this message is a known one of the driver. */
bool pv_deviations_know(json_object *deviations, const char *driver, const char *message);

/*
 * Changes the verdict by {"driver","id","reason","says"}: only those of `driver` count, and of a failure only one whose
 * regular expression "says" its message matches (no "says": any message does). It matches errors only if it says so.
 * One with "expired", a date, makes a failure of both.
 */
void pv_outcome_deviate(struct pv_outcome *out, json_object *deviations, const char *driver);

#endif
