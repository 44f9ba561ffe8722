/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run --bisect: exit statuses for `git bisect run`, which takes 1 to 127 as bad. Mistakes on the command line and lost
 * results need a status above 127, which ends the bisection.
 */
#include "framework/cli/run_bisect.h"

#include <errno.h>
#include <string.h>

#include "framework/cli/run_matrix.h"
#include "framework/util/cleanup.h"

enum { GOOD = 0, BAD = 1, NOT_JUDGED = 125, STOP = 255 };

/* getopt_long(3) also accepts an unambiguous abbreviation. */
bool pv_cli_bisect_is_asked(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		size_t n = strlen(argv[i]);

		if (n > strlen("--bi") && !strncmp(argv[i], "--bisect", n))
			return true;
	}
	return false;
}

int pv_cli_bisect_check(const struct pv_cli_run *o, struct pv_error *e)
{
	const struct {
		bool given;
		const char *name, *why;
	} others[] = {
		{o->dry_run, "--dry-run", "it runs nothing"},
		{o->list_tags, "--list-tags", "it runs nothing"},
		{o->list_defects, "--list-defects", "it runs nothing"},
		{o->resume, "--resume", "it tests the source of an earlier commit"},
		{o->rerun, "--rerun", "its cases depend on an earlier commit"},
		{o->allow_skip, "--allow-skip", "a commit whose cases are all skipped is not good"},
		{pv_cli_run_is_matrix(o), "second kernel, driver or target", "there is one verdict"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].given)
			return pv_error(e, -EINVAL, "--bisect: expected no %s: %s", others[i].name, others[i].why);
	return 0;
}

int pv_cli_bisect_status(const struct pv_cli_run *o, int status)
{
	if (o->unbuilt)
		return NOT_JUDGED;
	if (pv_cli_flush() || o->ended_early)
		return STOP;
	switch (status) {
	case PV_EXIT_PASSED:
		return GOOD;
	case PV_EXIT_FAILED:
		return BAD;
	case PV_EXIT_UNJUDGED:
	case PV_EXIT_SKIPPED:
		return NOT_JUDGED;
	default:
		return STOP;
	}
}
