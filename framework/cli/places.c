/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Defaults of commands: the target, and the folder of goldens. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "framework/agent/targets.h"
#include "framework/cli/cli.h"
#include "framework/util/cleanup.h"
#include "framework/util/hint.h"
#include "framework/util/share.h"

#define GOLDENS "fixtures/golden"

/* ---- targets ---- */

int pv_cli_check_target(const struct pv_cli_selection *s, const char *agent, struct pv_error *e)
{
	static const char *const kinds[] = {"model", "qemu", "local", "ssh", NULL};
	char kind[32];
	const char *name = s->target ? s->target : "model";

	snprintf(kind, sizeof(kind), "%.*s", (int)strcspn(name, ":"), name);
	size_t i = 0;
	while (kinds[i] && strcmp(kinds[i], kind))
		i++;
	if (!kinds[i])
		return pv_error(e, -EINVAL, "--target: expected model, qemu, local or ssh:HOST, got '%s'%s",
				PV_SHOW(name), pv_did_you_mean(kind, pv_candidate_of_array, kinds).s);
	if (!agent && !strcmp(kind, "ssh") && strncmp(name, "ssh:", 4))
		return pv_error(e, -EINVAL, "--target: expected ssh:HOST, got '%s'", PV_SHOW(name));
	if (agent || pv_target_find(kind))
		return 0;
	return pv_error(e, -EINVAL, "--target: '%s' is not in this version of pcieval", PV_SHOW(name));
}

int pv_cli_check_driver(const char *target, const char *driver, const char *agent, struct pv_error *e)
{
	const struct pv_target_ops *ops = agent ? NULL : pv_target_find(target);

	if (!ops || !ops->drivers)
		return 0;
	char known[128] = "";
	for (size_t i = 0, n = 0; ops->drivers[i] && n < sizeof(known); i++) {
		if (!strcmp(ops->drivers[i], driver))
			return 0;
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", i ? ", " : "", ops->drivers[i]);
	}
	return pv_error(e, -EINVAL, "--driver: target %s has: %s; got '%s'%s", target, known, PV_SHOW(driver),
			pv_did_you_mean(driver, pv_candidate_of_array, ops->drivers).s);
}

const char *pv_cli_board_name(const char *target)
{
	const char *host = strchr(target, ':');

	return host ? host + 1 : strcmp(target, "model") ? "default" : "embedded";
}

/* ---- colour ---- */

const char *const pv_cli_colours[] = {"auto", "always", "never", NULL};

int pv_cli_check_colour(const char *when, struct pv_error *e)
{
	for (const char *const *k = pv_cli_colours; when && *k; k++)
		if (!strcmp(*k, when))
			return 0;
	return when ? pv_error(e, -EINVAL, "--color: expected auto, always or never, got '%s'%s", PV_SHOW(when),
			       pv_did_you_mean(when, pv_candidate_of_array, pv_cli_colours).s)
		    : 0;
}

/* ---- goldens ---- */

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Returns the relative path if it leads to the same folder; otherwise `found`. */
static char *shortened(char *found)
{
	_autofree_ char *here = realpath(GOLDENS, NULL);

	if (!here || strcmp(here, found))
		return found;
	free(found);
	return strdup(GOLDENS);
}

/*
 * Returns the path of the first plan, or of a file in the first folder of plans. The caller frees it; NULL: no plans.
 */
static char *first_plan(const char *const *plans, size_t n)
{
	char *path = NULL;

	if (!n || asprintf(&path, "%s%s", plans[0], is_folder(plans[0]) ? "/plan" : "") < 0)
		return NULL;
	return path;
}

char *pv_cli_golden_folder(const char *given, const char *const *plans, size_t n)
{
	if (given)
		return strdup(given);
	_autofree_ char *plan = first_plan(plans, n);
	_autofree_ char *found = plan ? pv_share_find(plan, GOLDENS) : NULL;
	/* Installed goldens belong to installed plans only. */
	return found && pv_share_is_installed(found) == pv_share_is_installed(plans[0]) ? shortened(steal(&found))
											: strdup(GOLDENS);
}

char *pv_cli_find_upwards(const char *const *plans, size_t n, const char *name)
{
	_autofree_ char *plan = first_plan(plans, n);

	return pv_share_find(plan, name);
}
