/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest of a run on target qemu, the machine of one on target local, and failures that are known. */
#include "framework/cli/run_target.h"

#include <string.h>
#include <time.h>

#include "framework/cli/deviations.h"
#include "framework/util/cleanup.h"

/* What this kernel's drivers are known to do; nothing is known of a kernel without a version. */
static int find_deviations(struct pv_cli_run *a, const char *const *paths, size_t n, struct pv_error *e)
{
	const char *release = json_object_get_string(json_object_object_get(a->run.guest, "release"));
	_autofree_ char *folder = pv_cli_find_upwards(paths, n, "fixtures/deviations");

	return release && folder ? pv_cli_deviations(folder, release, &a->run.deviations, e) : 0;
}

/* Those of the user's file, besides. */
int pv_cli_find_known_failures(struct pv_cli_run *a, struct pv_error *e)
{
	char today[16];
	time_t now = time(NULL);
	struct tm tm;

	strftime(today, sizeof(today), "%Y-%m-%d", gmtime_r(&now, &tm));
	const struct pv_cli_tested tested = {
		.target = a->run.target,
		.driver = a->run.driver,
		.release = json_object_get_string(json_object_object_get(a->run.guest, "release")),
		.today = today};
	int err = a->known_failures ? pv_cli_known_failures(a->known_failures, &tested, &a->run.deviations, e) : 0;
	return err ? pv_error_context(e, "--known-failures: ") : 0;
}

/* Has what a guest needs found or built, before the first case. */
int pv_cli_find_guest(struct pv_cli_run *a, const char *const *paths, size_t n, struct pv_error *e)
{
	if (strcmp(a->run.target, "qemu"))
		return 0;
	const char *given[] = {"kernel",     a->guest.kernel,
			       "modules",    a->guest.modules,
			       "append",     a->guest.append,
			       "fresh-boot", a->guest.fresh_boot ? "" : NULL,
			       "real-time",  a->guest.real_time ? "" : NULL,
			       "leaks",	     a->guest.leaks ? "" : NULL,
			       NULL};
	memcpy(a->guest_options, given, sizeof(given));
	a->run.guest_options = a->guest_options;
	int err = pv_cli_guest_json(&a->guest, paths, n, &a->run.guest, e);
	if (!err)
		err = find_deviations(a, paths, n, e);
	return err;
}

/* The machine of an earlier run, or what another run of a case has to be told. */
static void note_root(struct pv_cli_run *a)
{
	const char *const *o = a->run.guest_options;
	while (o && *o && strcmp(*o, "root"))
		o += 2;
	if (a->board.root) {
		const char *given[] = {"root", a->board.root, NULL};
		memcpy(a->guest_options, given, sizeof(given));
		a->run.guest_options = a->guest_options;
	} else if (o && *o) {
		a->board.root = o[1];
	}
}

int pv_cli_find_board(struct pv_cli_run *a, struct pv_job *jobs, size_t n, struct pv_error *e)
{
	if (!pv_cli_is_board(a->run.target) || a->run.agent)
		return 0;
	note_root(a);
	int err = pv_cli_board_open(&a->board, a->run.target, jobs, n, e);
	a->run.far = a->board.far;
	return err;
}
